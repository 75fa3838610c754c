import TestSupport
import Testing

/// What hooks hear, with real commands and clocks; ports on loopback come and go as targets.
@Suite(.serialized) struct HearingHooks {
  @Test func `a hook that is given another target hears of its own only while that is reachable`()
    throws
  {
    let (result, folder) = try Ports.run(
      """
      local line = \(Ports.target("line", "OTHER"))
      local vpn = \(Ports.target("vpn", "PORT"))
      reach.on{ target = vpn, given = line, stable = "400ms",
        change = function(e) print(e.was .. " to " .. e.status) end }
      """,
      """
      open $PORT; open $OTHER; start; until_log 1 'unknown to reachable'
      close $PORT; close $OTHER; until_log 1 'vpn: unreachable'; until_log 1 'line: unreachable'
      sleep 1; grep -c 'reachable to' log
      "$REACH" status --socket "$STATE/control" | sed -n 's/ after [^;]*;/;/p'
      open $OTHER; until_log 1 'reachable to unreachable'; stop
      """)
    #expect(
      result.output == """
        0
          hook vpn: reachable: finished; given line is unreachable

        """)
    #expect(folder.read("log").contains("reachable to unreachable"))
  }

  @Test func `a combined target changes when enough of its members do`() throws {
    let (result, folder) = try Ports.run(
      """
      local nas = \(Ports.target("nas", "PORT"))
      local backup = \(Ports.target("backup", "OTHER"))
      reach.on{ target = reach.any{ nas, backup, name = "either" },
        change = function(e) print(e.target, e.was, e.status, e.reason, e.cause) end }
      """,
      """
      start; until_log 1 'either.unknown.unreachable.refused.restart'
      open $OTHER; until_log 1 'either.unreachable.reachable.nil.remote'
      open $PORT; until_log 1 'nas: reachable'; close $OTHER; until_log 2 'backup: unreachable'
      close $PORT; until_log 1 'either.reachable.unreachable.refused.remote'
      "$REACH" status --socket "$STATE/control" | sed -n 's/ since.*//; /target/p'
      "$REACH" check hook.lua | grep either; stop
      """)
    #expect(
      result.output == """
        target nas: unreachable (refused)
        target backup: unreachable (refused)
        target either: unreachable (refused)
          target either = any(nas, backup)
          hook either on either: change

        """)
    #expect(folder.read("log").split(separator: "\n").filter { $0.contains("either\t") }.count == 3)
  }

  @Test func `a target tells how it stands, and is waited for, also in its own handler`() throws {
    let (result, folder) = try Ports.run(
      """
      local nas = \(Ports.target("nas", "PORT"))
      local other = \(Ports.target("other", "OTHER"))
      print("at load", nas.name, nas.status, nas.via)
      reach.on{ target = nas, unreachable = function(e)
        other:wait("unreachable")
        print("now", nas.status, nas.reason, nas.cause, other.status, reach.local_wifi.status)
        print("in vain", other:wait("reachable", "300ms"), nas:wait("unreachable"))
        print("came", nas:wait("reachable", "20s"), nas.via, nas.reason, nas.latency < 1)
        print("typo", pcall(function() return nas.statsu end))
        print("typo", pcall(nas.wait, nas, "reachabel"))
      end }
      """,
      """
      start; until_log 1 'in vain'; open $PORT; until_log 2 'typo'; stop
      """)
    #expect(result.output == "")
    let told = folder.read("log").split(separator: "\n").filter { $0.contains("\t") }
      .map { $0.split(separator: ": ", maxSplits: 1)[1] }
    #expect(
      told == [
        "at load\tnas\tunknown\tnil",
        "now\tunreachable\trefused\tremote\tunreachable\tunreachable",
        "in vain\tfalse\ttrue", "came\ttrue\tloopback\tnil\ttrue",
        "typo\tfalse\thook.lua:11: target has no \"statsu\"; did you mean \"status\"?",
        "typo\tfalse\ttarget:wait: there is no status \"reachabel\"; did you mean "
          + "\"reachable\"?",
      ])
  }

  @Test func `restart begins a run once the command of the cancelled one is gone`() throws {
    let (result, folder) = try Ports.run(
      """
      reach.on{ target = \(Ports.target("nas", "PORT")), mode = "restart",
        unreachable = function()
          print(pcall(reach.run, { "sh", "-c",
            "trap 'sleep 0.5; echo gone >>trace; exit' TERM; echo begun >>trace; sleep 30 & wait" }))
        end,
        reachable = function(e)
          reach.run{ "sh", "-c", "echo " .. e.was .. " to reachable >>trace" }
          print("done")
        end }
      """,
      """
      start; for i in $(seq 200); do [ -s trace ] && break; sleep 0.025; done
      open $PORT; until_log 1 'hook/nas: done'; stop
      """)
    #expect(result.output == "")
    #expect(folder.read("trace") == "begun\ngone\nunreachable to reachable\n")
    let log = folder.read("log").split(separator: "\n").map { $0.dropFirst(20) }
    #expect(
      log.contains {
        $0.hasPrefix("info  hook/nas: unreachable: cancelled after ")
          && $0.hasSuffix("since something newer is to be told")
      })
    #expect(!log.contains { $0.contains("false\t") })
  }

  @Test func `a queue tells each event in order, one at a time, and the last one is true`() throws {
    let (result, folder) = try Ports.run(
      """
      reach.on{ target = \(Ports.target("nas", "PORT")), mode = "queue", change = function(e)
        reach.run{ "sh", "-c", "echo " .. e.sequence .. " " .. e.status .. " >>trace" }
        reach.run{ "sleep", "0.7" }
        print("told " .. e.sequence)
      end }
      """,
      """
      start; until_log 1 'nas: unreachable'
      open $PORT; until_log 1 'nas: reachable'; close $PORT; until_log 2 'nas: unreachable'
      open $PORT; until_log 2 'nas: reachable'; until_log 4 'told'; stop
      """)
    #expect(result.output == "")
    #expect(
      folder.read("trace") == "1 unreachable\n2 reachable\n3 unreachable\n4 reachable\n")
  }

  @Test func `quiet hours end by the clock on the wall, and what stands then is told`() throws {
    let (result, folder) = try Ports.run(
      """
      reach.on{ target = \(Ports.target("nas", "PORT")), quiet = "22:00-07:00",
        change = function(e) print("told " .. e.status) end }
      """,
      // It is 06:59:54 in a time zone of its own.
      """
      ahead=$(((25194 - $(date +%s) % 86400 + 86400) % 86400))
      export TZ="LCL-$((ahead / 3600)):$((ahead / 60 % 60)):$((ahead % 60))"
      start; until_log 1 'nas: unreachable'
      "$REACH" status --socket "$STATE/control" | grep 'hook nas'
      open $PORT; until_log 1 'told reachable'; grep told log; stop
      """)
    let lines = result.output.split(separator: "\n")
    #expect(lines.first == "  hook nas: not called yet; held by quiet until 07:00")
    #expect(
      lines.dropFirst().map { $0.dropFirst(11) } == ["07:00:00 info  hook/nas: told reachable"])
    #expect(!folder.read("log").contains("told unreachable"))
  }

  @Test func `the clock of apart outlives a reload, and status says what it keeps back`() throws {
    let (result, _) = try Ports.run(
      """
      reach.on{ target = \(Ports.target("nas", "PORT")), apart = { unreachable = "1h" },
        change = function(e) print("told " .. e.status) end }
      """,
      """
      start; until_log 1 'told unreachable'; open $PORT; until_log 1 'told reachable'
      kill -HUP $REACH_PID; until_log 2 'loaded 1 hook'
      close $PORT; until_log 2 'nas: unreachable'; sleep 0.3
      grep -c told log; "$REACH" status --socket "$STATE/control" | grep 'hook nas'; stop
      """)
    #expect(result.output.hasPrefix("2\n  hook nas: reachable: finished after "))
    #expect(result.output.contains("; unreachable held by apart until "))
  }

  @Test func `a run that a reload breaks off is told again to the new version`() throws {
    let (result, folder) = try Ports.run(
      """
      reach.on{ target = \(Ports.target("nas", "PORT")), initial = false, reachable = print,
        unreachable = function(e)
          print("begun", e.was, e.initial, e.retried, e.cause)
          if not e.retried then reach.run{ "sleep", "20" } end
        end }
      """,
      """
      open $PORT; start; until_log 1 'nas: reachable'; close $PORT; until_log 1 begun
      kill -HUP $REACH_PID; until_log 2 'loaded 1 hook'; sleep 9.5; until_log 2 begun; stop
      grep -o 'begun.*' log
      """)
    #expect(
      result.output == """
        begun\treachable\tfalse\tfalse\tremote
        begun\treachable\ttrue\ttrue\treload

        """)
    #expect(folder.read("log").contains("cancelled: the script was unloaded"))
  }

  @Test func `check prints what a hook says of when it wants to hear`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "a.lua",
      """
      reach.on{ target = reach.local_wifi, given = reach.internet, quiet = "22:00-07:00",
        stable = { reachable = "10s" }, again = "5m", mode = "restart", initial = true,
        change = print }
      """)
    let text = try Reach.run("check", "a.lua", in: folder.path)
    #expect(
      text.output.contains(
        """
          hook local_wifi on local_wifi: change; stable reachable 10s, again 5m, given internet, \
        quiet 22:00-07:00, mode restart, initial true

        """))
    let json = try Reach.run("check", "--json", "a.lua", in: folder.path)
    #expect(
      json.output.contains(
        """
        "handlers":["change"],"stable":{"reachable":10.0},"again":{"reachable":300.0,\
        "unreachable":300.0,"portal":300.0},"apart":{},"given":"internet","quiet":"22:00-07:00",\
        "mode":"restart","deadline":300.0,"initial":true}
        """))
  }
}

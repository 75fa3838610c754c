import TestSupport
import Testing

/// What users of other tools ran into with handlers that are slow, loop, wait or act on their own
/// network.
@Suite(.serialized) struct FieldCaseHandlers {
  /// What handlers printed, without the names of script and hook.
  private func prints(_ log: [String]) -> [String] {
    log.compactMap { line in
      line.hasPrefix("info") && line.contains("\t")
        ? line.split(separator: ": ", maxSplits: 1).last.map(String.init) : nil
    }
  }

  @Test func `four flips that meet a slow handler are told in order, each as it was`() throws {
    let run = try ScriptRun(
      """
      reach.on{ target = reach.internet, mode = "queue", change = function(e)
        print("begin", e.sequence, e.was, e.status, e.interface)
        reach.sleep("300ms")
        reach.write{ path = "told", text = e.sequence .. " " .. e.status .. "\\n", append = true }
        print("end", e.sequence)
      end }
      """)
    let (_, log) = try run(
      """
      start; await logged 'internet: reachable'
      $A route del default; await logged 'internet: unreachable'
      $A route add default via 192.0.2.1; await times 2 logged 'internet: reachable'
      $A route del default; await times 4 logged end
      stop
      """)
    #expect(
      prints(log) == [
        "begin\t1\tunknown\treachable\teth0", "end\t1", "begin\t2\treachable\tunreachable\tnil",
        "end\t2", "begin\t3\tunreachable\treachable\teth0", "end\t3",
        "begin\t4\treachable\tunreachable\tnil", "end\t4",
      ])
    #expect(
      run.folder.read("told") == "1 reachable\n2 unreachable\n3 reachable\n4 unreachable\n")
  }

  @Test func `a script that loops for ever is called again, and holds up nobody meanwhile`() throws
  {
    let run = try ScriptRun(
      """
      reach.on{ name = "spin", target = reach.internet,
        unreachable = function()
          while true do end
        end,
        reachable = function(e) print("spin", e.was) end }
      """)
    try run.folder.write(
      "other.lua",
      "reach.on{ target = reach.internet, change = function(e) print('other', e.status) end }")
    var both = run
    both.options = "other.lua"
    let (_, log) = try both(
      """
      start; await logged spin; await logged 'other.reachable'
      $A route del default; began=$(date +%s%N); await logged 'other.unreachable'
      echo $((($(date +%s%N) - began) / 1000000)) > took
      # It rests for 30 s.
      for i in 1 2 3 4; do await times 2 logged 't: loaded' 2>/dev/null && break; done
      $A route add default via 192.0.2.1; await logged 'spin.unreachable'
      stop
      """)
    #expect(try #require(Int(run.folder.read("took").dropLast())) < 1000)
    #expect(
      log.contains {
        $0.hasPrefix("error t/spin: unreachable: killed: t.lua:3: more than 250 ms")
      })
    let told = prints(log)
    #expect(
      told.filter { $0.hasPrefix("other") } == [
        "other\treachable", "other\tunreachable", "other\treachable",
      ])
    #expect(told.filter { $0.hasPrefix("spin") } == ["spin\tunknown", "spin\tunreachable"])
  }

  @Test func `nothing is left of a command that runs out of time, though it would not go`() throws {
    let run = try ScriptRun(
      """
      reach.on{ target = reach.internet, change = function()
        local r = reach.run{ "sh", "-c",
          "trap '' TERM; sleep 4321 & echo $$ $! >group; wait; sleep 4321", timeout = "300ms" }
        print("ended", r.timed_out, r.signal)
      end }
      """)
    let (_, log) = try run(
      """
      gone() { ! kill -0 "$1" 2>/dev/null; }
      start; await logged ended
      read child grandchild < group; await gone $child; await gone $grandchild
      stop
      """)
    #expect(prints(log) == ["ended\ttrue\t9"])
  }

  @Test func `a handler that changes its own target sees that, and is told of it afterwards`()
    throws
  {
    let (_, log) = try ScriptRun(
      """
      reach.on{ name = "cut", target = reach.internet,
        reachable = function()
          reach.run{ "ip", "route", "del", "default", check = true }
          print("sees", reach.internet:wait("unreachable", "10s"))
        end,
        unreachable = function(e) print("then", e.was) end }
      """)("start; await logged then; stop")
    #expect(prints(log) == ["sees\ttrue", "then\treachable"])
  }

  @Test func `a handler that waits for its own second call meets its deadline`() throws {
    let (_, log) = try ScriptRun(
      """
      local called
      reach.on{ name = "deaf", target = reach.internet, deadline = "1s",
        reachable = function() repeat reach.sleep("20ms") until called end,
        unreachable = function(e) called = true print("second", e.was) end }
      reach.on{ name = "other", target = reach.internet,
        unreachable = function(e) print("other", e.was) end }
      """)(
        "start; await logged 'internet: reachable'; $A route del default; await logged second; stop"
      )
    #expect(prints(log) == ["other\treachable", "second\treachable"])
    #expect(
      log.contains {
        $0.hasPrefix("error t/deaf: reachable: failed: ")
          && $0.hasSuffix("cancelled: the deadline of 1s has passed")
      })
  }

  @Test func `as a user's service it finds its surroundings, and needs no right of root's`() throws
  {
    let run = try ScriptRun(
      """
      reach.on{ target = reach.internet, change = function()
        local command = "echo $DBUS_SESSION_BUS_ADDRESS $XDG_RUNTIME_DIR"
        print("path", os.getenv("PATH"))
        print("bus", (reach.run{ "sh", "-c", command }.stdout:gsub("%s+", " ")))
        print("rights", reach.run{ "grep", "CapEff", "/proc/self/status" }.stdout:match("0+"))
      end }
      """)
    let (_, log) = try run(
      """
      start setpriv --bounding-set=-all --inh-caps=-all --no-new-privs env -i \
        PATH=/usr/local/bin:/usr/bin:/bin DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/7/bus \
        XDG_RUNTIME_DIR=/run/user/7
      await logged rights; stop
      """)
    #expect(
      prints(log) == [
        "path\t/usr/local/bin:/usr/bin:/bin", "bus\tunix:path=/run/user/7/bus /run/user/7 ",
        "rights\t0000000000000000",
      ])
    #expect(log.allSatisfy { $0.hasPrefix("info") }, "\(log)")
  }

  @Test func `when the machine's own uplink goes, each of 30 hosts is lost by that cause`() throws {
    let run = try ScriptRun(
      """
      local function tell(e)
        local text = ("%s %s %s\\n"):format(e.target, e.status, e.cause)
        reach.write{ path = "told", text = text, append = true }
      end
      for n = 101, 130 do
        reach.on{ change = tell, target = reach.target{ address = "192.0.2." .. n, name = "host" .. n,
          tcp = 8022, every = "500ms", timeout = "400ms" } }
      end
      reach.on{ target = reach.internet, change = tell }
      """)
    _ = try run(
      """
      for n in $(seq 101 130); do $B addr add 192.0.2.$n/24 dev b0; done
      ip netns exec $N-b python3 -c '
      import socket
      s = socket.create_server(("0.0.0.0", 8022), backlog=99)
      print("listens", flush=True)
      while True: s.accept()[0].close()' > server & SERVER=$!
      await [ -s server ]
      told() { [ "$(grep -c " $2 $3\\$" told)" = $1 ]; }
      start; await told 31 reachable restart
      $B link set b0 down; await told 31 unreachable local
      # Time for probes that would blame the hosts.
      sleep 1.5; stop; kill $SERVER
      """)
    let told = run.folder.read("told").split(separator: "\n")
    #expect(told.filter { $0.hasPrefix("internet ") }.last == "internet unreachable local")
    #expect(told.count { $0.hasPrefix("internet ") } == 2)
    let lost = told.filter { $0.contains(" unreachable ") && $0.hasPrefix("host") }
    #expect(Set(lost) == Set((101...130).map { "host\($0) unreachable local" }))
    #expect(lost.count == 30)
  }

  @Test func `the loss of the line is none of the VPN, until the line is back without it`() throws {
    let (_, log) = try ScriptRun(
      """
      reach.on{ target = reach.target{ interface = "tun0", name = "vpn" }, given = reach.internet,
        change = function(e) print("vpn", e.status) end }
      """)(
        """
        exec 7> >($IN python3 \(Reach.package)/Tests/Conformance/mktun.py tun0 tun >/dev/null); TUN=$!
        await $A link set tun0 up; $A addr add 10.8.0.2/24 dev tun0
        start; await logged 'vpn.reachable'
        $A link set eth0 down; await logged 'internet: unreachable'
        kill $TUN; await logged 'vpn: unreachable'
        $A link set eth0 up; $A route add default via 192.0.2.1; await logged 'vpn.unreachable'
        stop
        """)
    let order = log.compactMap { line -> String? in
      if line.contains("vpn\tunreachable") { return "told" }
      return line.contains("internet: reachable") && line.contains("was") ? "back" : nil
    }
    #expect(order == ["back", "told"], "\(log)")
    #expect(prints(log) == ["vpn\treachable", "vpn\tunreachable"])
  }

  @Test func `what was told before a reboot is told again, and after a restart it is not`() throws {
    let (_, log) = try ScriptRun(
      """
      reach.on{ name = "mount", target = reach.internet,
        reachable = function(e) print("mount", e.was, e.cause) end }
      """)(
        """
        cat > boot <<'END'
        mount --bind "$1" /proc/sys/kernel/random/boot_id
        exec "${@:2}"
        END
        echo 11111111-2222-4333-8444-555555555555 > first
        echo 66666666-7777-4888-9999-aaaaaaaaaaaa > second
        start bash boot first; await logged 'mount: reachable: finished'; stop
        start bash boot first; await times 2 logged 'internet: reachable'; sleep 0.3; stop
        start bash boot second; await times 2 logged 'mount: reachable: finished'; stop
        """)
    #expect(prints(log) == ["mount\tunknown\trestart", "mount\tunknown\trestart"])
  }

  @Test func `a command gets SIGTERM, though the daemon was started with signals blocked`() throws {
    let run = try ScriptRun(
      """
      reach.on{ target = reach.internet, change = function()
        local r = reach.run{ "sh", "-c",
          "trap 'echo ended; exit 7' TERM; grep SigBlk /proc/self/status; sleep 30 & wait",
          timeout = "500ms" }
        print("code", r.code, r.timed_out, (r.stdout:gsub("%s+", " ")))
      end }
      """)
    let (_, log) = try run(
      """
      cat > blocked.py <<'END'
      import os, signal, sys
      signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
      os.execvp(sys.argv[1], sys.argv[1:])
      END
      start python3 blocked.py; await logged code; stop
      """)
    #expect(prints(log) == ["code\t7\ttrue\tSigBlk: 0000000000000000 ended "])
  }
}

import Posix
import TestSupport
import Testing

/// What scripts keep and what their hooks were told, over ends of the daemon.
@Suite(.serialized) struct Lasting {
  /// The lines that a hook printed.
  private func prints(_ folder: TemporaryFolder) -> [String] {
    folder.read("log").split(separator: "\n").filter { $0.hasPrefix("20") && $0.contains("\t") }
      .map { String($0.split(separator: ": ", maxSplits: 1)[1]) }
  }

  @Test func `a restart tells what has changed, and the store is as it was left`() throws {
    let (result, folder) = try Ports.run(
      """
      reach.on{ target = \(Ports.target("nas", "PORT")), change = function(e)
        local store = reach.store
        store.count = (store.count or 0) + 1
        store.list = store.list or { first = e.status }
        print(e.was, e.status, e.cause, e.initial, e.retried, store.count, store.list.first)
      end }
      """,
      """
      open $PORT; start; until_log 1 'finished'; end
      start 2; until_log 2 'nas: reachable via'; sleep 0.3; end; close $PORT
      start 3; until_log 2 'finished'; stop
      """)
    #expect(result.output == "")
    #expect(
      prints(folder) == [
        "unknown\treachable\trestart\ttrue\tfalse\t1\treachable",
        "reachable\tunreachable\trestart\ttrue\tfalse\t2\treachable",
      ])
  }

  @Test func `a run that a crash broke off is told again, and what it kept before is kept`()
    throws
  {
    let (result, folder) = try Ports.run(
      """
      reach.on{ target = \(Ports.target("nas", "PORT")), initial = false, change = function(e)
        reach.store.begun = (reach.store.begun or 0) + 1
        print(e.was, e.status, e.initial, e.retried, reach.store.begun)
        reach.sleep(reach.store.begun == 1 and "30s" or "10ms")
        reach.store.ended = true
      end }
      """,
      """
      open $PORT; start; until_log 1 'nas: reachable'; close $PORT; until_log 1 'reachable.unreach'
      sleep 0.2; kill -9 $REACH_PID; wait $REACH_PID 2>/dev/null
      start 2; until_log 1 'finished'; stop
      python3 -c '
      import sqlite3
      for row in sqlite3.connect("state/state.db").execute("SELECT script, value FROM store"): print(*row)'
      """)
    #expect(result.output == "hook {\"begun\":2,\"ended\":true}\n")
    #expect(
      prints(folder) == [
        "reachable\tunreachable\tfalse\tfalse\t1", "reachable\tunreachable\ttrue\ttrue\t2",
      ])
  }

  @Test func `the store is written before a command begins`() throws {
    let (result, _) = try Ports.run(
      """
      reach.on{ target = \(Ports.target("nas", "PORT")), unreachable = function(e)
        reach.store.text = "before"
        local run = reach.run{ "python3", "-c",
          "import sqlite3; print(sqlite3.connect('state/state.db').execute("
          .. "'SELECT value FROM store').fetchall())" }
        reach.write{ path = "found", text = run.stdout }
      end }
      """,
      """
      start; until_log 1 'finished'; stop; cat found
      """)
    #expect(result.output == "[('{\"text\":\"before\"}',)]\n")
  }

  @Test func `what no handler matches outlives a crash as well`() throws {
    let (result, folder) = try Ports.run(
      """
      reach.on{ target = \(Ports.target("nas", "PORT")), stable = "200ms",
        unreachable = function(e) print(e.was, e.status, e.retried) end }
      """,
      """
      start; until_log 1 'finished'; open $PORT; until_log 1 'nas: reachable'; sleep 1
      kill -9 $REACH_PID; wait $REACH_PID 2>/dev/null; close $PORT
      start 2; until_log 2 'finished'; stop
      """)
    #expect(result.output == "")
    #expect(
      prints(folder) == ["unknown\tunreachable\tfalse", "reachable\tunreachable\tfalse"])
  }

  @Test func `a run past its deadline counts as told, and its command keeps no daemon`() throws {
    let (result, folder) = try Ports.run(
      """
      reach.on{ target = \(Ports.target("nas", "PORT")), deadline = "300ms",
        unreachable = function(e)
          print(e.was, e.status, e.retried)
          reach.run{ "sh", "-c", "trap '' TERM; touch begun; sleep 60" }
        end }
      """,
      """
      start; until_log 1 'cancelled: the deadline'; [ -e begun ] || echo "not begun"
      begin=$SECONDS; end; [ $((SECONDS - begin)) -lt 9 ] || echo "took $((SECONDS - begin)) s"
      start 2; until_log 2 'nas: unreachable'; sleep 0.5; stop
      """)
    #expect(result.output == "")
    #expect(prints(folder) == ["unknown\tunreachable\tfalse"])
  }

  @Test func `after a kill nothing begins anew before what the others started has ended`() throws {
    let (result, folder) = try Ports.run(
      """
      local nas = \(Ports.target("nas", "PORT"))
      reach.on{ name = "job", target = nas, unreachable = function(e)
        local old = reach.run{ "sh", "-c", "[ -e pid ] && kill -0 $(cat pid) && echo alive; true" }
        print(e.was, e.status, e.retried, old.stdout)
        reach.run{ "sh", "-c", "trap '' TERM; echo $$ >pid; exec sleep 60" }
      end }
      reach.on{ name = "loop", target = nas, unreachable = function(e)
        reach.sleep("500ms"); while true do end
      end }
      """,
      """
      start; until_log 1 'rests for'; "$REACH" enable hook --socket "$STATE/control"
      until_log 2 'unknown.unreachable'; stop
      """)
    #expect(result.output == "loaded 2 hooks from hook.lua\n")
    #expect(
      prints(folder) == ["unknown\tunreachable\tfalse\t", "unknown\tunreachable\ttrue\t"])
  }

  @Test func `what cannot be stored is an error at the next wait, and at the end`() throws {
    let (_, folder) = try Ports.run(
      """
      print("load", select(2, pcall(function() return reach.store end)))
      reach.on{ target = \(Ports.target("nas", "PORT")), unreachable = function(e)
        print("swap", select(2, pcall(function() reach.store = {} end)))
        reach.store.a = { 1, { cb = print } }
        print("wait", select(2, pcall(reach.sleep, 0)))
        reach.store.a = nil
        print("wait", pcall(reach.sleep, 0))
        reach.store.me = reach.store
      end }
      """,
      """
      start; until_log 1 'failed'; stop
      """)
    #expect(
      prints(folder) == [
        "load\thook.lua:1: reach.store is for handlers; it cannot be used while the script is "
          + "loaded",
        "swap\thook.lua:4: reach is read-only",
        "wait\tstore.a[2].cb: functions cannot be stored", "wait\ttrue",
      ])
    #expect(folder.read("log").contains("failed: store: table too deep (more than 16 levels)"))
  }

  @Test func `after a crash at any moment every hook is told the last truth, twice only if marked`()
    throws
  {
    let folder = try TemporaryFolder()
    let kills = Program.environment("REACH_KILLS") ?? "8"
    let result = try Reach.shell(
      "python3 '\(Reach.package)/Tests/Support/crashes.py' \"$REACH\" \(kills)", in: folder.path,
      timeout: .seconds(600))
    #expect(result.output.hasPrefix("\(kills) kills, "), "\(result.output)")
    #expect(result.output.hasSuffix(" 0 faults\n"))
    #expect(result.errors == "")
  }
}

import TestSupport
import Testing

/// What becomes of scripts that use too much, with a real daemon.
@Suite(.serialized) struct Limits {
  private let prelude = """
    set -u; STATE=$PWD/state; mkdir "$STATE"
    until_log() {
      for i in $(seq 1200); do
        [ "$(grep -c -- "$2" log)" -ge $1 ] && return; sleep 0.025
      done
      echo "no \\"$2\\" in"; cat log
    }
    start() {
      "$REACH" run --state-dir "$STATE" --socket "$STATE/control" scripts 2>>log & REACH_PID=$!
    }
    status() { "$REACH" status "$@" --socket "$STATE/control"; }
    stop() { kill $REACH_PID; wait $REACH_PID; }
    # The names of the scripts that execute; without a space before it, a name is a former one's.
    executing() { tail -c +577 "$STATE/marker" | head -c 512 | tr -d '\\0' | tr -c 'a-z' ' '; }

    """

  private func run(
    _ scripts: KeyValuePairs<String, String>, _ script: String
  ) throws -> (Reach.Result, TemporaryFolder) {
    let folder = try TemporaryFolder()
    for (name, text) in scripts { try folder.write("scripts/\(name).lua", text) }
    return (try Reach.shell(prelude + script, in: folder.path), folder)
  }

  private let burn = """
    local function burn(seconds)
      local n = 0
      local begin = os.clock()
      while os.clock() - begin < seconds do for i = 1, 10000 do n = n + i end end
    end

    """

  @Test
  func `a script that has used a second of ten sits out the rest, loses nothing, and others go on`()
    throws
  {
    let (result, folder) = try run(
      [
        "hog": burn + """
          reach.after("100ms", function()
            for i = 1, 12 do burn(0.15); reach.sleep("1ms"); print("burnt", i) end
          end)
          """,
        "other": "reach.every('500ms', function() print('beat') end)",
      ],
      """
      start; until_log 1 'hog: has used 1s'; status | head -1
      status --json | grep -o '"script":"hog"[^}]*"sits_out":[a-z]*'
      beats=$(grep -c beat log); until_log $((beats + 6)) beat
      grep -c 'burnt.12' log; until_log 1 'burnt.12'; stop; grep -o 'burnt.*' log
      """)
    let lines = result.output.split(separator: "\n")
    try #require(lines.count == 15, "\(result.output) \(folder.read("log"))")
    #expect(lines[0].hasPrefix("scripts/hog.lua: waits for "))
    #expect(lines[1].hasSuffix("\"sits_out\":true"))
    #expect(lines[2] == "0")
    #expect(lines[3...].map(String.init) == (1...12).map { "burnt\t\($0)" })
    let said = folder.read("log").split(separator: "\n").filter { $0.contains("has used 1s") }
    #expect(said.count == 1)
    #expect(said[0].contains("of processor time within 10s: waits for "))
  }

  @Test func `a second too many lines are dropped, and their number is said`() throws {
    let (_, folder) = try run(
      [
        "talk": """
        reach.after("100ms", function()
          for i = 1, 100 do reach.log.info("line %d", i) end
        end)
        """,
        "other": "reach.after('100ms', function() print('short') end)",
      ],
      "start; until_log 1 'were dropped'; until_log 1 short; stop")
    let log = folder.read("log").split(separator: "\n").map { String($0.dropFirst(20)) }
    #expect(
      log.filter { $0.contains("line ") }
        == (1...20).map { "info  talk/after 100ms: line \($0)" })
    #expect(
      log.contains("warn  talk: 80 lines were dropped: a script may log 20 lines a second"))
  }

  @Test func `two lives of the daemon that end inside of a script quarantine it`() throws {
    let (result, folder) = try run(
      [
        "hog": burn + "reach.every('100ms', function() burn(0.2) end)",
        "other": "reach.every('500ms', function() print('beat') end)",
      ],
      """
      die() {
        for i in $(seq 2000); do
          kill -STOP $REACH_PID
          while grep -q '^State:.[^T]' /proc/$REACH_PID/task/*/status; do :; done
          case "$(executing)" in *" hog"*) break;; esac
          kill -CONT $REACH_PID; sleep 0.01
        done
        kill -KILL $REACH_PID; wait $REACH_PID 2>/dev/null
      }
      start; until_log 1 'loaded 0 hooks from scripts/hog'; die
      start; until_log 1 'hog: the daemon ended while'; until_log 2 'loaded 0 hooks from scripts/hog'
      die; start; until_log 1 'hog: quarantined'; until_log 3 'loaded 0 hooks from scripts/other'
      beats=$(grep -c beat log); until_log $((beats + 2)) beat
      status | head -1 | sed 's/since .*: /since: /'
      status --json | grep -o '"quarantined":"[^"]*"'
      grep -c 'loaded 0 hooks from scripts/hog' log; stop
      start; until_log 4 'loaded 0 hooks from scripts/other'
      status | head -1 | sed 's/since .*: /since: /'; stop; grep -c 'while this script' log
      echo '-- another text' >>scripts/hog.lua
      start; until_log 3 'loaded 0 hooks from scripts/hog'; stop
      grep -o 'hog: no longer.*' log
      """)
    #expect(
      result.output == """
        scripts/hog.lua: quarantined since: the daemon ended twice in a row while it was executing
        "quarantined":"the daemon ended twice in a row while it was executing"
        2
        scripts/hog.lua: quarantined since: the daemon ended twice in a row while it was executing
        1
        hog: no longer quarantined: its file has changed

        """, "\(folder.read("log"))")
  }

  @Test func `a hook that keeps failing stays slow over a restart, until its file changes`() throws
  {
    let (result, folder) = try run(
      [
        "bad": """
        reach.on{ target = reach.target{ address = "127.0.0.1", name = "self", route = true },
          again = "100ms", initial = true,
          reachable = function(e) error("no " .. e.again) end }
        """
      ],
      """
      start; until_log 1 'bad/self: failed 5 times in a row'
      status | sed -n 's/.*\\(slowed down by 5 failures until\\) .*/\\1/p'; stop
      start; until_log 2 'loaded 1 hook'; status --json | grep -o '"failures":[0-9]*'
      sleep 1; stop; grep -c 'failed: ' log
      echo '-- another text' >>scripts/bad.lua
      start; until_log 2 'bad/self: failed 5 times in a row'; stop; grep -c 'failed: ' log
      """)
    #expect(
      result.output == """
        slowed down by 5 failures until
        "failures":5
        5
        10

        """, "\(folder.read("log"))")
  }

  @Test func `a daemon that is ended as it should be leaves nothing to judge`() throws {
    let (result, folder) = try run(
      ["hog": burn + "reach.every('100ms', function() burn(0.15) end)"],
      """
      for life in 1 2 3; do start; until_log $life 'loaded 0 hooks'; sleep 0.3; stop; done
      # A second signal ends it at once, in the middle of a script or not.
      for life in 4 5 6; do
        start; until_log $life 'loaded 0 hooks'; sleep 0.3
        kill $REACH_PID; kill $REACH_PID; wait $REACH_PID
      done
      start; until_log 7 'loaded 0 hooks'; stop
      """)
    #expect(result.output == "")
    #expect(!folder.read("log").contains("the daemon ended"))
  }

  @Test func `systemd hears of the start, a reload and the end, and that everything lives`() throws
  {
    let (result, _) = try run(
      ["a": "reach.every('1h', function() end)"],
      """
      cat >listen.py <<'end'
      import os, socket, sys
      s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      s.bind("\\0" + sys.argv[1])
      print("listening", flush=True)
      while True: print(s.recv(4096).decode().replace("\\n", " "), flush=True)
      end
      heard() { for i in $(seq 400); do grep -q -- "$1" heard && return; sleep 0.025; done; echo "not $1"; }
      python3 listen.py "reach-$$" >heard & LISTENER=$!
      heard listening
      export NOTIFY_SOCKET="@reach-$$" WATCHDOG_USEC=200000
      "$REACH" run --state-dir "$STATE" --socket "$STATE/control" scripts 2>log & REACH_PID=$!
      heard READY=1; heard WATCHDOG=1; kill -HUP $REACH_PID; heard RELOADING=1
      until [ "$(grep -c READY=1 heard)" = 2 ]; do sleep 0.025; done
      stop; heard STOPPING=1; kill $LISTENER; wait $LISTENER 2>/dev/null
      grep -v -e WATCHDOG -e listening heard | sed 's/USEC=[0-9]*/USEC=N/'
      """)
    #expect(
      result.output == """
        READY=1 STATUS=1 script with 0 hooks
        RELOADING=1 MONOTONIC_USEC=N STATUS=1 script with 0 hooks
        READY=1 STATUS=1 script with 0 hooks
        STOPPING=1 STATUS=1 script with 0 hooks

        """)
  }

  @Test func `without a watchdog to feed a daemon with nothing to do does not wake up`() throws {
    let (result, _) = try run(
      ["a": "reach.every('1h', function() end)"],
      """
      switches() { awk '/^voluntary/ { n += $2 } END { print n }' /proc/$REACH_PID/task/*/status; }
      # Changes of the kernel's, which others may make, wake it up at times.
      sleeps() {
        for i in $(seq 20); do
          before=$(switches); sleep 0.5
          [ $before = $(switches) ] && return
        done
        return 1
      }
      start; until_log 1 'loaded 0 hooks'; sleeps && echo sleeps; stop
      export NOTIFY_SOCKET="$PWD/nobody" WATCHDOG_USEC=200000
      start; until_log 2 'loaded 0 hooks'; sleeps || echo is fed; stop
      """)
    // ThreadSanitizer has a thread of its own, which looks around ten times a second.
    #expect(result.output == (withholdsSignals ? "is fed\n" : "sleeps\nis fed\n"))
  }
}

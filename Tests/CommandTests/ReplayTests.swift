import TestSupport
import Testing

/// `reach replay`, as a user runs it.
@Suite struct ReplayCommandLine {
  /// Prints `HANDLERS STATUS WAS VIA INITIAL` of each call.
  private static let calls = """
    import json, sys
    for line in sys.stdin:
        line = json.loads(line)
        if line["kind"] == "call":
            e = line["event"]
            print(line["hook"], e["status"], e["was"], e["via"], str(e["initial"]).lower())
    """

  @Test func `a recording of a real run makes the calls again that the run has made`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "t.lua",
      """
      local function hook(name, target, options)
        options.name, options.target = name, target
        options.change = function(e)
          reach.write{ path = "calls-" .. name, append = true, text = string.format(
            "t/%s %s %s %s %s\\n", name, e.status, e.was, e.via or "None", e.initial) }
        end
        reach.on(options)
      end
      local peer = reach.target{ address = "192.0.2.1", route = true, name = "peer" }
      local both = reach.all{ peer, reach.internet }
      hook("prompt", reach.internet, {})
      hook("stable", reach.internet, { stable = "1s" })
      hook("both", both, { stable = { reachable = "500ms" } })
      hook("given", peer, { given = reach.internet })
      """)
    let namespace = try Namespace()
    let result = try namespace.shell(
      """
      $IN "$REACH" record recording.txt t.lua 2>> log & RECORD=$!
      await test -s recording.txt
      $IN "$REACH" run --state-dir "$STATE" --socket "$STATE/control" t.lua 2>> log & RUN=$!
      await begun $RUN
      await grep -q reachable calls-stable
      $A link set eth0 down; await grep -q unreachable calls-stable
      calls() { [ "$(wc -l < calls-$1)" = $2 ]; }
      $A link set eth0 up; $A route add default via 192.0.2.1; await calls stable 3
      # Shorter than stable, unless the machine is busy; that hook is told then, now and again.
      $A route del default; await calls prompt 4; $A route add default via 192.0.2.1
      await calls both 5
      kill -TERM $RUN $RECORD; wait $RUN $RECORD
      "$REACH" replay --json --for 2s recording.txt t.lua > replay 2>> log
      for name in prompt stable both given; do
        python3 -c '\(Self.calls)' < replay | grep "^t/$name " > again || true
        diff "calls-$name" again || cat recording.txt
      done
      wc -l < calls-prompt
      """, in: folder.path)
    #expect(result.output == "5\n", "\(result.output)\(result.errors)\(folder.read("log"))")
  }

  @Test(arguments: [
    "boot", "flapping-dsl", "hotel-portal", "sleep-resume", "train-ride", "vpn-over-both",
  ]) func `each timeline that ships is followed by the hooks that ship`(name: String) throws {
    let result = try Reach.run("replay", "examples/timelines/\(name).txt", "hooks")
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.output.contains(" called: "), "\(result.output)")
    let json = try Reach.shell(
      "\"$REACH\" replay --json examples/timelines/\(name).txt hooks | python3 -c '\(Self.calls)'")
    #expect(
      json.output.split(separator: "\n").count
        == result.output.split(separator: "\n").count { $0.contains(" called: ") })
  }

  @Test func `what a timeline and hooks do not share is said`() throws {
    let folder = try TemporaryFolder()
    try folder.write("t.txt", "0 nass reachable")
    try folder.write(
      "t.lua",
      "reach.on{ target = reach.target{ host = 'nas.lan', name = 'nas', tcp = 22 }, change = print }"
    )
    let result = try Reach.run("replay", "t.txt", "t.lua", in: folder.path)
    #expect(
      result.errors == """
        reach replay: no hook has a target "nass"; did you mean "nas"?
        reach replay: not in the timeline, and so unknown: nas

        """)
    #expect((result.code, result.output) == (0, ""))
  }

  @Test func `what cannot be read or loaded is an error with its place`() throws {
    let folder = try TemporaryFolder()
    try folder.write("t.txt", "0 internet reachabel")
    try folder.write("bad.lua", "reach.on{ target = reach.internet, reachabel = print }")
    try folder.write("good.txt", "0 internet reachable")
    let timeline = try Reach.run("replay", "t.txt", "bad.lua", in: folder.path)
    #expect(timeline.code == 2)
    #expect(timeline.errors.hasPrefix("reach replay: t.txt:1: "), "\(timeline.errors)")
    let script = try Reach.run("replay", "good.txt", "bad.lua", in: folder.path)
    #expect(script.code == 1)
    #expect(script.errors.hasPrefix("reach replay: bad.lua:1: "), "\(script.errors)")
    try folder.write("empty/lib/a.lua", "")
    for (words, message) in [
      ("", "name a timeline, as in reach replay train-ride.txt hooks"),
      ("good.txt", "name hooks, too, as in reach replay good.txt greet.lua"),
      (
        "good.lua good.txt",
        "good.lua is a script; the timeline goes first: reach replay train-ride.txt good.lua"
      ),
      ("nothing.txt bad.lua", "open nothing.txt: No such file or directory"),
      (". bad.lua", "read .: Is a directory"),
      ("good.txt missing.lua", "open \(folder.path)/missing.lua: No such file or directory"),
      ("good.txt empty", "no script in empty"),
    ] {
      let result = try Reach.shell("exec \"$REACH\" replay \(words)", in: folder.path)
      #expect((result.code, result.errors) == (2, "reach replay: \(message)\n"))
    }
  }
}

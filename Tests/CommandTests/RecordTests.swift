import Hooks
import Posix
import Reachability
import TestSupport
import Testing

@Suite struct Records {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "a.lua",
      """
      local absent = reach.target{ interface = "absent0", name = "my line" }
      reach.on{ target = reach.any{ absent, reach.target{ interface = "absent1" } }, change = print }
      """)
  }

  private func record(_ words: String) throws -> Reach.Result {
    try Reach.shell("exec \"$REACH\" record \(words)", in: folder.path)
  }

  /// Records until a script succeeds, and ends it as a user would.
  private func record(_ words: String, until script: String) throws -> Reach.Result {
    try Reach.shell(
      """
      "$REACH" record \(words) & PID=$!
      for i in $(seq 200); do if \(script); then break; fi; sleep 0.05; done
      kill -TERM $PID; wait $PID
      """, in: folder.path)
  }

  private func timeline(_ text: String) throws -> Timeline {
    try Timeline(parsing: Array(text.utf8), named: "t.txt")
  }

  @Test func `what happens to the targets of hooks is written, and no hook is run`() throws {
    try folder.write(
      "b.lua", "reach.on{ target = reach.local_wifi, initial = true, change = error }")
    let result = try record(
      "today.txt a.lua b.lua", until: "[ \"$(grep -cs '^0 ' today.txt)\" = 3 ]")
    #expect((result.code, result.output, result.errors) == (0, "", ""))
    let text = folder.read("today.txt")
    #expect(
      text.hasPrefix(
        """
        # Recorded by reach 0.1.0, of these targets of hooks:
        #   my line = interface:absent0
        #   interface:absent1
        #   local_wifi
        # They make up these:
        #   any(my line, interface:absent1)
        @start 20
        """), "\(text)")
    let moments = try timeline(text).moments
    #expect(moments.first?.time == .zero)
    #expect(moments.first?.changes.map(\.target) == ["my line", "interface:absent1", "local_wifi"])
    #expect(text.contains("\n0 \"my line\" unreachable reason=interface-missing\n"))
  }

  @Test func `a minus stands for standard output`() throws {
    let result = try record("- a.lua > out", until: "[ \"$(grep -cs '^0 ' out)\" = 2 ]")
    #expect((result.code, result.errors) == (0, ""))
    #expect(try timeline(folder.read("out")).targets == ["my line", "interface:absent1"])
    #expect(folder.read("-") == "")
  }

  @Test func `what a file holds is replaced only if that is said`() throws {
    try folder.write("today.txt", "yesterday")
    let refused = try record("today.txt --for 100ms a.lua")
    #expect(refused.code == 2)
    #expect(refused.errors == "reach record: today.txt holds something; --force replaces it\n")
    #expect(folder.read("today.txt") == "yesterday")
    let replaced = try record(
      "today.txt --force a.lua", until: "grep -q '^0 \"my line\"' today.txt")
    #expect(replaced.code == 0)
    #expect(try timeline(folder.read("today.txt")).targets.contains("my line"))
  }

  @Test func `one name for two subjects is an error that names both`() throws {
    try folder.write("b.lua", #"reach.target{ address = "192.0.2.9", tcp = 22, name = "my line" }"#)
    let result = try record("today.txt .")
    #expect(result.code == 2)
    #expect(
      result.errors
        == "reach record: \"my line\" is interface:absent0 in ./a.lua and 192.0.2.9, TCP "
        + "port 22 in ./b.lua; a timeline tells targets by name, so give one of them another\n")
    #expect(folder.read("today.txt") == "")
  }

  @Test func `one target with two paces of its probe is recorded by the first, with a warning`()
    throws
  {
    for (name, fall) in [("b", 1), ("c", 2)] {
      try folder.write(
        "\(name).lua",
        #"reach.target{ interface = "absent0", tcp = "192.0.2.9:22", fall = \#(fall), name = "x" }"#
      )
    }
    let result = try record("today.txt b.lua c.lua", until: "grep -qs '^0 x' today.txt")
    #expect(result.code == 0)
    #expect(
      result.errors == "reach record: warning: \"x\" is probed and counted as in b.lua, not as in "
        + "c.lua\n")
    #expect(try timeline(folder.read("today.txt")).targets == ["x"])
  }

  @Test func `a script with a fault is named, and nothing is recorded`() throws {
    try folder.write("b.lua", "\nreach.on{ target = reach.internt }")
    let result = try record("today.txt .")
    #expect(result.code == 1)
    #expect(
      result.errors
        == "reach record: ./b.lua:2: reach has no \"internt\"; did you mean \"internet\"?\n")
    #expect(try Reach.shell("ls", in: folder.path).output == "a.lua\nb.lua\n")
  }

  @Test(arguments: [
    ("", "no file given; try: reach record today.txt"),
    (
      "a.lua",
      "a.lua is a script; what is written goes first: reach record today.txt a.lua"
    ),
    ("today.txt empty.lua", "no hook uses a target in empty.lua"),
    ("today.txt empty", "no script in empty"),
    ("today.txt /nowhere", "open /nowhere: No such file or directory"),
    ("/nowhere/today.txt a.lua", "open /nowhere/today.txt: No such file or directory"),
    ("today.txt --for soon a.lua", "--for: \"soon\" is not a duration; try 250ms, 10s or 1m30s"),
    ("today.txt --forse a.lua", "unknown option --forse; did you mean --force?"),
  ])
  func `bad usage is one line`(words: String, message: String) throws {
    try folder.write("empty.lua", "print 'nothing'")
    try folder.write("empty/lib/a.lua", "")
    let result = try record(words)
    #expect((result.code, result.errors) == (2, "reach record: \(message)\n"))
  }

  @Test func `a time ends it`() throws {
    let result = try record("today.txt --for 10ms a.lua")
    #expect((result.code, result.output, result.errors) == (0, "", ""))
    #expect(folder.read("today.txt").hasPrefix("# Recorded by reach"))
  }

  @Test(arguments: ["INT", "TERM"])
  func `a signal ends it, and the file is whole`(signal: String) throws {
    let result = try Reach.shell(
      """
      "$REACH" record today.txt a.lua & PID=$!
      for i in $(seq 200); do grep -qs absent1.*missing today.txt && break; sleep 0.05; done
      kill -\(signal) $PID; wait $PID
      """, in: folder.path)
    #expect((result.code, result.errors) == (0, ""))
    #expect(try timeline(folder.read("today.txt")).targets.count == 2)
  }

  @Test func `a full disk ends it with what was whole`() throws {
    let result = try Reach.shell(
      """
      mkdir full
      exec unshare --mount sh -c '
        mount -t tmpfs -o size=4k tmpfs full && head -c 4096 /dev/zero >full/rest
        "$REACH" record full/today.txt a.lua; code=$?
        cat full/today.txt; exit $code'
      """, in: folder.path)
    #expect(result.code == 2)
    #expect(result.errors == "reach record: write full/today.txt: No space left on device\n")
    #expect(result.output == "")
  }
}

/// With real links, whose changes the kernel tells once a second for the whole machine.
@Suite(.serialized) struct RecordsOfLinks {
  @Test func `each transition is written as it happens, and a kill leaves what was written`() throws
  {
    let namespace = try Namespace()
    let folder = try TemporaryFolder()
    try folder.write("a.lua", "reach.on{ target = reach.internet, change = print }")
    let result = try namespace.shell(
      """
      $IN "$REACH" record today.txt a.lua & PID=$!
      holds() { [ "$(grep -c "$1" today.txt)" = $2 ]; }
      await holds 'internet reachable' 1
      sleep 1; $A link set eth0 down; await holds 'internet unreachable' 1
      $A link set eth0 up; $A route add default via 192.0.2.1; await holds 'internet reachable' 2
      kill -KILL $PID; wait $PID || true
      """, in: folder.path)
    #expect((result.code, result.output) == (0, ""))
    let moments = try Timeline(
      parsing: Array(folder.read("today.txt").utf8), named: "today.txt"
    ).moments
    #expect(moments.map(\.changes.count) == [1, 1, 1])
    let verdicts = moments.flatMap(\.changes).map(\.verdict)
    #expect(verdicts.map(\.status) == [.reachable, .unreachable, .reachable])
    #expect(verdicts[0].via == .wired)
    #expect(verdicts[0].path.interface == "eth0")
    #expect(verdicts[0].path.gateway?.description == "192.0.2.1")
    #expect(verdicts[0].path.flags == .reachable)
    #expect(verdicts[1].reason == .linkDown)
    #expect(moments[0].time == .zero)
    #expect((1.0..<11).contains(moments[1].time.seconds))
  }

  @Test func `a target that cannot be judged here is warned of`() throws {
    let namespace = try Namespace()
    let folder = try TemporaryFolder()
    try folder.write("a.lua", "reach.target{ address = '192.0.2.1', icmp = true, name = 'router' }")
    let result = try namespace.shell(
      """
      $IN sysctl -qw net.ipv4.ping_group_range='1 0'
      $IN "$REACH" record today.txt --for 100ms a.lua
      """, in: folder.path)
    #expect(result.code == 0)
    #expect(
      result.errors.hasPrefix("reach record: warning: a.lua:1: reach.target \"router\": "),
      "\(result.errors)")
    #expect(result.errors.contains("ping_group_range"))
  }
}

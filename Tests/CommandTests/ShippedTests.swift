import TestSupport
import Testing

/// The examples and what the documents show are run as they ship.
@Suite(.serialized) struct Shipped {
  @Test func `back-up-to-nas backs up by cable and says when it cannot`() throws {
    let run = try ScriptRun(shipped: "examples/back-up-to-nas.lua")
    let (calls, log) = try run(
      "start; await called 'rsync'; $A link set eth0 down; await logged 'no backup'; stop")
    #expect(calls == ["rsync -a /home rsync://192.0.2.7"])
    #expect(log.contains("info  back-up-to-nas/back-up: backed up to 192.0.2.7 from 192.0.2.2"))
    #expect(log.contains("warn  back-up-to-nas/back-up: no backup to nas: link-down"))
  }

  @Test func `choose-mirror chooses the first that is reachable`() throws {
    let run = try ScriptRun(shipped: "examples/choose-mirror.lua")
    let (_, log) = try run(
      """
      start; await times 2 logged 'reachable: finished'
      $A route add unreachable 192.0.2.7; await logged 'mirror: 198.51.100.7'
      $A link set eth0 down; await logged 'mirror: none'; stop
      """)
    let told = log.filter { $0.contains(": mirror: ") }.map { $0.split(separator: ": ").last }
    #expect(told == ["192.0.2.7", "198.51.100.7", "none"])
  }

  @Test func `the Swift example prints what happens`() throws {
    let namespace = try Namespace()
    let example = Reach.path.split(separator: "/").dropLast().joined(separator: "/")
    let result = try namespace.shell(
      """
      $IN stdbuf -oL /\(example)/watch-internet 192.0.2.7 & PID=$!
      sleep 0.5; $A link set eth0 down; sleep 0.5; kill $PID; wait $PID || true
      """)
    // The two targets are told of by tasks of their own.
    let lines = result.output.split(separator: "\n")
    #expect(
      lines.prefix(2).sorted() == [
        "192.0.2.7 is reachable via wired", "internet is reachable via wired",
      ])
    #expect(
      lines.dropFirst(2).sorted() == [
        "192.0.2.7 is unreachable: link-down", "internet is unreachable: link-down",
      ])
  }

  @Test func `the table of shipped hooks lists the folder`() throws {
    let result = try Reach.shell(
      """
      diff <(cd hooks; ls *.lua | grep -v _test.lua) <(grep -o '^| \\[[a-z-]*.lua' hooks/README.md | cut -c4-)
      """)
    #expect(result.output == "")
  }

  @Test func `every shipped hook and every example has a spec`() throws {
    let result = try Reach.shell(
      """
      for hook in $(ls hooks/*.lua examples/*.lua | grep -v _test.lua); do
        [ -s "${hook%.lua}_test.lua" ] || echo "$hook"
      done
      """)
    #expect(result.output == "")
  }

  @Test func `every script in the README loads`() throws {
    let folder = try TemporaryFolder()
    let result = try Reach.shell(
      """
      awk '/^```lua$/ { name = "block" ++count ".lua"; next } /^```$/ { name = "" }
        name { print > name }' \(Reach.package)/README.md
      ls; "$REACH" check $(grep -L '^describe(' *.lua) > /dev/null
      """, in: folder.path)
    #expect(result.output.hasPrefix("block1.lua\nblock2.lua\n"))
    #expect(result.code == 0, "\(result.errors)")
  }

  @Test(arguments: [("0s", false), ("10s", true)])
  func `the README's spec tells a hook that waits from one that does not, as the README says`(
    patience: String, passes: Bool
  ) throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "pause.lua",
      """
      reach.on{ target = reach.internet, stable = { reachable = "\(patience)" },
        unreachable = function() reach.run{ "systemctl", "stop", "backup.service" } end,
        reachable = function() reach.run{ "systemctl", "start", "backup.service" } end }
      """)
    let readme = "\(Reach.package)/README.md"
    let result = try Reach.shell(
      """
      sed -n '/^describe(/,/^```$/p' \(readme) | grep -v '^```' > pause_test.lua
      sed -n '/^not ok 1/,/^```$/p' \(readme) | grep -v '^```' > expected
      "$REACH" test | sed '1d; $d' > results; diff expected results
      """, in: folder.path)
    #expect((result.output == "") == !passes, "\(result.output)")
    #expect(folder.read("results").hasPrefix(passes ? "ok 1 - " : "not ok 1 - "))
  }

  @Test func `the README's hook prints what the README says`() throws {
    let folder = try TemporaryFolder()
    let namespace = try Namespace()
    let result = try namespace.shell(
      """
      sed -n '/^```lua$/,/^```$/{p; /^```$/q}' \(Reach.package)/README.md | grep -v '^```' > greet.lua
      sed -n '/^2026-/p' \(Reach.package)/README.md | cut -c21- > expected
      $IN "$REACH" run --state-dir "$STATE" --socket "$STATE/control" greet.lua 2> log & PID=$!
      await begun $PID
      sleep 2.5; $B link set b0 down; sleep 1.3; kill $PID; wait $PID
      diff expected <(cut -c21- log | sed 's/after [0-9]*ms/after 0s/')
      """, in: folder.path)
    #expect(result.output == "")
    #expect(result.code == 0)
  }
}

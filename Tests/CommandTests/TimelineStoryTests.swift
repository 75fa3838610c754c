import Testing

/// What the shipped timelines tell of the shipped hooks.
@Suite struct TimelineStories {
  /// Each line of what a script prints.
  private func lines(_ script: String) throws -> (output: Set<String>, errors: String) {
    let result = try Reach.shell("set -e -o pipefail\n" + script)
    #expect(result.code == 0)
    return (Set(result.output.split(separator: "\n").map(String.init)), result.errors)
  }

  @Test func `each shipped hook is called in one of them at least`() throws {
    let hooks = try lines(
      #"""
      "$REACH" check --json hooks | python3 -c '
      import json, sys
      for row in map(json.loads, sys.stdin):
          for hook in row["hooks"] if row["kind"] == "script" else []: print(row["script"] + "/" + hook["name"])'
      """#)
    let called = try lines(
      #"""
      for file in examples/timelines/*.txt; do
        "$REACH" replay --json $file hooks
      done | python3 -c '
      import json, sys
      for row in map(json.loads, sys.stdin):
          if row["kind"] == "call": print(row["hook"])'
      """#)
    #expect(hooks.output.count > 8)
    // A host of one's own is in no story.
    #expect(hooks.output.subtracting(called.output) == ["log-transitions/localhost"])
    #expect(!called.errors.contains("no hook has a target"))
  }

  @Test func `what the README shows of a replay is what comes`() throws {
    let shown = try Reach.shell(
      "sed -n '/^\\$ reach replay /,/^```/p' README.md | grep -v '^```'"
    ).output.split(separator: "\n")
    let command = try #require(shown.first).dropFirst("$ reach ".count)
    let result = try Reach.shell("exec \"$REACH\" \(command)")
    #expect(result.code == 0)
    // What goes before is left out there.
    #expect(shown.dropFirst().first == "…")
    #expect(result.output.contains(shown.dropFirst(2).joined(separator: "\n") + "\n"))
    #expect(shown.count > 6)
  }
}

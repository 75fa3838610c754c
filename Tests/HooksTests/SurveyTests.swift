import Glibc
import Posix
import TestSupport
import Testing

@testable import Hooks

@Suite struct Surveys {
  private let hook = "reach.on{ target = reach.internet, change = print }"

  /// What is found in some files, by place, code and message.
  private func survey(_ paths: [String], in folder: borrowing TemporaryFolder) throws -> [String] {
    let survey = try ScriptSurvey(paths.map { "\(folder.path)/\($0)" })
    let root = folder.path
    return survey.findings.map { finding in
      "\(finding.place) \(finding.code.rawValue) \(finding.message)".replacing("\(root)/", with: "")
    }
  }

  @Test func `a file that is refused is a fault, and the others go on`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.lua", "reach.on{")
    try folder.write("b.lua", hook, mode: 0o666)
    try folder.write("c.lua", String(repeating: " ", count: 4 << 20) + hook)
    symlink("nothing.lua", "\(folder.path)/d.lua")
    try folder.write("e.lua", "reach.on{ target = reach.internet, portal = print }")
    let rows = try survey([""], in: folder)
    #expect(
      rows == [
        "b.lua: unsafe writable by others, so not used; try: chmod go-w b.lua",
        "d.lua: unreadable open nothing.lua: No such file or directory",
        "a.lua:1: load-error unexpected symbol near <eof>",
        "c.lua: unreadable larger than 4 MiB",
        "e.lua:1: dead-hook reach.on \"internet\": it never runs: only a probe over plain http "
          + "meets a sign-in page, and \"internet\" has none",
      ])
  }

  @Test func `a path that is not to be trusted is a fault, and one that is not there an error`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write("a.lua", hook, mode: 0o666)
    try folder.write("b.lua", hook)
    let survey = try ScriptSurvey(["\(folder.path)/a.lua", "\(folder.path)/b.lua"])
    #expect(survey.findings.map(\.code) == [.unsafe])
    #expect(survey.findings.map(\.script) == ["a"])
    #expect(survey.checks.map(\.source.name) == ["b"])
    #expect(throws: ScriptError("open /nowhere: No such file or directory")) {
      try ScriptSurvey(["\(folder.path)/b.lua", "/nowhere"])
    }
  }

  @Test func `a second script of one name is a fault of its file`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.lua", hook)
    try folder.write("a/main.lua", hook)
    #expect(
      try survey([""], in: folder) == [
        "a.lua: name-taken a second script named \"a\"; the first is a/main.lua"
      ])
  }

  @Test func `a spec beside no hook that it could test is warned of`() throws {
    let folder = try TemporaryFolder()
    try folder.write("greet.lua", hook)
    try folder.write("vpn/main.lua", hook)
    try folder.write("greet_test.lua", "")
    try folder.write("vpn_test.lua", "")
    try folder.write("both_test.lua", "local t = reach.test 'greet'")
    try folder.write("path_test.lua", "local t = reach.test(\"vpn/main.lua\")")
    try folder.write("long_test.lua", "local t = reach.test [[vpn]]")
    try folder.write(".hidden_test.lua", "")
    try folder.write("gone_test.lua", "local t = reach.test 'gone'")
    try folder.write("lib/x_test.lua", "")
    let stray =
      "gone_test.lua: stray-spec there is no gone.lua beside it, nor gone/main.lua, nor does it "
      + "name another hook"
    #expect(try survey([""], in: folder) == [stray])
    #expect(try survey(["greet.lua"], in: folder) == [])
  }

  @Test func `rows are aligned and begin with file and line`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.lua", "\n\n\n\n\n\n\n\n\nreach.target{ host = 'n' } reach.on{ target = 1 }")
    try folder.write("b.lua", "reach.target{ host = 'n' }")
    let table = try ScriptSurvey([folder.path]).findings.table
    let advice =
      "without a probe a host that is switched off stays reachable; add one, such as tcp = 22, "
      + "or say that the route is enough: route = true"
    #expect(
      table.replacing("\(folder.path)/", with: "") == """
        a.lua:10:  fault    load-error   reach.on: "target" must be a target, such as \
        reach.internet, not 1
        b.lua:     warning  idle-script  declares no hook, timer or reach.defer: nothing of it is \
        ever called
        b.lua:1:   warning  no-probe     reach.target "n": \(advice)

        """)
  }

  @Test func `every code has its own word, and says what it stands for`() {
    let codes = ScriptFinding.Code.allCases
    #expect(Set(codes.map(\.summary)).count == codes.count)
    for code in codes {
      #expect(code.rawValue.utf8.allSatisfy { $0 == 0x2d || (0x61...0x7a).contains($0) })
    }
  }

  @Test(arguments: ["hooks", "examples"])
  func `the shipped hooks and the examples produce no finding`(folder: String) throws {
    let package = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let survey = try ScriptSurvey(["\(package)/\(folder)"])
    #expect(!survey.checks.isEmpty)
    #expect(survey.findings == [])
  }
}

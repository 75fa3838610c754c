import Glibc
import Posix
import TestSupport
import Testing

@testable import Hooks

@Suite struct Discoveries {
  @Test func `a folder gives its scripts and folders with main, and nothing else`() throws {
    let folder = try TemporaryFolder()
    for name in ["b.lua", "a.lua", "c/main.lua", ".hidden.lua", "lib/x.lua", "a_test.lua", "d.txt"]
    {
      try folder.write(name, "")
    }
    let discovery = try ScriptSource.discover([folder.path])
    #expect(discovery.sources.map(\.name) == ["a", "b", "c"])
    #expect(discovery.sources.last?.path == "\(folder.path)/c/main.lua")
    #expect(discovery.refusals.isEmpty)
  }

  @Test func `a spec among scripts is passed over, and one alone is named with its command`() throws
  {
    let folder = try TemporaryFolder()
    let script = try folder.write("a.lua", "")
    let spec = try folder.write("a_test.lua", "")
    #expect(try ScriptSource.discover([script, spec]).sources.map(\.path) == [script])
    let message = "\(spec): a spec, which is run by reach test \(spec)"
    #expect(throws: ScriptError(message)) { try ScriptSource.discover([spec]) }
    #expect(throws: ScriptError(message)) { try ScriptSurvey([spec]) }
  }

  @Test func `what editors know hooks by is no script`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.lua", "")
    for file in EditorFile.all { try folder.write(file.path, file.text) }
    #expect(try ScriptSource.discover([folder.path]).sources.map(\.name) == ["a"])
    let package = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let shipped = try ScriptSource.discover(["\(package)/hooks"])
    #expect(!shipped.sources.contains { $0.path.contains("types") } && shipped.refusals.isEmpty)
  }

  @Test func `a second script of a name is refused, and both are named`() throws {
    let folder = try TemporaryFolder()
    let first = try folder.write("one/pause.lua", "")
    let second = try folder.write("two/pause.lua", "")
    let discovery = try ScriptSource.discover([first, second])
    #expect(discovery.sources.map(\.path) == [first])
    #expect(
      discovery.refusals.map(\.description) == [
        "\(second): a second script named \"pause\"; the first is \(first)"
      ])
  }

  @Test func `a script whose name another one has taken is not there any more`() throws {
    let folder = try TemporaryFolder()
    let first = try folder.write("pause/main.lua", "")
    let second = try folder.write("pause.lua", "")
    let look = ScriptLook([folder.path], libraries: [])
    #expect(look.isThere(ScriptSource(name: "pause", path: first)))
    #expect(!look.isThere(ScriptSource(name: "pause", path: second)))
  }

  @Test func `a script that others can write is refused, and the others are found`() throws {
    let folder = try TemporaryFolder()
    try folder.write("good.lua", "")
    let bad = try folder.write("bad.lua", "", mode: 0o666)
    let discovery = try ScriptSource.discover([folder.path])
    #expect(discovery.sources.map(\.name) == ["good"])
    #expect(
      discovery.refusals.map(\.description) == [
        "\(bad): writable by others, so not used; try: chmod go-w \(bad)"
      ])
  }

  @Test func `a script in a folder that others can write is refused`() throws {
    let folder = try TemporaryFolder()
    let script = try folder.write("open/a.lua", "")
    chmod("\(folder.path)/open", 0o777)
    #expect(
      throws: ScriptError(
        "\(folder.path)/open: writable by others, so not used; try: chmod go-w \(folder.path)/open",
        cause: .unsafe)
    ) { try ScriptSource.discover([script]) }
  }

  @Test func `a script of another user is refused`() throws {
    let folder = try TemporaryFolder()
    let script = try folder.write("a.lua", "")
    try #require(chown(script, 12345, 0) == 0)
    #expect(
      throws: ScriptError(
        "\(script): owned by user 12345, so not used; try: chown \(Program.userID) \(script)",
        cause: .unsafe)
    ) { try ScriptSource.discover([script]) }
  }

  @Test func `a link is followed, and what it leads to is checked`() throws {
    let folder = try TemporaryFolder()
    let target = try folder.write("elsewhere/real.lua", "print 'x'")
    try FileDescriptor.makeFolders("\(folder.path)/hooks", mode: 0o755)
    symlink("../elsewhere/real.lua", "\(folder.path)/hooks/linked.lua")
    let discovery = try ScriptSource.discover(["\(folder.path)/hooks"])
    #expect(discovery.sources.map(\.name) == ["linked"])
    #expect(try discovery.sources.first?.read() == Array("print 'x'".utf8))
    chmod(target, 0o622)
    #expect(try ScriptSource.discover(["\(folder.path)/hooks"]).sources.isEmpty)
  }

  @Test func `links that lead in a circle end`() throws {
    let folder = try TemporaryFolder()
    symlink("b.lua", "\(folder.path)/a.lua")
    symlink("a.lua", "\(folder.path)/b.lua")
    #expect(
      throws: ScriptError("\(folder.path)/a.lua: too many levels of symbolic links")
    ) { try ScriptSource.discover(["\(folder.path)/a.lua"]) }
  }

  @Test func `a path that is not there is named`() throws {
    #expect(throws: ScriptError("open /nowhere: No such file or directory")) {
      try ScriptSource.discover(["/nowhere/x.lua"])
    }
  }
}

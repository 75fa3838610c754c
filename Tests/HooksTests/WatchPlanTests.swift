import Posix
import TestSupport
import Testing

@testable import Hooks

@Suite struct WatchPlans {
  /// What a plan says of paths where these links and files are, everything else being a folder.
  private func plan(
    _ path: String, links: [String: String] = [:], files: Set<String> = [],
    missing: Set<String> = []
  ) -> (rows: [String], end: String?) {
    var plan = WatchPlan()
    let end = plan.follow(path) { path in
      if let target = links[path] { return .link(target) }
      if files.contains(path) { return .file }
      return missing.contains(path) ? .missing : .folder
    }
    let rows = plan.folders.map { folder, interest in
      ([folder] + interest.names.sorted()).joined(separator: " ")
    }
    return (rows.sorted(), end)
  }

  @Test func `a file is watched in its folder, and the folders above for themselves`() {
    let (rows, end) = plan("/etc/reach/hooks/a.lua", files: ["/etc/reach/hooks/a.lua"])
    #expect(rows == ["/", "/etc", "/etc/reach", "/etc/reach/hooks a.lua"])
    #expect(end == nil)
  }

  @Test func `what is missing is waited for in the nearest folder above`() {
    let (rows, end) = plan("/etc/reach/hooks/a.lua", missing: ["/etc/reach"])
    #expect(rows == ["/", "/etc reach"])
    #expect(end == nil)
  }

  @Test func `a link is watched where it lies, and what it leads to`() {
    let links = ["/etc/reach": "../srv/reach", "/srv/reach/hooks/a.lua": "/opt/./a.lua"]
    let (rows, _) = plan("/etc/reach/hooks/a.lua", links: links, files: ["/opt/a.lua"])
    #expect(
      rows == ["/", "/etc reach", "/opt a.lua", "/srv", "/srv/reach", "/srv/reach/hooks a.lua"])
    #expect(plan("/etc/reach/hooks", links: links).end == "/srv/reach/hooks")
  }

  @Test func `links in a circle come to an end`() {
    #expect(plan("/a", links: ["/a": "b", "/b": "a"]).rows == ["/ a b"])
  }

  @Test func `in a folder of scripts their names count, and those of folders`() {
    var interest = WatchPlan.Interest()
    #expect(!interest.includes("a.lua"))
    interest.isOfScripts = true
    #expect(["a.lua", "greet", "a_test.lua"].allSatisfy(interest.includes))
    #expect(![".a.lua.swp", "a.lua~", "seen.txt", ".git"].contains(where: interest.includes))
  }

  @Test func `a folder of scripts is watched with those of scripts in it and of what they require`()
    throws
  {
    let folder = try TemporaryFolder()
    for name in ["hooks/a.lua", "hooks/b/main.lua", "hooks/notes.txt", "hooks/lib/x.lua"] {
      try folder.write(name, "")
    }
    try FileDescriptor.makeFolders("\(folder.path)/hooks/c", mode: 0o755)
    let hooks = "\(folder.path)/hooks"
    let look = ScriptLook([hooks], libraries: ["\(hooks)/lib/x.lua", "\(hooks)/more/lib/y.lua"])
    #expect(look.discovery.sources.map(\.name) == ["a", "b"])
    let names = look.plan.folders.filter { $0.key.hasPrefix(hooks) }.mapValues { $0.names.sorted() }
    #expect(
      names == [
        hooks: ["a.lua", "more"], "\(hooks)/b": ["main.lua"], "\(hooks)/c": ["main.lua"],
        "\(hooks)/lib": ["x.lua"],
      ])
    #expect(look.plan.folders.filter(\.value.isOfScripts).map(\.key) == [hooks])
    #expect(look.contents.count == 4)
  }
}

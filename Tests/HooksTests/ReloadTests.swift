import Glibc
import Posix
import Reachability
import TestSupport
import Testing

@testable import Hooks

/// Scripts that change on a real file system, in a real host.
@Suite struct Reloading {
  /// A script that writes down what happens to it; its handler takes a while, and as long as its
  /// target is reachable.
  private static func script(_ version: String) -> String {
    """
    local line = reach.target{ interface = "nosuch0", name = "line" }
    local function note(text)
      reach.write{ path = "/FOLDER/log", text = "\(version) " .. text .. "\\n", append = true }
    end
    reach.defer(function(why) note(why) end)
    reach.on{ name = "h", target = line, initial = "changed", change = function(e)
      note("begin " .. e.status .. " " .. e.cause)
      reach.sleep("400ms")
      if e.status == "reachable" then line:wait("unreachable", "20s") end
      note("end")
    end }
    """
  }

  private func lines(_ host: HostedScript) -> [String] {
    host.folder.read("log").split(separator: "\n").map(String.init)
  }

  /// A host of `t.lua` in version `one`, whose text knows the folder; `two` lies beside it.
  private func host(at path: String, prepare: String = "true") throws -> HostedScript {
    try HostedScript(
      ["one": Reloading.script("one"), "two": Reloading.script("two")], at: path,
      prepare: "sed -i \"s#/FOLDER#$PWD#\" one two && mkdir hooks && \(prepare)")
  }

  @Test(arguments: [
    ("renamed over", "cp one hooks/t.lua", "cp two new && mv new hooks/t.lua"),
    ("written in place", "cp one hooks/t.lua", "cat two > hooks/t.lua"),
    ("linked elsewhere", "ln -s ../one hooks/t.lua", "ln -s ../two new && mv -T new hooks/t.lua"),
    ("written behind its link", "ln -s ../one hooks/t.lua", "cp two new && mv new one"),
    (
      "in a folder that is linked elsewhere",
      "rmdir hooks && mkdir a b && cp one a/t.lua && cp two b/t.lua && ln -s a hooks",
      "ln -s b new && mv -T new hooks"
    ),
    (
      "in a folder that is renamed",
      "cp one hooks/t.lua && mkdir new && cp two new/t.lua", "mv hooks old && mv new hooks"
    ),
    (
      "in a folder of its own", "mkdir hooks/t && cp one hooks/t/main.lua",
      "cp two hooks/t/new && mv hooks/t/new hooks/t/main.lua"
    ),
  ])
  func `a script that is changed while a handler waits is loaded once after that`(
    kind: String, first: String, change: String
  ) throws {
    let host = try host(at: "hooks", prepare: first)
    try host.settle("line")
    #expect(eventually { lines(host).count == 2 })
    try host.tell(["line": "w"])
    #expect(eventually { lines(host).count == 3 })
    host.shell(change)
    // The handler of the version before still waits.
    #expect(host.comes { $0.scripts.first?.loads == 2 && $0.departures.count == 1 })
    try host.tell(["line": "u"])
    #expect(eventually { lines(host).count == 7 })
    #expect(
      lines(host) == [
        "one begin unreachable restart", "one end", "one begin reachable local", "one end",
        "one reload", "two begin unreachable reload", "two end",
      ])
    // What is looked at later is not loaded once more.
    host.shell("touch hooks/other.lua")
    #expect(host.runs("other"))
    #expect(try host.loads() == 2)
    #expect(try host.ask { $0.runs.count + $0.departures.count } == 0)
  }

  @Test func `a script that is removed finishes its handler and is told so`() throws {
    let host = try host(at: "hooks", prepare: "cp one hooks/t.lua")
    try host.settle("line")
    #expect(eventually { lines(host).count == 1 })
    host.shell("rm hooks/t.lua")
    #expect(host.comes { $0.scripts.isEmpty })
    #expect(eventually { lines(host).count == 3 })
    #expect(lines(host) == ["one begin unreachable restart", "one end", "one removed"])
    #expect(host.comes { $0.targets.isEmpty && $0.departures.isEmpty })
    host.shell("cp two hooks/t.lua")
    #expect(host.runs())
  }

  @Test func `a broken file leaves the version before running, and is not tried twice`() throws {
    let host = try host(at: "hooks", prepare: "cp one hooks/t.lua")
    #expect(host.runs())
    host.shell("echo 'reach.on{' > hooks/t.lua")
    #expect(host.comes { $0.scripts.first?.loads == 2 })
    #expect(host.comes { $0.scripts.first?.hooks.first?.isRetired == false })
    let reply = try host.answer("reload")
    #expect(reply.kind == .failed)
    #expect(
      reply.text.replacing(host.folder.path, with: "") == """
        /hooks/t.lua:2: unexpected symbol near <eof>; the version before goes on
        loaded 0 scripts
        """)
    host.shell("cp one hooks/other.lua")
    #expect(host.runs("other"))
    #expect(try host.loads() == 3)
    host.shell("cp two hooks/t.lua")
    #expect(host.runs(load: 4))
    #expect(try host.answer("reload") == ControlReply(.done, "loaded 2 scripts"))
  }

  @Test func `what holds the same as before is not loaded anew`() throws {
    let host = try host(at: "hooks", prepare: "cp one hooks/t.lua")
    #expect(host.runs())
    host.shell("touch hooks/t.lua; cp one new; mv new hooks/t.lua; cat one > hooks/t.lua")
    host.shell("cp one hooks/other.lua")
    #expect(host.runs("other"))
    #expect(try host.loads() == 1)
  }

  @Test func `a file that was required is watched for all that did, and for nobody else`() throws {
    let host = try HostedScript([
      "a.lua": "require 'lib.x'", "b.lua": "pcall(require, 'lib.x')", "c.lua": "",
      "lib/x.lua": "return 1",
    ])
    #expect(host.runs("a") && host.runs("b") && host.runs("c"))
    host.shell("echo 'return 2' > lib/x.lua")
    #expect(host.runs("a", load: 2) && host.runs("b", load: 2))
    host.shell("echo 'return' > new && mv lib old && mkdir lib && mv new lib/x.lua")
    #expect(host.runs("a", load: 3) && host.runs("b", load: 3))
    #expect(try host.loads("c") == 1)
  }

  @Test func `a file that is required before it is there is waited for`() throws {
    let host = try HostedScript(["a.lua": "", "b.lua": "require 'lib.deep.x'"])
    #expect(host.runs("a"))
    #expect(host.endsLoading("b", load: 1))
    host.shell("mkdir -p lib/deep && echo 'return 1' > lib/deep/x.lua")
    #expect(host.runs("b", load: 2))
    host.shell("chmod o+w lib/deep/x.lua")
    #expect(host.endsLoading("b", load: 3))
    host.shell("chmod o-w lib/deep/x.lua")
    #expect(host.runs("b", load: 4))
  }

  @Test func `of versions that wait for a removed one the newest alone is loaded`() throws {
    let host = try host(
      at: "hooks", prepare: "sed 's/400ms/4s/' one >hooks/t.lua && sed 's/two/three/' two >three")
    try host.settle("line")
    #expect(eventually { lines(host).count == 1 })
    host.shell("rm hooks/t.lua")
    #expect(host.comes { $0.scripts.isEmpty })
    host.shell("cp two hooks/t.lua")
    #expect(host.comes { $0.scripts.first?.next != nil })
    host.shell("cp three hooks/t.lua")
    #expect(host.comes { $0.scripts.first?.loads == 2 })
    #expect(lines(host) == ["one begin unreachable restart"])
    #expect(host.runs(load: 2))
    #expect(try host.ask { $0.targets.values.map(\.hooks.count) } == [1])
    try host.tell(["line": "w"])
    #expect(eventually { lines(host).count == 4 })
    try host.tell(["line": "u"])
    #expect(eventually { lines(host).count == 7 })
    #expect(
      lines(host) == [
        "one begin unreachable restart", "one end", "one removed",
        "three begin reachable local", "three end", "three begin unreachable local", "three end",
      ])
  }

  @Test func `a folder that goes and comes again is followed`() throws {
    let host = try host(at: "hooks", prepare: "cp one hooks/t.lua")
    #expect(host.runs())
    host.shell("rm -r hooks")
    #expect(host.comes { $0.scripts.isEmpty })
    host.shell("mkdir hooks && cp two hooks/t.lua")
    #expect(host.runs())
    host.shell("rm -r hooks")
    #expect(host.comes { $0.scripts.isEmpty })
    host.shell("mkdir hooks")
    host.shell("mkdir hooks/t && cp two hooks/t/main.lua")
    #expect(host.runs())
  }

  @Test func `a folder that is not there yet is waited for`() throws {
    let host = try host(at: "config/reach/hooks")
    #expect(host.comes { $0.isStarted })
    host.shell("mkdir config")
    host.shell("mkdir -p config/reach && mkdir config/reach/hooks")
    host.shell("cp one config/reach/hooks/t.lua")
    #expect(host.runs())
  }

  @Test func `a script that may be written by others runs on as it was`() throws {
    let host = try host(at: "hooks", prepare: "cp one hooks/t.lua")
    #expect(host.runs())
    host.shell("chmod o+w hooks/t.lua && echo 'reach.on{' >> hooks/t.lua")
    #expect(host.comes { !$0.knownRefusals.isEmpty })
    #expect(try host.loads() == 1)
    host.shell("cp one new && mv new hooks/t.lua")
    #expect(host.comes { $0.knownRefusals.isEmpty })
    #expect(try host.loads() == 1)
  }

  @Test func `where the kernel could not keep up everything is looked at`() throws {
    let host = try host(at: "hooks", prepare: "cp one hooks/t.lua")
    #expect(host.runs())
    let path = host.folder.path
    try host.ask { _ in
      // As many events as fs.inotify.max_queued_events, and the one that matters after them.
      for number in 0..<9000 {
        close(open("\(path)/hooks/.\(number)", O_CREAT | O_WRONLY, 0o600))
        unlink("\(path)/hooks/.\(number)")
      }
      rename("\(path)/two", "\(path)/hooks/t.lua")
    }
    #expect(host.runs(load: 2))
  }

  @Test func `a reload that is asked for loads everything, and answers when that is done`() throws {
    let host = try host(at: "hooks", prepare: "cp one hooks/t.lua")
    try host.settle("line")
    #expect(eventually { lines(host).count == 1 })
    let replies = Record<ControlReply>()
    _ = try host.request(["reload"], replies)
    _ = try host.request(["reload"], replies)
    #expect(eventually { replies.all.count == 2 })
    #expect(Set(replies.all) == [ControlReply(.done, "loaded 1 script")])
    // The handler that ran has finished, and what was deferred was called.
    #expect(lines(host) == ["one begin unreachable restart", "one end", "one reload"])
  }

  /// `REACH_LOADS=10000` takes a few minutes.
  @Test func `loading and unloading leaves nothing behind`() throws {
    let rounds = getenv("REACH_LOADS").flatMap { Int(String(cString: $0)) } ?? 200
    let host = try HostedScript(
      [
        "hooks/a.lua": "", "hooks/lib/x.lua": "return function() end",
        "hooks/t.lua": """
        local line = reach.target{ interface = "nosuch0", name = "line" }
        reach.defer(require "lib.x")
        reach.every("100ms", function() end)
        reach.on{ target = line, change = function() reach.sleep("1ms") end }
        """,
      ], at: "hooks")
    #expect(host.runs("a") && host.runs())
    let path = host.folder.path
    func cycle() throws {
      #expect(rename("\(path)/hooks/t.lua", "\(path)/t.lua") == 0)
      try host.ask { $0.fileWatch?.look() }
      #expect(host.comes { $0.scripts.count == 1 })
      #expect(rename("\(path)/t.lua", "\(path)/hooks/t.lua") == 0)
      try host.ask { $0.fileWatch?.look() }
      #expect(host.runs())
    }
    for _ in 0..<(rounds / 10) { try cycle() }
    let (memory, descriptors) = (try Footprint.memory(), try Footprint.descriptors())
    for _ in 0..<rounds { try cycle() }
    // A last look may be under way.
    #expect(eventually { (try? Footprint.descriptors()) ?? .max <= descriptors })
    let grown = try Footprint.memory() - memory
    print("\(rounds) rounds: \(grown) KiB more, \(descriptors) descriptors")
    // A sanitizer keeps what was freed.
    #expect(grown < (isSanitized ? 512 << 10 : 4096), "\(grown) KiB more after \(rounds) rounds")
  }
}

/// What the process takes of the system.
private enum Footprint {
  /// Resident memory in KiB.
  static func memory() throws -> Int {
    let status = try FileDescriptor(opening: "/proc/self/status", flags: O_RDONLY)
    let text = String(decoding: try status.readAll(limit: 65536), as: UTF8.self)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(Int(line.split(separator: " ").dropLast().last ?? ""))
  }

  static func descriptors() throws -> Int {
    let folder = try FileDescriptor(opening: "/proc/self/fd", flags: O_RDONLY | O_DIRECTORY)
    return try folder.names().count
  }
}

import Glibc
import Posix
import Reachability
import TestSupport
import Testing

@testable import Hooks

@Suite struct RecordingPlans {
  private func plan(_ scripts: KeyValuePairs<String, String>) throws -> RecordingPlan {
    let folder = try TemporaryFolder()
    for (name, text) in scripts { try folder.write("\(name).lua", text) }
    let paths = scripts.map { "\(folder.path)/\($0.key).lua" }
    let checks = ScriptCheck.check(try ScriptSource.discover(paths).sources)
    return RecordingPlan(try checks.map { ($0.source, try $0.result.get()) })
  }

  @Test func `each target that hooks use is watched once, what combines them is not`() throws {
    let plan = try plan([
      "a": """
      local nas = reach.target{ host = "nas.lan", name = "nas", tcp = 22 }
      local either = reach.any{ nas, reach.local_wifi }
      reach.on{ target = either, change = print }
      """,
      "b": """
      local nas = reach.target{ host = "nas.lan", name = "nas", tcp = 22 }
      reach.on{ target = nas, change = function(e) print(reach.internet.status) end }
      """,
    ])
    #expect(plan.targets.map(\.name) == ["local_wifi", "nas", "internet"])
    #expect(plan.combined.map(\.name) == ["any(nas, local_wifi)"])
    #expect(plan.conflicts.isEmpty)
    #expect(plan.likenesses.isEmpty)
  }

  @Test(arguments: [
    #"address = "192.0.2.9", route = true"#, #"address = "192.0.2.7", tcp = 22"#,
    #"address = "192.0.2.7", route = true, wwan = false"#,
    #"address = "192.0.2.7", route = true, medium = { usb0 = "wwan" }"#,
  ])
  func `one name for two subjects is a conflict`(other: String) throws {
    let plan = try plan([
      "a": #"reach.target{ name = "nas", address = "192.0.2.7", route = true }"#,
      "b": #"reach.target{ name = "nas", \#(other) }"#,
    ])
    #expect(plan.conflicts.map(\.first.source.name) == ["a"])
    #expect(plan.conflicts.map(\.second.source.name) == ["b"])
    #expect(plan.targets.count == 1)
  }

  @Test func `a name of a combined target belongs to what it is made of`() throws {
    let plan = try plan([
      "a": #"reach.any{ name = "up", reach.internet }"#,
      "b": #"reach.any{ name = "up", reach.internet }"#,
      "c": #"reach.any{ name = "up", reach.local_wifi }"#,
      "d": #"reach.target{ name = "up", internet = true }"#,
    ])
    #expect(plan.conflicts.map(\.second.source.name) == ["c", "d"])
  }

  @Test func `how often a probe is sent and how it counts makes no other target`() throws {
    let plan = try plan([
      "a": #"reach.target{ name = "nas", address = "192.0.2.7", tcp = 22, fall = 1 }"#,
      "b": #"reach.target{ name = "nas", address = "192.0.2.7", tcp = 22, every = "1m" }"#,
    ])
    #expect(plan.conflicts.isEmpty)
    #expect(plan.likenesses.map(\.second.source.name) == ["b"])
    #expect(plan.targets.map(\.probe?.fall) == [1])
  }
}

@Suite struct ShippedTimelines {
  private static let package =
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
  private static let names = [
    "boot", "flapping-dsl", "hotel-portal", "sleep-resume", "train-ride", "vpn-over-both",
  ]

  private func bytes(_ path: String) throws -> [UInt8] {
    try FileDescriptor(opening: "\(Self.package)/\(path)", flags: O_RDONLY).readAll(limit: 1 << 20)
  }

  private func plan() throws -> RecordingPlan {
    let checks = ScriptCheck.check(try ScriptSource.discover(["\(Self.package)/hooks"]).sources)
    return RecordingPlan(try checks.map { ($0.source, try $0.result.get()) })
  }

  @Test func `the shipped hooks have one name for one thing`() throws {
    #expect(try plan().conflicts.map(\.first.target.name) == [])
  }

  @Test(arguments: names)
  func `each tells its story of targets that shipped hooks have`(name: String) throws {
    let bytes = try bytes("examples/timelines/\(name).txt")
    #expect(bytes.first == UInt8(ascii: "#"))
    let timeline = try Timeline(parsing: bytes, named: name)
    #expect(timeline.start != nil)
    #expect(timeline.moments.first?.time == .zero)
    #expect(Set(timeline.targets).isSuperset(of: ["internet", "local_wifi"]))
    let known = Set(try plan().targets.map(\.name))
    #expect(timeline.targets.filter { !known.contains($0) } == [])
    // What is said twice in a row is said by mistake.
    var standing: [String: Verdict] = [:]
    for moment in timeline.moments {
      for change in moment.changes {
        #expect(standing[change.target] != change.verdict, "\(change.target) at \(moment.time)")
        standing[change.target] = change.verdict
      }
    }
    #expect(
      timeline.moments.contains { if case .suspend? = $0.event { true } else { false } }
        == ["sleep-resume", "hotel-portal"].contains(name))
  }

  @Test func `all of them are here, and the page about them names them`() throws {
    let folder = "\(Self.package)/examples/timelines"
    #expect(FileDescriptor.names(inFolder: folder) == Self.names.map { "\($0).txt" })
    let page = String(decoding: try bytes("examples/README.md"), as: UTF8.self)
    for name in Self.names { #expect(page.contains("(timelines/\(name).txt)")) }
  }

  @Test func `what the page shows is read as it stands there`() throws {
    let page = String(decoding: try bytes("examples/README.md"), as: UTF8.self)
    let block = page.split(separator: "```\n").first { $0.contains("@start") }
    let timeline = try Timeline(
      parsing: Array(try #require(block).utf8), named: "README.md")
    #expect(timeline.targets == ["internet", "my nas"])
    for key in VerdictFields.keys where key != "via" { #expect(page.contains("`\(key)`")) }
  }
}

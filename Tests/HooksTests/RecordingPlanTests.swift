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

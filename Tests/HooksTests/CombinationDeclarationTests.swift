import Posix
import Reachability
import Testing

@testable import Hooks

@Suite struct CombinationDeclarations {
  @Test func `targets are combined of targets, of combined ones too`() throws {
    let declarations = try load(
      """
      local nas = reach.target{ host = "nas.lan", name = "nas", tcp = 22 }
      local backup = reach.target{ address = "192.0.2.7", name = "backup", route = true }
      local either = reach.any{ nas, backup }
      local both = reach.all{ either, reach.internet, name = "ready" }
      local most = reach.at_least(2, { nas, backup, reach.local_wifi })
      reach.on{ target = both, given = most, change = print }
      print(either.name, both.name, most.name)
      """
    ).get()
    #expect(
      declarations.watchedTargets.map(\.subject) == [
        "internet", "local_wifi", "nas.lan", "192.0.2.7", "any(nas, backup)",
        "all(any(nas, backup), internet)", "at_least(2, nas, backup, local_wifi)",
      ])
    #expect(declarations.hooks[0].target.name == "ready")
    #expect(declarations.hooks[0].given?.name == "at_least(2, nas, backup, local_wifi)")
  }

  @Test(arguments: [
    ("reach.any{}", "reach.any needs at least one target, as in reach.any{ nas, backup }"),
    (
      "reach.any{ 'nas' }",
      "reach.any: \"1\" must be a target, such as reach.internet, not \"nas\""
    ),
    ("reach.any{ reach.internet, nmae = 'x' }", "unknown key \"nmae\"; did you mean \"name\"?"),
    ("reach.all{ reach.internet, name = '' }", "reach.all: \"name\" is empty"),
    (
      "reach.at_least{ reach.internet }",
      "reach.at_least takes a number and a table: reach.at_least(2, { a, b, c })"
    ),
    (
      "reach.at_least(3, { reach.internet, reach.local_wifi })",
      "reach.at_least: 3 of 2 members; the number is from 1 to 2"
    ),
    (
      "reach.at_least(0, { reach.internet })",
      "reach.at_least: 0 of 1 members; the number is from 1 to 1"
    ),
    (
      "reach.any{ reach.internet } reach.any{ reach.internet }",
      "reach.any: a second target named \"any(internet)\" in this script"
    ),
  ])
  func `what cannot be combined is told with what can`(text: String, expected: String) throws {
    #expect(throws: ScriptError.self) {
      do { _ = try load(text).get() } catch {
        #expect("\(error)".contains(expected), "\(error)")
        throw error
      }
    }
  }

  @Test func `what was told of a combined target stands while its members are about the same`()
    throws
  {
    func identity(_ text: String) throws -> String {
      try #require(load("local x = \(text)").get().targets.last).identity
    }
    let one = try identity("reach.any{ reach.internet, reach.local_wifi }")
    #expect(try identity("reach.any{ reach.internet, reach.local_wifi, name = 'n' }") == one)
    for other in [
      "reach.all{ reach.internet, reach.local_wifi }",
      "reach.any{ reach.local_wifi, reach.internet }",
      "reach.any{ reach.internet }",
      "reach.target{ internet = true, name = 'n' }",
    ] {
      #expect(try identity(other) != one)
    }
  }
}

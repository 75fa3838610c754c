import TestSupport
import Testing

@testable import Hooks

/// What authors of specs are told is what specs find.
@Suite struct SpecDeclarationTests {
  /// What is wrong with the only test of a spec beside a hook.
  private func fault(_ spec: String) throws -> String? {
    let folder = try TemporaryFolder()
    try folder.write(
      "a.lua",
      """
      reach.on{ target = reach.internet, unreachable = function()
        reach.run{ "true" }
        reach.http{ url = "http://nas.lan/", json = {} }
        reach.notify{ title = "a" }
        reach.write{ path = "b", text = "c" }
      end }
      """)
    try folder.write("a_test.lua", spec)
    var results: [Spec.Result] = []
    try Spec("\(folder.path)/a_test.lua").run { results.append($0) }
    #expect(results.count == 1)
    return results.first?.failure
  }

  private var told: [String] { SpecDeclarations.functions.map(\.name) }

  @Test func `each function is told of`() {
    #expect(
      told.filter { $0.hasPrefix("rehearsal:") }
        == SpecFunction.rehearsalFunctions.map { $0.name.replacing("t:", with: "rehearsal:") })
    #expect(
      told.filter { $0.hasPrefix("assert.") } == SpecPrelude.assertions.map { "assert.\($0)" })
    let others = SpecFunction.all.map(\.name).filter { !$0.hasPrefix("__") && !$0.contains(":") }
    #expect(told.filter { $0.hasPrefix("reach.") } == others)
  }

  @Test func `each global is told of`() throws {
    let known = LuaNames.globals + LuaNames.libraries.map(\.name) + ["reach"]
    let names =
      told.filter { !$0.contains(".") && !$0.contains(":") }
      + SpecFunction.shared.map(\.name).filter { !$0.contains(".") }
    let spec = """
      local known, extra = {}, {}
      for name in string.gmatch("\((known).joined(separator: " "))", "%S+") do known[name] = true end
      known.assert = nil
      for name in pairs(_ENV) do
        if not known[name] then extra[#extra + 1] = name end
      end
      table.sort(extra)
      it("finds them", function()
        assert.equal("\(names.sorted().joined(separator: " "))", table.concat(extra, " "))
        assert.equal("string", type(reach.hostname))
      end)
      """
    #expect(try fault(spec) == nil)
  }

  @Test func `what specs get is of the types that they are told`() throws {
    let spec =
      DocumentedTypes.checks + """
        it("is", function()
          local t = reach.test("a")
          t:set{ internet = "unreachable" }
          assert.equal(1, #t:commands() * #t:requests() * #t:notifications() * #t:written())
          forms["reach.SentRequest"](t:requests()[1])
          forms["reach.ShownNotification"](t:notifications()[1])
          forms["reach.WrittenFile"](t:written()[1])
          assert.same({ "true" }, t:ran("true"))
          assert.equal("http://nas.lan/", t:ran("nas.lan"))
          assert.matches("^info a/internet: unreachable: finished", t:log()[#t:log()])
          assert.same({}, t:failures())
          assert.same({}, t.store)
        end)
        """
    #expect(try fault(spec) == nil)
  }

  @Test func `each key that specs may give is read`() throws {
    for (form, call) in [
      (SpecDeclarations.rehearsalOptions, "reach.test('a', { [key] = print })"),
      (SpecDeclarations.answer, "t:answer('true', { [key] = print })"),
      (SpecDeclarations.standing, "t:set{ internet = { status = 'portal', [key] = print } }"),
    ] {
      for key in form.keys + ["nothing_like_it"] {
        let message =
          try fault(
            """
            it("reads", function()
              local key, t = "\(key)", reach.test("a")
              \(call)
            end)
            """) ?? "none"
        #expect(message.contains(key), "\(message)")
        #expect(message.contains("unknown key") == !form.keys.contains(key), "\(message)")
      }
    }
  }
}

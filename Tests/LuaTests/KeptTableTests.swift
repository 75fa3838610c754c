import Testing

@testable import Lua

@Suite struct KeptTables {
  private func script(_ text: String, _ table: LuaTable = LuaTable()) throws -> Script {
    var script = try Script("on(function() \(text) end)")
    try script.state.keep(table, as: "reach.store")
    return script
  }

  @Test func `a script fills the table, and its host reads it`() throws {
    var script = try script(
      "local s = reach.store; s[1], s.b, s.c = s.a + 1, { 0.5 }, 'x'; s.a = nil",
      LuaTable(fields: [LuaField(.string("a"), .integer(4))]))
    #expect(script.run() == .finished)
    let table = try script.state.keptTable()
    #expect(table.array == [.integer(5)])
    #expect(table["b"] == .table(LuaTable(array: [.number(0.5)])))
    #expect(table["c"] == .string("x"))
    #expect(table.fields.count == 2)
  }

  @Test func `it is read as it is, whatever its metatable says`() throws {
    var script = try script(
      """
      reach.store.a = setmetatable({}, { __index = error, __pairs = error, __len = error })
      setmetatable(reach.store, { __index = error, __newindex = error })
      """)
    #expect(script.run() == .finished)
    #expect(try script.state.keptTable()["a"] == .table(LuaTable()))
  }

  @Test func `what cannot be read is told, and leaves the interpreter as it was`() throws {
    var script = try script("reach.store.me = reach.store; reach.store.f = print")
    #expect(script.run() == .finished)
    let failure = #expect(throws: LuaFailure.self) { try script.state.keptTable() }
    #expect(failure?.message == "table too deep (more than 16 levels)")
    #expect(script.run() == .finished)
  }

  @Test func `without a table, and after a kill, there is nothing to read`() throws {
    var none = try Script()
    #expect(try none.state.keptTable() == LuaTable())
    var script = try script("reach.store.a = 1; while true do end")
    let step = script.run()
    guard case .killed = step else {
      Issue.record("\(step)")
      return
    }
    #expect(try script.state.keptTable() == LuaTable())
  }

  @Test func `a lack of memory at any moment of a life is an error, and leaves nothing`() throws {
    let before = LuaState.memoryLeft
    var number = 1
    while true {
      var limits = LuaLimits()
      limits.failAllocationAt = number
      if try live(limits) { break }
      number += 1
    }
    #expect(number > 400)
    #expect(LuaState.memoryLeft == before)
  }

  /// A script is loaded, given its table, called, waits, goes on and is read; true where nothing of
  /// that failed.
  private func live(_ limits: LuaLimits) throws -> Bool {
    do throws(LuaFailure) {
      var script = try Script(Memory.text, limits: limits)
      let list = LuaTable(array: [.string("a"), .table(LuaTable())])
      try script.state.keep(list, as: "reach.store")
      let step = script.run { writer in
        writer.record(event) {
          $0.string("nas")
          $0.null()
          $0.record(flags) { $0.boolean(true) }
        }
      }
      guard step.isWaiting else {
        #expect(step.message?.contains("not enough memory") == true)
        return false
      }
      let end = script.resumeFirst()
      guard end == .finished else {
        #expect(end.message?.contains("not enough memory") == true)
        return false
      }
      return try script.state.keptTable().array.count == 2
    } catch {
      #expect(error.message.contains("not enough memory"))
      return false
    }
  }
}

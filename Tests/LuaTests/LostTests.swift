import Testing

@testable import Lua

@Suite struct LostObjects {
  /// Which of the objects 0, 1 and 7 a script has lost, and what it gave to `on` kept.
  private func lost(_ text: String) throws(LuaFailure) -> [Int64] {
    let record = Record()
    var declared = declarations(record)
    declared.functions.append(
      LuaFunctionDeclaration("make") { call, results in
        guard case .integer(let number)? = call.arguments.first else { return .returned }
        results.object(LuaObject(classID: 0, id: number))
        return .returned
      })
    var state = try LuaState(declarations: declared)
    try state.load(Array(text.utf8), name: "hook.lua")
    return state.lost(among: [0, 1, 7].map { LuaObject(classID: 0, id: $0) }).map(\.id)
  }

  @Test func `an object that nothing leads to is lost`() throws {
    #expect(try lost("local a = make(0) make(1)") == [0, 1])
    #expect(try lost("for i = 1, 1000 do make(i % 2) end") == [0, 1])
  }

  @Test func `an object that something leads to is not`() throws {
    #expect(try lost("local a = make(0) on(function() return a end) b = { { make(1) } }") == [])
    #expect(try lost("local a = make(0) on(function() return a end) a = make(1)") == [0])
    #expect(try lost("reach_me = setmetatable({}, { __index = make(0) })") == [1])
  }

  @Test func `a declared function knows the whole name of the file that calls it`() throws {
    var positions: [LuaPosition?] = []
    var declared = LuaDeclarations()
    declared.functions = [
      LuaFunctionDeclaration("here") { call, _ in
        positions.append(call.position)
        return .returned
      }
    ]
    let name = String(repeating: "folder/", count: 60) + "hook.lua"
    var state = try LuaState(declarations: declared)
    try state.load(Array("\n\nhere()".utf8), name: name)
    try state.load(Array("pcall(here)".utf8), name: "short.lua")
    #expect(
      positions == [LuaPosition(file: name, line: 3), LuaPosition(file: "short.lua", line: 1)])
  }

  @Test func `a message's position is read where it is a line of a known file`() {
    func read(_ message: String, _ files: String...) -> String? {
      LuaPosition.read(from: message, among: files).map {
        "\($0.position.file) \($0.position.line) \($0.rest)"
      }
    }
    #expect(read("a.lua:3: no: way", "b.lua", "a.lua") == "a.lua 3 no: way")
    #expect(read("a.lua:3: ", "a.lua") == "a.lua 3 ")
    for message in [
      "", "a.lua", "a.lua:", "a.lua:3", "a.lua:3:x", "a.lua:0: x", "a.lua:x: y", "b:1: x",
      "a.lua:99999999999999999999: x",
    ] {
      #expect(read(message, "a.lua") == nil)
    }
    for length in 40...70 {
      let name = "ä" + String(repeating: "x", count: length) + "é/hook.lua"
      let message = loadMessage("x = = 1", name: name) ?? ""
      #expect(read(message, name) == "\(name) 1 unexpected symbol near '='")
    }
  }

  private func loadMessage(_ text: String, name: String) -> String? {
    do throws(LuaFailure) {
      var state = try LuaState()
      try state.load(Array(text.utf8), name: name)
      return nil
    } catch {
      return error.message
    }
  }
}

import Testing

@testable import Lua

@Suite struct Names {
  @Test func `the globals are exactly the allow-list and what is declared`() {
    #expect(
      loadError("return names")
        == "hook.lua:1: _VERSION assert echo error getmetatable give ipairs math next on os pairs "
        + "pcall print rawequal rawget rawlen rawset reach require select setmetatable string "
        + "table tonumber tostring type utf8 xpcall")
  }

  @Test(arguments: [
    (
      "string",
      "byte char find format gmatch gsub len lower match pack packsize rep reverse sub "
        + "unpack upper"
    ),
    ("table", "concat insert move pack remove sort unpack"),
    (
      "math",
      "abs acos asin atan ceil cos deg exp floor fmod huge log max maxinteger min mininteger "
        + "modf pi rad random randomseed sin sqrt tan tointeger type ult"
    ),
    ("utf8", "char charpattern codepoint codes len offset"),
    ("os", "clock date difftime getenv time"),
  ])
  func `a library holds exactly its listed names`(library: String, names: String) throws {
    let text = """
      local names = {}
      for name in pairs(\(library)) do table.insert(names, name) end
      table.sort(names)
      print(table.concat(names, " "))
      """
    #expect(try printed(text) == [names])
  }

  @Test func `every method of a string is a listed one`() {
    #expect(
      loadError("return (''):dump()") == "hook.lua:1: attempt to call a nil value (method 'dump')")
    #expect(loadError("getmetatable('').__index = {}")?.hasPrefix("hook.lua:1: ") == true)
  }

  @Test func `an undefined global is an error`() {
    #expect(loadError("\nlocal x = prnt") == "hook.lua:2: global has no 'prnt' (29 names)")
  }

  @Test func `a global may be assigned`() throws {
    #expect(try printed("answer = 42 print(answer)") == ["42"])
  }

  @Test func `a namespace is strict and read-only`() {
    #expect(loadError("reach.lgo = 1") == "hook.lua:1: reach is read-only")
    #expect(loadError("reach.log.info = 1") == "hook.lua:1: reach.log is read-only")
    #expect(loadError("return reach.lgo") == "hook.lua:1: reach has no 'lgo' (5 names)")
    #expect(loadError("return reach.log.wran") == "hook.lua:1: reach.log has no 'wran' (1 names)")
    #expect(loadError("return reach[{}]") == "hook.lua:1: reach has no '(a table)' (5 names)")
    #expect(
      loadError("setmetatable(reach, {})") == "hook.lua:1: cannot change a protected metatable")
  }

  @Test func `a metatable cannot have a finalizer`() {
    #expect(loadError("setmetatable({}, {__gc = print})") == "hook.lua:1: __gc is not available")
  }

  @Test func `a constant is read`() throws {
    #expect(try printed("print(reach.hostname)") == ["box"])
  }

  @Test func `an object has fields, methods and a text, and is read-only`() throws {
    let text =
      "print(reach.internet.status, reach.internet, reach.internet == echo(reach.internet))"
    #expect(try printed(text) == ["reachable\ttarget 7\ttrue"])
    #expect(loadError("return reach.internet.statsu") == "hook.lua:1: target has no field 'statsu'")
    #expect(loadError("reach.internet.status = 1") == "hook.lua:1: target is read-only")
    #expect(
      loadError("reach.internet:wait()")
        == "hook.lua:1: target:wait waits; call it in a handler")
    #expect(
      loadError("reach.internet[1] = nil") == "hook.lua:1: target is read-only")
    #expect(
      loadError("return reach.internet[1]")
        == "hook.lua:1: target is indexed by names, not by a number")
  }

  @Test(arguments: [
    ("reach.internet.wait()", "write target:wait(), with a colon"),
    ("reach.internet.wait{ 'reachable' }", "write target:wait{ … }, with a colon"),
    ("reach.internet.wait('reachable', 1)", "write target:wait(…), with a colon"),
    ("local wait = reach.internet.wait wait(reach)", "write target:wait{ … }, with a colon"),
  ])
  func `a method that is called with a dot is told of its colon`(text: String, fault: String) {
    #expect(loadError(text) == "hook.lua:1: \(fault)")
  }

  @Test func `a table of functions that is called is an error that the host words`() {
    #expect(loadError("reach.log('x')") == "hook.lua:1: reach.log has no '()' (1 names)")
    #expect(
      loadError("pcall(reach, 1) reach.log()") == "hook.lua:1: reach.log has no '()' (1 names)")
  }

  @Test func `bytecode is refused`() {
    #expect(
      loadError("\u{1B}Lua") == "attempt to load a binary chunk (mode is 't')")
  }

  @Test func `a first line for the shell is skipped`() {
    #expect(loadError("#!/usr/bin/lua\nerror('x')") == "hook.lua:2: x")
  }
}

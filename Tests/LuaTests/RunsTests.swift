import Testing

@testable import Lua

@Suite struct Runs {
  @Test func `functions are called in order with the same argument`() throws {
    var script = try Script("on(function(x) print('a', x) end, function(x) print('b', x) end)")
    #expect(script.run { $0.integer(5) } == .finished)
    #expect(script.record.lines == ["a\t5", "b\t5"])
  }

  @Test func `an error has position and traceback`() throws {
    var script = try Script(
      """
      local function fail() error("boom") end
      on(function()
        fail()
      end)
      """)
    guard case .failed(let failure) = script.run() else {
      Issue.record("did not fail")
      return
    }
    #expect(failure.message == "hook.lua:1: boom")
    #expect(failure.traceback.contains("hook.lua:1: in upvalue 'fail'"))
    #expect(failure.traceback.contains("hook.lua:3: in function <hook.lua:2>"))
  }

  @Test func `a syntax error has its position`() {
    #expect(loadError("x = = 1") == "hook.lua:1: unexpected symbol near '='")
  }

  @Test func `a raised reply has the position of the call`() {
    #expect(loadError("\n\nreach.refuse()") == "hook.lua:3: no such thing")
  }

  @Test(arguments: [
    ("error({code = 42})", "(error object is a table value)"),
    ("error(nil)", "(error object is a nil value)"),
    ("error(print)", "(error object is a function value)"),
    ("error(12)", "12"),
    ("error(setmetatable({}, {__tostring = function() return 'mine' end}))", "mine"),
    (
      "error(setmetatable({}, {__tostring = function() error('again') end}))",
      "(error object is a table value)"
    ),
    (
      "error(setmetatable({}, {__tostring = function() return {} end}))",
      "(error object is a table value)"
    ),
  ])
  func `an odd error object has a message`(text: String, message: String) throws {
    #expect(loadError(text) == message)
    var script = try Script("on(function() \(text) end)")
    #expect(script.run().message == message)
  }

  @Test func `an interpreter lives on after errors`() throws {
    var script = try Script("n = 0 on(function() n = n + 1 error('e' .. n, 0) end)")
    for n in 1...100 {
      #expect(script.run().message == "e\(n)")
    }
  }

  @Test func `a close variable runs on an error`() throws {
    var script = try Script(
      """
      on(function()
        local x <close> = setmetatable({}, {__close = function() print("closed") end})
        error("boom")
      end)
      """)
    #expect(script.run().message == "hook.lua:3: boom")
    #expect(script.record.lines == ["closed"])
  }

  @Test func `endless recursion reaches the memory limit, or C's stack`() throws {
    // Time enough that memory ends first, also where a sanitizer slows Lua down.
    var script = try Script(
      "local function f() return 1 + f() end on(f, f)",
      limits: LuaLimits(processorTime: .seconds(20)))
    #expect(script.run().message?.contains("KiB of memory in use") == true)
    #expect(loadError("local function f() pcall(f) error('x', 0) end f()") == "x")
  }

  @Test func `a required text runs once and has its own name in errors`() throws {
    #expect(
      try printed("print(require('lib.x').answer, require('lib.x') == require('lib.x'))")
        == ["x runs", "42\ttrue"])
    #expect(loadError("require('lib.bad')") == "lib/bad.lua:2: bad")
    #expect(loadError("require('lib.wrong')") == "lib/wrong.lua:1: unexpected symbol near '='")
    #expect(loadError("require('lib.none')") == "hook.lua:1: no module 'lib.none'")
  }

  @Test func `what a text returned is recalled, and an error where it was not run`() throws {
    #expect(try printed("print(require('lib.x') == recall())") == ["x runs", "true"])
    #expect(loadError("\nrecall()") == "hook.lua:2: x was not run")
  }

  @Test func `pcall and xpcall behave as Lua's`() throws {
    let text = """
      print(pcall(error, "x"))
      print(pcall(function(...) return ... end, 1, 2))
      print(xpcall(error, function(e) return "handled " .. e end, "x"))
      print(xpcall(function(...) return ... end, print, 1, 2))
      print(select("#", pcall(error)))
      print(pcall(pcall))
      """
    #expect(
      try printed(text) == [
        "false\tx", "true\t1\t2", "false\thandled x", "true\t1\t2", "2",
        "false\tbad argument #1 to 'pcall' (value expected)",
      ])
  }
}

@Suite struct Waits {
  @Test func `two runs wait and are resumed in any order`() throws {
    var script = try Script(
      "on(function(x) local a, b = reach.sleep(1) print(x, a, b) end)")
    #expect(script.run { $0.string("first") }.isWaiting)
    #expect(script.run { $0.string("second") }.isWaiting)
    let (first, second) = (script.record.waiting[0], script.record.waiting[1])
    #expect(first != second)
    let end = script.state.resume(second) {
      $0.integer(1)
      $0.table(fields: { _ in })
    }
    #expect(end == .finished)
    #expect(script.state.resume(first) { $0.literal("ok") } == .finished)
    #expect(script.record.lines.count == 2)
    #expect(script.record.lines[0].hasPrefix("second\t1\ttable: "))
    #expect(script.record.lines[1] == "first\tok\tnil")
    #expect(
      script.state.resume(first) { _ in }.message == "no such coroutine is waiting")
  }

  @Test func `a wait inside pcall survives and returns its values`() throws {
    var script = try Script(
      """
      on(function()
        print(pcall(function() return reach.sleep(1) end))
        print(xpcall(function() reach.sleep(1) error("late", 0) end, function(e) return e .. "!" end))
      end, function() print("next") end)
      """)
    #expect(script.run().isWaiting)
    #expect(script.resumeFirst { $0.integer(3) }.isWaiting)
    #expect(script.record.lines == ["true\t3"])
    #expect(script.resumeFirst() == .finished)
    #expect(script.record.lines == ["true\t3", "false\tlate!", "next"])
  }

  @Test func `a method waits`() throws {
    var script = try Script("on(function() print(reach.internet:wait('reachable', 2)) end)")
    #expect(script.run().isWaiting)
    #expect(
      script.record.values == [
        [.object(LuaObject(classID: 0, id: 7)), .string("reachable"), .integer(2)]
      ])
    #expect(script.resumeFirst { $0.boolean(true) } == .finished)
    #expect(script.record.lines == ["true"])
  }

  @Test func `a wait while loading is refused`() {
    #expect(
      loadError("reach.sleep(1)") == "hook.lua:1: reach.sleep waits; call it in a handler")
  }

  @Test func `a wait inside sort is refused`() throws {
    var script = try Script("on(function() table.sort({2, 1}, reach.sleep) end)")
    #expect(script.run().message?.hasPrefix("reach.sleep waits; that is not possible") == true)
    #expect(script.record.waiting.isEmpty)
  }

  @Test func `a cancelled wait is not caught, closes its variables, and cannot wait`() throws {
    var script = try Script(
      """
      on(function()
        local x <close> = setmetatable({}, {__close = function()
          print("closed", pcall(error, "inner"))
          print(pcall(reach.sleep, 1))
          error("from close")
        end})
        print(pcall(function() pcall(reach.sleep, 1) print("caught") end))
        print(xpcall(reach.sleep, function() print("handled") end))
      end, function() print("next") end)
      """)
    guard case .waiting(let coroutine) = script.run() else {
      Issue.record("does not wait")
      return
    }
    let step = script.state.cancel(coroutine, message: "deadline of 5 min is over")
    #expect(step.message == "deadline of 5 min is over")
    #expect(
      script.record.lines == [
        "closed\tfalse\tinner",
        "false\treach.sleep waits; that is not possible once the run is cancelled",
      ])
    guard case .failed(let failure) = step else { return }
    #expect(failure.traceback.contains("hook.lua:7"))
    #expect(script.run().isWaiting)
  }

  @Test func `a cancelled run that does not end is killed`() throws {
    var script = try Script(
      """
      on(function()
        local x <close> = setmetatable({}, {__close = function() while true do end end})
        reach.sleep(1)
      end)
      """, limits: LuaLimits(processorTime: .milliseconds(50)))
    guard case .waiting(let coroutine) = script.run() else { return }
    #expect(script.state.cancel(coroutine, message: "over").isKilled)
  }
}

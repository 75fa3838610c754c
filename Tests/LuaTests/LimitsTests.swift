import TestSupport
import Testing

@testable import Lua

@Suite(.serialized) struct Limits {
  static let limit = Duration.milliseconds(50)

  @Test(arguments: [
    "while true do end",
    "::again:: goto again",
    "while true do pcall(function() while true do end end) end",
    "while true do xpcall(function() while true do end end, function() while true do end end) end",
    "xpcall(error, function() while true do end end)",
    "local x <close> = setmetatable({}, {__close = function() while true do end end})",
    """
    pcall(function()
      local x <close> = setmetatable({}, {__close = function() while true do end end})
      while true do end
    end)
    """,
    "local t = setmetatable({}, {__index = function() while true do end end}) return t.x",
    "error(setmetatable({}, {__tostring = function() while true do end end}))",
    "reach.log.info('%s', setmetatable({}, {__tostring = function() while true do end end}))",
    "('x'):gsub('x', function() while true do end end)",
    "table.sort({3, 2, 1}, function() while true do end end)",
    "table.move({}, 1, 4e9, 2)",
    "table.concat({}, '', 1, 0) for i = 1, 1e12 do end",
    "while true do print('x') end",
    "while true do (function() end)() end",
  ])
  func `endless work is killed`(text: String) throws {
    var script = try Script("on(function()\n\(text)\nend)", limits: Self.limits)
    let clock = ContinuousClock()
    var step = LuaStep.finished
    let time = clock.measure { step = script.run() }
    #expect(step.isKilled)
    #expect(step.message?.hasSuffix("more than 50 ms of processor time used") == true)
    #expect(time < .seconds(2))
    let isKilled = script.state.isKilled
    #expect(isKilled)
  }

  @Test func `a kill names the line`() throws {
    var script = try Script("on(function()\n  while true do end\nend)", limits: Self.limits)
    #expect(
      script.run()
        == .killed(
          LuaFailure(
            cause: .processorTime,
            message: "hook.lua:2: more than 50 ms of processor time used")))
  }

  @Test(.disabled(if: withholdsSignals, "it is the signal that leaves it"))
  func `one instruction that takes seconds is left by force`() throws {
    // The 32,769th key makes Lua fill a table of 65,536 anew, in which all of them collide.
    let text = "local t = {} for k = 1, 32769 do t[k * 65535] = true end"
    for _ in 0..<3 {
      var script = try Script("on(function() \(text) end)", limits: Self.limits)
      let start = processorTime
      let step = script.run()
      #expect(processorTime - start < .milliseconds(500))
      #expect(step.message?.hasSuffix("more than 50 ms of processor time used") == true)
      let isKilled = script.state.isKilled
      #expect(isKilled)
    }
    var next = try Script("on(function() while true do end end)", limits: Self.limits)
    #expect(next.run().message?.hasPrefix("hook.lua:1: more than") == true)
  }

  @Test func `loading is limited as well`() {
    #expect(loadFailure("while true do end", limits: Self.limits)?.cause == .processorTime)
  }

  @Test(arguments: [
    "local t = {} for i = 1, 1e9 do t[i] = i end",
    "local s = 'x' while true do s = s .. s end",
    "local s = 'x' while true do pcall(function() s = s .. s end) end",
    "local t = {} local i = 0 while true do i = i + 1 t['k' .. i] = true end",
    "local t = {} while true do pcall(function() t[#t + 1] = ('y'):rep(1000) end) end",
    "local t = {} for i = 1, 1e6 do t[i] = ('%99d'):format(i) end",
    "local t = {} for i = 1, 50 do t[i] = ('x'):rep(1e6) end",
  ])
  func `filling the memory is killed`(text: String) throws {
    var script = try Script(
      "on(function()\n\(text)\nend)",
      limits: LuaLimits(processorTime: .seconds(isSanitized ? 20 : 2)))
    let step = script.run()
    #expect(step.isKilled)
    #expect(step.message?.hasSuffix("more than 16384 KiB of memory in use") == true)
    let memory = script.state.memory
    #expect(memory < 64 << 20)
  }

  @Test func `garbage does not count`() throws {
    let limits = LuaLimits(processorTime: .seconds(5))
    var script = try Script(
      "on(function() for i = 1, 200 do local s = ('x'):rep(1e6) end end)", limits: limits)
    #expect(script.run() == .finished)
  }

  @Test func `a killed interpreter refuses further use`() throws {
    var script = try Script("on(function() while true do end end)", limits: Self.limits)
    #expect(script.run().isKilled)
    #expect(script.run() == .failed(LuaFailure(message: "the interpreter was killed")))
    script.state.release(script.record.handlers[0])
  }

  @Test func `short runs in a row are not killed`() throws {
    var script = try Script(
      "n = 0 on(function() for i = 1, 100 do n = n + i end end)",
      limits: LuaLimits(processorTime: .milliseconds(10)))
    let end = ContinuousClock.now + .milliseconds(200)
    while ContinuousClock.now < end {
      #expect(script.run() == .finished)
    }
  }

  @Test func `long results of one call are refused`() {
    #expect(loadError("return ('x'):rep(1e9)")?.contains("resulting string too large") == true)
    #expect(loadError("return ('x'):rep(4194304)") == nil)
    #expect(loadError("return (''):rep(1e15)") == nil)
    #expect(
      loadError(
        "local t = {} for i = 1, 5000 do t[i] = ('x'):rep(1000) end return table.concat(t)")?
        .contains("resulting string too large") == true)
    #expect(loadError("return table.unpack({}, 1, 1e7)")?.contains("too many results") == true)
  }

  @Test func `states on several threads are killed each on its own`() async {
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<3 {
            guard
              var script = try? Script("on(function() while true do end end)", limits: Self.limits)
            else { return false }
            guard script.run().isKilled else { return false }
          }
          return true
        }
      }
      for await killed in group { #expect(killed) }
    }
  }

  private static var limits: LuaLimits { LuaLimits(processorTime: limit) }
}

@Suite struct TableFunctions {
  @Test func `they do what Lua's do`() throws {
    let text = """
      local t = {5, 3, 9, 1}
      table.sort(t) print(table.concat(t, ","))
      table.sort(t, function(a, b) return a > b end) print(table.concat(t, ","))
      table.insert(t, 7) table.insert(t, 1, 0) print(table.concat(t, ","))
      print(table.remove(t), table.remove(t, 1), table.concat(t, ","))
      print(table.concat(table.move({1, 2, 3}, 1, 3, 2), ","))
      print(table.concat(table.move({1, 2, 3}, 2, 3, 1), ","))
      print(table.unpack({1, nil, 3}, 1, 3))
      print(table.remove({}), #table.move({1}, 1, 1, 1, {}))
      local words = {}
      for i = 1, 1000 do words[i] = (i * 7919) % 1009 end
      table.sort(words)
      for i = 2, 1000 do assert(words[i - 1] <= words[i]) end
      """
    #expect(
      try printed(text) == [
        "1,3,5,9", "9,5,3,1", "0,9,5,3,1,7", "7\t0\t9,5,3,1", "1,1,2,3", "2,3,3", "1\tnil\t3",
        "nil\t1",
      ])
  }
}

@Suite(.serialized) struct Memory {
  @Test func `making and freeing leaves nothing`() throws {
    for _ in 0..<1000 {
      var script = try Script("on(function(e) local t = {e} end)")
      #expect(script.run { $0.integer(1) } == .finished)
    }
    #expect(LuaState.memoryLeft == 0)
  }

  @Test func `runs do not grow`() throws {
    var script = try Script("on(function(e) if e == 1 then reach.sleep(1) else error('x') end end)")
    func round(_ script: inout Script, _ count: Int) {
      for _ in 0..<count {
        _ = script.run { $0.integer(1) }
        _ = script.resumeFirst()
        _ = script.run { $0.integer(2) }
      }
    }
    round(&script, 1000)
    let before = script.state.memory
    round(&script, 5000)
    let after = script.state.memory
    #expect(after < before + 100_000)
  }

  @Test func `a lack of memory anywhere while making and loading is an error`() throws {
    var number = 1
    while true {
      var limits = LuaLimits()
      limits.failAllocationAt = number
      do throws(LuaFailure) {
        var script = try Script(Self.text, limits: limits)
        script.state.failAllocations(from: 0)
        break
      } catch {
        #expect(error.message.contains("not enough memory"))
      }
      number += 1
    }
    #expect(number > 300)
    #expect(LuaState.memoryLeft == 0)
  }

  @Test func `a lack of memory anywhere in a run is an error`() throws {
    var number = 1
    while true {
      var script = try Script(Self.text)
      script.state.failAllocations(from: number)
      let step = script.run { writer in
        writer.record(event) {
          $0.string("nas")
          $0.null()
          $0.record(flags) { $0.boolean(true) }
        }
      }
      script.state.failAllocations(from: 0)
      if step.isWaiting {
        #expect(script.resumeFirst() == .finished)
        break
      }
      #expect(step.message?.contains("not enough memory") == true)
      number += 1
    }
    #expect(number > 40)
    #expect(LuaState.memoryLeft == 0)
  }

  static let text = """
    local words = {}
    for i = 1, 10 do words[i] = "word" .. i end
    on(function(e)
      local t = {e.name, e.flags.up, reach.internet, table.concat(words, " ")}
      local ok, message = pcall(function() return reach.log.info("%s %d", e.name, #t) end)
      if not ok then error(message) end
      local long = ("nas "):rep(300)
      assert(select(2, long:gsub("%w+", {nas = "box"})) == 300)
      assert(long:gsub("(n)(a)", "%2%1"):find("ans", 1, true) == 1)
      for word, place in long:gmatch("(%w+)()") do t[word] = place end
      assert(#("%q %s"):format(long, t) > 1200 and #string.pack("s4", long) == 1204)
      reach.sleep(1)
    end)
    """
}

import Testing

@testable import Lua

@Suite struct Values {
  @Test func `scalars arrive as they are`() throws {
    #expect(
      try given("give(nil, true, 42, 1.5, 'text', '\\255')")
        == [[.nil, .boolean(true), .integer(42), .number(1.5), .string("text"), .bytes([255])]])
  }

  @Test func `a script can be given another present`() throws {
    var script = try Script("on(function() give(os.time(), os.date('!%Y-%m-%d %H:%M')) end)")
    for time: Int64 in [1_000_000_000, 0] {
      script.state.setTime(time)
      #expect(script.run() == .finished)
    }
    #expect(
      script.record.values == [
        [.integer(1_000_000_000), .string("2001-09-09 01:46")],
        [.integer(0), .string("1970-01-01 00:00")],
      ])
  }

  @Test func `a table arrives with items and fields`() throws {
    let values = try given("give({10, {20}, name = 'nas', [1.5] = true})")
    guard case .table(let table) = values[0][0] else {
      Issue.record("not a table")
      return
    }
    #expect(table.array == [.integer(10), .table(LuaTable(array: [.integer(20)]))])
    #expect(table["name"] == .string("nas"))
    #expect(table.fields.contains(LuaField(.number(1.5), .boolean(true))))
    #expect(table.fields.count == 2)
  }

  @Test func `values survive the way there and back`() throws {
    let text = """
      local t = echo({1, 2, {a = "x", b = {true, false}}, name = "n\\0\\255"})
      print(t[1], t[2], t[3].a, t[3].b[1], t[3].b[2], t.name == "n\\0\\255", #t)
      """
    #expect(try printed(text) == ["1\t2\tx\ttrue\tfalse\ttrue\t3"])
  }

  @Test func `metamethods are not run for an argument`() throws {
    let text = "give(setmetatable({1}, {__index = error, __len = error, __pairs = error}))"
    #expect(try given(text) == [[.table(LuaTable(array: [.integer(1)]))]])
  }

  @Test func `functions are unsupported unless they are kept`() throws {
    #expect(try given("give(print)") == [[.unsupported("function")]])
  }

  @Test func `the same function is equal while it is held`() throws {
    var script = try Script("\nlocal function f() end\non(f) on(f, function()\nend)")
    let handlers = script.record.handlers
    #expect(handlers.count == 3)
    #expect(handlers[0] == handlers[1])
    #expect(handlers[0] != handlers[2])
    #expect(handlers.map(\.line) == [2, 2, 3])
    script.state.release(handlers[0])
    #expect(script.state.start([handlers[1]]) { _ in } == .finished)
    script.state.release(handlers[1])
    #expect(script.state.start([handlers[1]]) { _ in }.message == "no such function")
  }

  @Test func `depth and size of a table are capped`() {
    let deep = "local t = {} for _ = 1, 16 do t = {t} end "
    #expect(
      loadError(deep + "give(t)") == "hook.lua:1: give: table too deep (more than 16 levels)")
    #expect(loadError("local t = {} t.t = t give(t)")?.contains("too deep") == true)
    let large = "local t = {} for i = 1, 20001 do t[i] = i end "
    #expect(
      loadError(large + "give(t)")
        == "hook.lua:1: give: table too large (more than 20000 values)")
    // One string, which would be copied twenty thousand times.
    let long = "local s, t = ('x'):rep(4000000), {} for i = 1, 19999 do t[i] = s end "
    #expect(
      loadError(long + "give(t)")
        == "hook.lua:1: give: strings too long (more than 8 MiB together)")
    #expect(loadError("local s = ('x'):rep(4000000) give(s, {s})") == nil)
  }

  @Test func `format and join make one string`() throws {
    let text = """
      reach.log.info("%d%%", 5)
      reach.log.info("100%")
      reach.log.info(setmetatable({}, {__tostring = function() return "mine" end}))
      print(1, nil, "a")
      string.format = nil
      reach.log.info("%s", true)
      """
    #expect(try printed(text) == ["5%", "100%", "mine", "1\tnil\ta", "true"])
  }

  @Test func `what cannot be formatted is told by line and by the function that was called`() {
    #expect(
      loadError("\nreach.log.info('%d and %s', 'x', 1)")
        == "hook.lua:2: bad argument #2 to 'reach.log.info' (number expected, got string)")
    #expect(
      loadError("reach.log.info('%s and %s', 'x')")
        == "hook.lua:1: bad argument #3 to 'reach.log.info' (no value)")
    #expect(
      loadError(
        """
        reach.log.info("%s", setmetatable({}, { __tostring = function()
          error("mine")
        end }))
        """) == "hook.lua:2: mine")
  }

  @Test func `a record is strict about its shape`() throws {
    var script = try Script(
      """
      on(function(e)
        print(e.name, e.status, e.reason, e.flags.up, e.flags.direct)
        return e.statsu
      end)
      """)
    let step = script.run { writer in
      writer.record(event) {
        $0.string("nas")
        $0.literal("reachable")
        $0.record(flags) {
          $0.boolean(true)
          $0.boolean(nil)
        }
      }
    }
    #expect(script.record.lines == ["nas\treachable\tnil\ttrue\tnil"])
    #expect(step.message == "hook.lua:3: event has no 'statsu' (4 names)")
  }

  @Test func `a record's metatable is out of reach, its fields are not`() throws {
    var script = try Script(
      """
      on(function(e)
        e.mine = 1
        print(getmetatable(e), pcall(setmetatable, e, nil))
        for key, value in pairs(e) do print(key, value) end
      end)
      """)
    let step = script.run { writer in
      writer.record(flags) { _ in }
    }
    #expect(step == .finished)
    #expect(
      script.record.lines == ["false\tfalse\tcannot change a protected metatable", "mine\t1"])
  }

  @Test func `too many values for a shape are an error`() throws {
    var script = try Script("on(print)")
    let step = script.run { writer in
      writer.record(flags) { for _ in 0..<3 { $0.boolean(true) } }
    }
    #expect(step.message == "not enough memory for the values")
  }
}

/// What specs find beside Lua's own names, as far as that is written in Lua.
///
/// `__collect` and `__finish` are the host's; the names are gone once this has run.
enum SpecPrelude {
  static let name = "reach test"

  static let text = #"""
    local collect, finish, nearest = __collect, __finish, __nearest
    __collect, __finish, __nearest = nil, nil, nil

    -- Blocks and tests, as they stand in the file.
    local top = {tests = {}, setups = {}, cleanups = {}}
    local block = top
    local is_loaded = false

    local function check_place(what)
      if not is_loaded then return end
      error(what .. " has no place within a test, where it would be too late", 3)
    end

    local function check(name, body, what)
      if type(name) ~= "string" or type(body) ~= "function" then
        error(what .. ' takes a name and a function, as in ' .. what .. '("…", function() … end)', 3)
      end
    end

    function describe(name, body)
      check_place("describe")
      check(name, body, "describe")
      local inner = {outer = block, name = name, tests = top.tests, setups = {}, cleanups = {}}
      block = inner
      body()
      block = inner.outer
    end

    function it(name, body)
      check_place("it")
      check(name, body, "it")
      top.tests[#top.tests + 1] = {block = block, name = name, body = body}
    end

    function before_each(body)
      check_place("before_each")
      if type(body) ~= "function" then error("before_each takes a function", 2) end
      block.setups[#block.setups + 1] = body
    end

    function after_each(body)
      check_place("after_each")
      if type(body) ~= "function" then error("after_each takes a function", 2) end
      block.cleanups[#block.cleanups + 1] = body
    end

    finish(function()
      for _, test in ipairs(top.tests) do
        local name, bodies, cleanups = test.name, {test.body}, {}
        local outer = test.block
        while outer do
          if outer.name then name = outer.name .. " " .. name end
          table.move(outer.setups, 1, #outer.setups, 1, table.move(bodies, 1, #bodies,
            #outer.setups + 1))
          for i = #outer.cleanups, 1, -1 do cleanups[#cleanups + 1] = outer.cleanups[i] end
          outer = outer.outer
        end
        collect(name, bodies, cleanups)
      end
      is_loaded = true
    end)

    -- Values as a reader of Lua writes them.
    local function is_name(key)
      return type(key) == "string" and string.match(key, "^[%a_][%w_]*$") ~= nil
    end

    local function order(a, b)
      if type(a) == type(b) and (type(a) == "number" or type(a) == "string") then return a < b end
      return type(a) < type(b)
    end

    local function show(value, depth)
      if type(value) == "string" then
        return (string.gsub(string.format("%q", value), "\\\n", "\\n"))
      end
      if type(value) ~= "table" or getmetatable(value) == false then return tostring(value) end
      if depth > 5 then return "{…}" end
      local parts, keys, seen = {}, {}, {}
      for i = 1, rawlen(value) do
        parts[i], seen[i] = show(rawget(value, i), depth + 1), true
      end
      for key in next, value do
        if not seen[key] then keys[#keys + 1] = key end
      end
      table.sort(keys, order)
      for _, key in ipairs(keys) do
        local name = is_name(key) and key or "[" .. show(key, depth + 1) .. "]"
        parts[#parts + 1] = name .. " = " .. show(rawget(value, key), depth + 1)
      end
      if #parts > 50 then parts = table.move(parts, 1, 50, 1, {}) parts[51] = "…" end
      return #parts == 0 and "{}" or "{ " .. table.concat(parts, ", ") .. " }"
    end

    -- Where two values differ; nil where they do not.
    local function difference(a, b, path, depth)
      if rawequal(a, b) or a == b then return nil end
      if type(a) ~= "table" or type(b) ~= "table" or depth > 50 then return path end
      for key, value in next, a do
        local name = is_name(key) and "." .. key or "[" .. show(key, 1) .. "]"
        local inner = difference(value, rawget(b, key), path .. name, depth + 1)
        if inner then return inner end
      end
      for key in next, b do
        if rawget(a, key) == nil then
          return path .. (is_name(key) and "." .. key or "[" .. show(key, 1) .. "]")
        end
      end
      return nil
    end

    local function fail(what, expected, actual, message)
      local text = what .. "\n  expected: " .. expected .. "\n  actual:   " .. actual
      error(message and tostring(message) .. ": " .. text or text, 3)
    end

    local function expect(value, wanted, message)
      if value ~= wanted then fail("not what it must be", show(wanted, 1), show(value, 1), message) end
      return value
    end

    local assertions = {}

    function assertions.equal(expected, actual, message)
      if expected ~= actual then
        local what = "not equal"
        if type(expected) == "table" and type(actual) == "table" then
          what = "not the same table; assert.same compares what is in them"
        end
        fail(what, show(expected, 1), show(actual, 1), message)
      end
      return actual
    end

    function assertions.same(expected, actual, message)
      local path = difference(expected, actual, "", 1)
      if path then
        fail(path == "" and "not the same" or "not the same at " .. path, show(expected, 1),
          show(actual, 1), message)
      end
      return actual
    end

    function assertions.is_true(value, message) return expect(value, true, message) end
    function assertions.is_false(value, message) return expect(value, false, message) end
    function assertions.is_nil(value, message) return expect(value, nil, message) end

    function assertions.has_error(body, expected)
      if type(body) ~= "function" then
        error("assert.has_error takes a function, which it calls", 2)
      end
      local ok, fault = pcall(body)
      if ok then fail("no error", expected and show(expected, 1) or "an error", "none") end
      if expected ~= nil and fault ~= expected
        and not (type(fault) == "string" and type(expected) == "string"
          and string.find(fault, expected, 1, true)) then
        fail("another error", show(expected, 1), show(fault, 1))
      end
      return fault
    end

    function assertions.matches(pattern, actual, message)
      if type(actual) ~= "string" or not string.find(actual, pattern) then
        local what = "no match"
        if type(actual) == "string" and string.find(actual, pattern, 1, true) then
          what = "no match; in a pattern what is no letter or digit has a % before it"
        end
        fail(what, "a text that matches " .. show(pattern, 1), show(actual, 1), message)
      end
      return actual
    end

    assert = setmetatable({}, {
      __index = function(_, key)
        local found = assertions[key]
        if found then return found end
        error('assert has no "' .. tostring(key) .. '"' .. nearest(tostring(key)), 2)
      end,
      __newindex = function() error("assert is read-only", 2) end,
      __call = function(_, value, message, ...)
        if value then return value, message, ... end
        if type(message) ~= "string" and message ~= nil then error(message, 0) end
        error(message or "expected a true value, got " .. tostring(value), 2)
      end,
      __metatable = false,
    })
    """#

  /// The names under `assert`, for the nearest to a misspelt one.
  static let assertions = [
    "equal", "same", "is_true", "is_false", "is_nil", "has_error", "matches",
  ]
}

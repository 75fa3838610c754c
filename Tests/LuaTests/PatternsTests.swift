import Testing

@testable import Lua

@Suite struct Patterns {
  @Test(arguments: 1...4)
  func `they do what Lua's own do, whatever the arguments`(seed: Int) throws {
    let text = "local seed, count = \(seed), 5000 " + (try testFile("Lua/pattern_cases.lua"))
    let ours = try Script(text, limits: patient).record.lines
    #expect(ours.count == 5000)
    for (ours, stock) in zip(ours, stockPrinted(text)) { #expect(ours == stock) }
    for message in [
      "malformed pattern (missing ']')", "malformed pattern (ends with '%')",
      "malformed pattern (missing arguments to '%b')", "missing '[' after '%f' in pattern",
      "invalid pattern capture", "unfinished capture", "invalid capture index %1",
      "too many captures", "pattern too complex", "invalid replacement value (a table)",
      "invalid use of '%' in replacement string", "bad argument #3 to 'string.gsub'",
    ] {
      #expect(ours.contains { $0.contains(message) }, "no case gives: \(message)")
    }
  }

  @Test(arguments: [
    // find: places, captures, start, plain text
    ("('hello'):find('l')", "3\t3"),
    ("('hello'):find('l', 4)", "4\t4"),
    ("('hello'):find('l', -1)", "nil"),
    ("('hello'):find('', 6)", "6\t5"),
    ("('hello'):find('', 7)", "nil"),
    ("('hello'):find('(l)(l)')", "3\t4\tl\tl"),
    ("('a.b'):find('.', 1, true)", "2\t2"),
    ("('a+b'):find('+', 1, true)", "2\t2"),
    ("('a\\0b'):find('\\0b')", "2\t3"),
    // match: the whole match, captures, places
    ("('key = value'):match('^(%w+)%s*=%s*(%w+)$')", "key\tvalue"),
    ("('hello'):match('()ll()')", "3\t5"),
    ("('hello'):match('((h)(e))')", "he\th\te"),
    ("('2026-11-30'):match('%d+', 6)", "11"),
    // anchors
    ("('aaa'):find('^a', 2)", "2\t2"),
    ("('aba'):find('a$')", "3\t3"),
    ("('a$b'):find('$b')", "2\t3"),
    ("('a^b'):find('a^')", "1\t2"),
    // quantifiers
    ("('aaab'):match('a*')", "aaa"),
    ("('aaab'):match('a-b')", "aaab"),
    ("('baaa'):match('a*')", ""),
    ("('baaa'):match('a+')", "aaa"),
    ("('color colour'):gsub('colou?r', 'x')", "x x\t2"),
    ("('<a><b>'):match('<.->')", "<a>"),
    ("('<a><b>'):match('<.*>')", "<a><b>"),
    // classes and sets
    ("('a1 _\\n'):gsub('%a', 'x')", "x1 _\n\t1"),
    ("('a1_'):gsub('%W', 'x')", "a1x\t1"),
    ("('a.b'):gsub('%.', '!')", "a!b\t1"),
    ("('a]b'):find('[]]')", "2\t2"),
    ("('a]b'):find('[^]a]')", "3\t3"),
    ("('a-z'):gsub('[a%-]', 'x')", "xxz\t2"),
    ("('abc-'):gsub('[a-b-]', 'x')", "xxcx\t3"),
    ("('f00d'):match('^[%da-f]+$')", "f00d"),
    // %1, %b, %f
    ("('say \"hi\" now'):match('([\"\\'])(.-)%1')", "\"\thi"),
    ("('f(a(b)c)d'):match('%b()')", "(a(b)c)"),
    ("('THE (quick) fox'):find('%f[%a]%a+%f[%A]', 5)", "6\t10"),
    ("('end'):find('%f[\\0]')", "4\t3"),
    // gsub: text, count, table, function
    ("('hello world'):gsub('(%w+) (%w+)', '%2 %1')", "world hello\t1"),
    ("('abc'):gsub('%w', '%%%0')", "%a%b%c\t3"),
    ("('abc'):gsub('', '-')", "-a-b-c-\t4"),
    ("('aaa'):gsub('a', 'b', 2)", "bba\t2"),
    ("('aaa'):gsub('^a', 'b')", "baa\t1"),
    ("('$a $b'):gsub('%$(%w)', {a = 1})", "1 $b\t2"),
    ("('abc'):gsub('%w', function(c) if c ~= 'b' then return c .. c end end)", "aabcc\t3"),
    ("('abc'):gsub('()', '%1')", "1a2b3c4\t4"),
  ])
  func `each item is known`(expression: String, expected: String) throws {
    let text = "print(\(expression))"
    #expect(try printed(text) == [expected])
    #expect(stockPrinted(text).joined(separator: "\n") == expected)
  }

  @Test func `gmatch goes from match to match, from where it is told`() throws {
    let text = """
      local function all(...)
        local words = {}
        for a, b in ... do words[#words + 1] = a .. (b or "") end
        return table.concat(words, ",")
      end
      print(all(("one two  three"):gmatch("%a+")))
      print(all(("a=1, b=2"):gmatch("(%w)=(%w)")))
      print(all(("abc"):gmatch("%w*")), all(("abc"):gmatch("")))
      print(all(("abcabc"):gmatch("%w", -2)), all(("abc"):gmatch("%w", 9)))
      print(all(("^a^a"):gmatch("^a")))
      """
    let expected = ["one,two,three", "a1,b2", "abc\t,,,", "b,c\t", "^a,^a"]
    #expect(try printed(text) == expected)
    #expect(stockPrinted(text) == expected)
  }

  @Test(arguments: [
    "local s = ('a'):rep(28) s:find(('a-'):rep(28) .. 'b')",
    "local s = ('a'):rep(300000) s:find('.-b')",
    "local s = ('a'):rep(300000) s:match('a*a*a*b')",
    "local s = ('a'):rep(300000) s:match('(a?)(a-)%2b')",
    "local s = ('('):rep(300000) s:gsub('%b()', '')",
    "local s = ('a'):rep(300000) s:find('[' .. ('b'):rep(300000) .. ']')",
    "local s = ('a'):rep(300000) s:find('%f[' .. ('b'):rep(300000) .. ']')",
    "local s = ('a'):rep(300000) s:find('(.*)%1b')",
    "local s = ('a'):rep(300000) for _ in s:gmatch('.-b') do end",
    "local s = ('a'):rep(300000) s:gsub('.-b', 'x')",
    "('x'):gsub('x', function() while true do end end)",
    "('x'):rep(2e6):gsub('x', function() local s = ('a'):rep(1e5) s:find('.-b') end)",
    "pcall(string.find, ('a'):rep(300000), '.-b') while true do end",
    "while true do ('a'):rep(4e6):find(('a'):rep(2e6) .. 'b', 1, true) end",
  ])
  func `a match that would not end is killed`(text: String) throws {
    let limits = LuaLimits(processorTime: .milliseconds(50))
    var script = try Script("on(function()\n\(text)\nend)", limits: limits)
    var step = LuaStep.finished
    let time = ContinuousClock().measure { step = script.run() }
    #expect(step.message?.hasPrefix("hook.lua:2: more than 50 ms of") == true)
    #expect(time < .seconds(2))
  }

  @Test(arguments: [
    "('x'):rep(4e6):gsub('x', 'xx')",
    "('x'):gsub('x', ('%0'):rep(2000000) .. ('y'):rep(190000) .. ('y'):rep(4000000))",
    "('x'):rep(1000):gsub('.*', ('%0'):rep(5000))",
    "('x'):rep(1000):gsub('x', function() return ('y'):rep(5000) end)",
    "('x'):rep(1000):gsub('x', {x = ('y'):rep(5000)})",
    "string.format(('%s'):rep(5), table.unpack({('x'):rep(1e6), 1, 2, 3, ('x'):rep(4e6)}))",
    "string.format('%q', ('\\0'):rep(3e6))",
    "string.format('%s%s', setmetatable({}, {__tostring = function() return ('x'):rep(3e6) end}),"
      + " ('x'):rep(3e6))",
    "string.pack('c2000000000', '')",
    "string.pack(('z'):rep(5), table.unpack({('x'):rep(1e6), '', '', '', ('x'):rep(4e6)}))",
    "print(table.unpack({('x'):rep(2e6), ('x'):rep(3e6)}))",
  ])
  func `no function makes a string that is longer than allowed`(text: String) throws {
    let error = loadFailure(text, limits: patient)?.message
    #expect(error?.contains("resulting string too large (more than 4194304 bytes)") == true)
  }

  @Test func `long strings within the limit are made`() throws {
    let text = """
      local long = ("x"):rep(4194304)
      assert(long:gsub("y", "z") == long)
      assert(("%s"):format(long) == long)
      assert(#("%q"):format(("\\0"):rep(2e6)) == 4000002)
      assert(("%.3s|%5s|%%"):format(long, "a") == "xxx|    a|%")
      assert(#string.pack("z", long:sub(1, 4000000)) == 4000001)
      assert(#string.pack("<i2 c3000000 s4", 1, long:sub(1, 3000000), "abc") == 3000009)
      assert(long:find("y", 1, true) == nil)
      assert((long .. "y"):find("xy", 1, true) == 4194304)
      """
    _ = try Script(text, limits: patient)
  }

  @Test func `format says what Lua's own says`() throws {
    let text = """
      local long = ("x"):rep(1100000)
      for _, arguments in ipairs {
        {"%d", "x"}, {"%d", {}}, {"%s"}, {"%y", 1}, {"%", 1}, {"%10.123f", 1}, {"%s %d", 1},
        {"%q", {}}, {"%5.2s|%-5d|%+.3f", "abc", 42, 1.5}, {"%q", 1/3}, {"%c%x%X%o", 65, 255, 255, 8},
        {long .. "%d", "x"}, {long .. "%s %y", {}, 1}, {long .. "%d", {}}, {long .. "%", 1}, {},
      } do
        local done, result = pcall(string.format, table.unpack(arguments))
        print(done, #arguments, (tostring(result):sub(-60):gsub("0x%x+", "")))
      end
      """
    #expect(try Script(text, limits: patient).record.lines == stockPrinted(text))
  }

  private var patient: LuaLimits { LuaLimits(processorTime: .seconds(60), softMemory: 48 << 20) }
}

import Lua
import Testing

@testable import Hooks

@Suite struct JSONReading {
  private func read(_ text: String) throws -> LuaValue { try JSONReader.read(Array(text.utf8)) }

  private func complaint(_ bytes: [UInt8]) -> String {
    do throws(JSONReader.Fault) {
      return "read: \(try JSONReader.read(bytes))"
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [
    ("0", LuaValue.integer(0)), ("-0", .integer(0)), (" 12\n", .integer(12)),
    ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
    ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1.0", .number(1)),
    ("1e2", .number(100)), ("-1.5E-1", .number(-0.15)), ("1e-999", .number(0)),
    ("true", .boolean(true)), ("false", .boolean(false)), ("null", .nil), ("\"\"", .string("")),
    ("\"a\\u00e4\\ud83d\\udd0c\\n\\/\\\\\\\"\"", .string("aä🔌\n/\\\"")),
    ("\"\\u0000\"", .string("\0")), ("\"無線\"", .string("無線")),
    ("[]", .table(LuaTable())), ("{ }", .table(LuaTable())),
    (
      "[1,[null] , \"x\"]",
      .table(
        LuaTable(array: [.integer(1), .table(LuaTable(array: [.nil])), .string("x")]))
    ),
    (
      "{\"a\" : {\"b\":1}}",
      .table(
        LuaTable(fields: [
          LuaField(
            .string("a"), .table(LuaTable(fields: [LuaField(.string("b"), .integer(1))])))
        ]))
    ),
  ])
  func `what is JSON is read`(text: String, value: LuaValue) throws {
    #expect(try read(text) == value)
  }

  @Test(arguments: [
    ("", "byte 1: a value is missing"), ("  ", "byte 3: a value is missing"),
    ("\u{feff}1", "byte 1: no value begins like this"),
    ("1 2", "byte 3: the text goes on after its value"),
    ("01", "byte 1: not a number of JSON"), ("-", "byte 1: not a number of JSON"),
    ("1.", "byte 3: a digit is missing"), ("1e+", "byte 4: a digit is missing"),
    ("+1", "byte 1: no value begins like this"), (".5", "byte 1: no value begins like this"),
    ("1e999", "byte 1: a number that is too large"), ("NaN", "byte 1: no value begins like this"),
    ("nul", "byte 1: no value begins like this"), ("'a'", "byte 1: no value begins like this"),
    ("[1,]", "byte 4: no value begins like this"), ("[1 2]", "byte 4: a , or ] is missing"),
    ("[", "byte 2: a value is missing"), ("{\"a\"}", "byte 5: a : is missing"),
    ("{\"a\":1,}", "byte 8: a key in quotes is missing"),
    ("{a:1}", "byte 2: a key in quotes is missing"),
    ("{\"a\":1", "byte 7: a , or } is missing"), ("\"a", "byte 3: the end of a string is missing"),
    ("\"a\nb\"", "byte 3: a control character in a string"), ("\"\\x\"", "byte 3: no such escape"),
    ("\"\\u12g4\"", "byte 6: four hexadecimal digits must follow \\u"),
    ("\"\\ud83d\"", "byte 2: half a pair of \\u"), ("\"\\ud83dx\"", "byte 2: half a pair of \\u"),
    ("\"\\udd0c\"", "byte 2: half a pair of \\u"),
    ("\"\\ud83d\\u0041\"", "byte 2: half a pair of \\u"),
  ])
  func `what is none is refused where it stops to be`(text: String, fault: String) {
    #expect(complaint(Array(text.utf8)) == fault)
  }

  @Test func `bytes that are no UTF-8 are refused where they begin`() {
    #expect(complaint(Array("\"ä".utf8) + [0xff, 0x22]) == "byte 4: not UTF-8")
    #expect(complaint([0x22, 0xed, 0xa0, 0x80, 0x22]) == "byte 2: not UTF-8")
  }

  @Test func `depth and number of values are limited`() throws {
    let deep = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
    _ = try read(deep)
    #expect(complaint(Array("[\(deep)]".utf8)) == "byte 33: more than 32 levels")
    let many = "[" + String(repeating: "1,", count: 99_998) + "1]"
    _ = try read(many)
    #expect(complaint(Array("[1,\(many)]".utf8)).hasSuffix("more than 100000 values"))
  }
}

@Suite struct JSONInScripts {
  private func failure(_ text: String) throws -> String? {
    switch try load(text) {
    case .success: nil
    case .failure(let error): error.description
    }
  }

  @Test func `values are written, with keys in order, and read back`() throws {
    #expect(
      try failure(
        #"""
        local j = reach.json
        local function is(value, text) assert(j.encode(value) == text, j.encode(value)) end
        is({ b = 1, a = { 1, 2.5, "x\n\"", true, false } }, [[{"a":[1,2.5,"x\n\"",true,false],"b":1}]])
        is({}, "{}") is(nil, "null") is("ä", '"ä"') is(1.0, "1.0") is(math.mininteger, "-9223372036854775808")
        is({ 1, nil, 3 }, "[1,null,3]")
        local value = j.decode('{"a":[1,{"b":null}],"c":1.0,"d":"\\u00e4","e":12345678901234567890}')
        assert(#value.a == 2 and value.a[2].b == nil and math.type(value.a[1]) == "integer")
        assert(math.type(value.c) == "float" and value.d == "ä" and value.e == 12345678901234567890.0)
        is(j.decode("[1,null,3]"), "[1,null,3]")
        local deep = ("["):rep(32) .. ("]"):rep(32)
        assert(type(j.decode(deep)[1][1]) == "table")
        """#) == nil)
  }

  @Test(arguments: [
    ("encode({ a = { 1, print } })", "value.a[2]: a function cannot be written as JSON"),
    ("encode({ a = { b = 0/0 } })", "value.a.b: JSON has no number that is not finite"),
    ("encode({ math.huge })", "value[1]: JSON has no number that is not finite"),
    ("encode({ 1, a = 2 })", "value: both a list and a table with keys"),
    ("encode({ x = { [3] = 1 } })", "value.x: a key that is 3; a list has no gaps"),
    ("encode({ [true] = 1 })", "value: a key that is true"),
    ("encode({ a = '\\xff' })", "value.a: a string that is not UTF-8"),
    ("encode({ a = {}, t = reach.internet })", "value.t: a target cannot be written as JSON"),
    ("encode()", "reach.json.encode takes one value"),
    (
      "encode((function() local t = {} t.t = t return t end)())",
      "table too deep (more than 16 levels)"
    ),
    (
      "encode(('x'):rep(4 << 20))",
      "more than 4 MiB of JSON"
    ),
    ("decode('[1')", "reach.json.decode: byte 3: a , or ] is missing"),
    ("decode()", "reach.json.decode takes a string, not nil"),
    ("decode('\"\\xff\"')", "reach.json.decode: byte 2: not UTF-8"),
  ])
  func `what JSON does not have is named`(call: String, complaint: String) throws {
    let failure = try failure("local x = reach.json.\(call)")
    #expect(failure?.hasPrefix("t.lua:1: ") == true)
    #expect(failure?.hasSuffix(complaint) == true, "\(failure ?? "nil")")
  }
}

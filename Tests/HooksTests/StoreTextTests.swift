import Lua
import TestSupport
import Testing

@testable import Hooks

@Suite struct StoreTexts {
  private func value(_ random: inout Seeded, depth: Int) -> LuaValue {
    switch random.below(depth > 3 ? 6 : 8) {
    case 0: .boolean(random.below(2) == 0)
    case 1: .integer(Int64(bitPattern: random.next()))
    case 2: .number(Double(bitPattern: random.next()))
    case 3: .number([0.5, -0.0, .infinity, -.infinity, 1e300][random.below(5)])
    case 4: .string(["", "=", "=s", "a b", "é\n\u{0}", "1"][random.below(6)])
    case 5: .bytes([0xff, UInt8(random.below(256))])
    default: .table(table(&random, depth: depth + 1))
    }
  }

  private func table(_ random: inout Seeded, depth: Int = 0) -> LuaTable {
    var table = LuaTable()
    for _ in 0..<random.below(4) { table.array.append(value(&random, depth: depth)) }
    var keys: Set<LuaValue> = []
    for _ in 0..<random.below(4) {
      let key = value(&random, depth: 9)
      if case .number(let number) = key, number.isNaN { continue }
      guard keys.insert(key).inserted else { continue }
      table.fields.append(LuaField(key, value(&random, depth: depth)))
    }
    return table
  }

  @Test func `what is kept comes back as it was`() throws {
    var random = Seeded(7)
    for _ in 0..<3000 {
      let table = table(&random)
      let text = try StoreText.text(of: table)
      let read = try #require(StoreText.table(of: text), "\(text)")
      // A list with fields comes back as fields of which some are numbered, which is the same in
      // Lua, and NaN is equal to nothing: so texts are compared.
      #expect(try StoreText.text(of: read) == text)
    }
  }

  @Test func `what is kept is JSON that a person can read`() throws {
    let table = LuaTable(fields: [
      LuaField(.string("hosts"), .table(LuaTable(array: [.string("a"), .string("b")]))),
      LuaField(.integer(5), .number(1)),
    ])
    #expect(try StoreText.text(of: table) == #"{"=i5":1.0,"hosts":["a","b"]}"#)
    #expect(try StoreText.text(of: LuaTable()) == StoreText.empty)
  }

  @Test func `a list with a gap keeps its places`() throws {
    let table = LuaTable(array: [.integer(1), .nil, .integer(3)])
    let text = try StoreText.text(of: table)
    #expect(text == #"{"=i1":1,"=i3":3}"#)
  }

  @Test(arguments: [
    (LuaValue.unsupported("function"), "store.a[2].cb: functions cannot be stored"),
    (.unsupported("thread"), "store.a[2].cb: threads cannot be stored"),
    (.object(LuaObject(classID: 0, id: 0)), "store.a[2].cb: targets and timers cannot be stored"),
  ])
  func `what cannot be kept is named with its place`(value: LuaValue, message: String) {
    let inner = LuaTable(fields: [LuaField(.string("cb"), value)])
    let list = LuaTable(array: [.integer(1), .table(inner)])
    let table = LuaTable(fields: [LuaField(.string("a"), .table(list))])
    let fault = #expect(throws: StoreText.Fault.self) { try StoreText.text(of: table) }
    #expect(fault?.description == message)
  }

  @Test func `keys that cannot be kept and too much are refused`() {
    let key = LuaTable(fields: [LuaField(.unsupported("table"), .integer(1))])
    #expect(
      #expect(throws: StoreText.Fault.self) { try StoreText.text(of: key) }?.description
        == "store: tables cannot be keys of what is stored")
    let long = LuaTable(array: [.string(String(repeating: "x", count: 65536))])
    #expect(
      #expect(throws: StoreText.Fault.self) { try StoreText.text(of: long) }?.description
        == "store: more than 64 KiB")
  }

  @Test(arguments: ["", "5", "{", "[1", #"{"=q1":2}"#, #"{"=":"i"}"#, #"{"=xf":1}"#, #"[null]"#])
  func `a text of another kind is no table`(text: String) {
    #expect(StoreText.table(of: text) == nil)
  }
}

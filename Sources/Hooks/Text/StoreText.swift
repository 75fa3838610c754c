internal import Lua

/// What a script keeps, as one text of JSON.
///
/// A list is an array, all else an object whose keys are strings. What JSON does not have is said by
/// a key that begins with `=`: `=i5` is the integer 5, `=n0.5` a float, `=btrue` a boolean, `=xff00`
/// a string that is not UTF-8, `=s=x` the string `=x`; an object `{"=":"n-inf"}` is such a value.
enum StoreText {
  /// More bytes are refused.
  static let longest = 64 << 10
  /// The text of an empty table.
  static let empty = "[]"

  /// Why a table cannot be kept: `store.a[2].cb: functions cannot be stored`.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  // MARK: Writing

  /// The text of a table.
  static func text(of table: LuaTable) throws(Fault) -> String {
    var writer = JSONWriter()
    try write(table, at: "store", to: &writer)
    guard writer.text.utf8.count <= longest else {
      throw Fault(description: "store: more than \(longest >> 10) KiB")
    }
    return writer.text
  }

  private static func write(
    _ value: LuaValue, at path: String, to writer: inout JSONWriter
  ) throws(Fault) {
    switch value {
    case .boolean(let flag): writer.value(flag)
    case .integer(let integer): writer.value(integer)
    case .number(let number) where number.isFinite: writer.value(number)
    case .string(let text): writer.value(text)
    case .table(let table): try write(table, at: path, to: &writer)
    case .number, .bytes:
      let tagged = tagged(value)
      writer.object { $0.field("=", tagged) }
    case .nil, .function, .object, .unsupported:
      throw Fault(description: "\(path): \(plural(value)) cannot be stored")
    }
  }

  private static func write(
    _ table: LuaTable, at path: String, to writer: inout JSONWriter
  ) throws(Fault) {
    if table.fields.isEmpty, !table.array.contains(.nil) {
      return try writer.enclose("[", "]") { json throws(Fault) in
        for (index, item) in table.array.enumerated() {
          try write(item, at: "\(path)[\(index + 1)]", to: &json)
        }
      }
    }
    try writer.enclose("{", "}") { json throws(Fault) in
      for (key, place, value) in try fields(of: table, in: path) {
        json.key(key)
        try write(value, at: place, to: &json)
      }
    }
  }

  /// All that is in a table, in the order of its keys' texts.
  private static func fields(
    of table: LuaTable, in path: String
  ) throws(Fault) -> [(key: String, place: String, value: LuaValue)] {
    let items = table.array.enumerated().map { LuaField(.integer(Int64($0 + 1)), $1) }
    var fields: [(key: String, place: String, value: LuaValue)] = []
    for field in items + table.fields where field.value != .nil {
      let place = try place(of: field.key, in: path)
      if case .string(let name) = field.key, !name.hasPrefix("=") {
        fields.append((name, place, field.value))
      } else {
        fields.append(("=" + (tagged(field.key) ?? ""), place, field.value))
      }
    }
    return fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  private static func place(of key: LuaValue, in path: String) throws(Fault) -> String {
    switch key {
    case .string(let name): "\(path).\(name.printable)"
    case .integer(let number): "\(path)[\(number)]"
    case .number(let number): "\(path)[\(number)]"
    case .boolean(let flag): "\(path)[\(flag)]"
    case .bytes: "\(path)[…]"
    case .nil, .function, .object, .table, .unsupported:
      throw Fault(description: "\(path): \(plural(key)) cannot be keys of what is stored")
    }
  }

  private static func plural(_ value: LuaValue) -> String {
    switch value {
    case .function: "functions"
    case .object: "targets and timers"
    case .unsupported(let type): "\(type)s"
    default: "such values"
    }
  }

  /// A key or a value by a letter for its type; nil for what has none.
  private static func tagged(_ value: LuaValue) -> String? {
    switch value {
    case .boolean(let flag): "b\(flag)"
    case .integer(let integer): "i\(integer)"
    case .number(let number): number.isNaN ? "nnan" : "n\(number)"
    case .string(let text): "s\(text)"
    case .bytes(let bytes):
      "x" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    case .nil, .function, .object, .table, .unsupported: nil
    }
  }

  // MARK: Reading

  /// The table of a text; nil for a text of another kind.
  static func table(of text: String) -> LuaTable? {
    guard let json = try? JSONReader.read(Array(text.utf8)), case .table(let table) = read(json)
    else { return nil }
    return table
  }

  private static func read(_ json: LuaValue) -> LuaValue? {
    guard case .table(let table) = json else { return json == .nil ? nil : json }
    if case .string(let tag)? = table["="], table.fields.count == 1 { return untagged(tag[...]) }
    var result = LuaTable()
    for item in table.array {
      guard let value = read(item) else { return nil }
      result.array.append(value)
    }
    for field in table.fields {
      guard case .string(let name) = field.key, let value = read(field.value),
        let key = name.hasPrefix("=") ? untagged(name.dropFirst()) : .string(name)
      else { return nil }
      result.fields.append(LuaField(key, value))
    }
    return .table(result)
  }

  private static func untagged(_ tag: Substring) -> LuaValue? {
    let text = tag.dropFirst()
    switch tag.first {
    case "b": return Bool(String(text)).map(LuaValue.boolean)
    case "i": return Int64(text).map(LuaValue.integer)
    case "n": return Double(text).map(LuaValue.number)
    case "s": return .string(String(text))
    case "x": return bytes(of: text).map(LuaValue.bytes)
    default: return nil
    }
  }

  private static func bytes(of text: Substring) -> [UInt8]? {
    let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }
}

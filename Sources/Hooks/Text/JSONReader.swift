internal import Lua

/// Reads one JSON value, strictly as RFC 8259 has it, into a value of Lua.
///
/// A number without fraction and exponent is an integer where 64 bits hold it. Null is nil.
struct JSONReader {
  /// A text that is no JSON: where, and why.
  struct Fault: Error, Hashable, CustomStringConvertible {
    /// Counted from 1.
    let byte: Int
    let complaint: String

    var description: String { "byte \(byte): \(complaint)" }
  }

  /// Levels of arrays and objects; a text that is deeper is refused.
  static let deepest = 32
  /// Values in a text; one with more is refused, since each costs many times its bytes.
  static let mostValues = 100_000

  private let bytes: [UInt8]
  private var position = 0
  private var count = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads a text.
  ///
  /// - Throws: the first byte that does not fit, and what is wrong with it.
  static func read(_ bytes: [UInt8]) throws(Fault) -> LuaValue {
    if let byte = firstForeign(bytes) { throw Fault(byte: byte, complaint: "not UTF-8") }
    var reader = JSONReader(bytes)
    let value = try reader.value(depth: 1)
    guard reader.next == nil else { throw reader.fault("the text goes on after its value") }
    return value
  }

  /// The first byte that belongs to no UTF-8, counted from 1.
  private static func firstForeign(_ bytes: [UInt8]) -> Int? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var iterator = bytes.makeIterator()
    var decoder = UTF8()
    var good = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { good += UTF8.width(scalar) }
    return good + 1
  }

  // MARK: Values

  private mutating func value(depth: Int) throws(Fault) -> LuaValue {
    guard let first = next else { throw fault("a value is missing") }
    count += 1
    guard count <= JSONReader.mostValues else {
      throw fault("more than \(JSONReader.mostValues) values")
    }
    switch first {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try array(depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), 0x30...0x39: return try number()
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .nil)
    default: throw fault("no value begins like this")
    }
  }

  private mutating func array(_ depth: Int) throws(Fault) -> LuaValue {
    try enter(depth)
    var table = LuaTable()
    if take("]") { return .table(table) }
    repeat { table.array.append(try value(depth: depth + 1)) } while take(",")
    guard take("]") else { throw fault("a , or ] is missing") }
    return .table(table)
  }

  private mutating func object(_ depth: Int) throws(Fault) -> LuaValue {
    try enter(depth)
    var table = LuaTable()
    if take("}") { return .table(table) }
    repeat {
      guard next == UInt8(ascii: "\"") else { throw fault("a key in quotes is missing") }
      let key = try string()
      guard take(":") else { throw fault("a : is missing") }
      table.fields.append(LuaField(.string(key), try value(depth: depth + 1)))
    } while take(",")
    guard take("}") else { throw fault("a , or } is missing") }
    return .table(table)
  }

  private mutating func enter(_ depth: Int) throws(Fault) {
    guard depth <= JSONReader.deepest else {
      throw fault("more than \(JSONReader.deepest) levels")
    }
    position += 1
  }

  private mutating func word(_ text: String, _ value: LuaValue) throws(Fault) -> LuaValue {
    guard bytes[position...].starts(with: text.utf8) else {
      throw fault("no value begins like this")
    }
    position += text.utf8.count
    return value
  }

  private mutating func number() throws(Fault) -> LuaValue {
    let start = position
    var isInteger = true
    if here == UInt8(ascii: "-") { position += 1 }
    let leading = here
    let digits = skipDigits()
    guard digits == 1 || digits > 1 && leading != UInt8(ascii: "0") else {
      throw Fault(byte: start + 1, complaint: "not a number of JSON")
    }
    if here == UInt8(ascii: ".") {
      isInteger = false
      position += 1
      guard skipDigits() > 0 else { throw fault("a digit is missing") }
    }
    if here == UInt8(ascii: "e") || here == UInt8(ascii: "E") {
      isInteger = false
      position += 1
      if here == UInt8(ascii: "+") || here == UInt8(ascii: "-") { position += 1 }
      guard skipDigits() > 0 else { throw fault("a digit is missing") }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger, let integer = Int64(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else {
      throw Fault(byte: start + 1, complaint: "a number that is too large")
    }
    return .number(number)
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while let byte = here, (0x30...0x39).contains(byte) { position += 1 }
    return position - start
  }

  // MARK: Strings

  private mutating func string() throws(Fault) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = here {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += try escape().utf8
      case 0..<0x20: throw fault("a control character in a string")
      default:
        text.append(byte)
        position += 1
      }
    }
    throw fault("the end of a string is missing")
  }

  private mutating func escape() throws(Fault) -> String {
    position += 1
    guard let letter = here else { throw fault("the end of a string is missing") }
    if letter == UInt8(ascii: "u") { return String(try scalar()) }
    guard let escape = JSONReader.escapes.first(where: { $0.letter == letter }) else {
      throw fault("no such escape")
    }
    position += 1
    return escape.text
  }

  private static let escapes: [(letter: UInt8, text: String)] = [
    (UInt8(ascii: "\""), "\""), (UInt8(ascii: "\\"), "\\"), (UInt8(ascii: "/"), "/"),
    (UInt8(ascii: "b"), "\u{8}"), (UInt8(ascii: "f"), "\u{c}"), (UInt8(ascii: "n"), "\n"),
    (UInt8(ascii: "r"), "\r"), (UInt8(ascii: "t"), "\t"),
  ]

  /// Reads `u00e4`, or the two of a pair: `ud83d\udd0c`.
  private mutating func scalar() throws(Fault) -> Character {
    let start = position
    let first = try unit()
    if let scalar = Unicode.Scalar(first) { return Character(scalar) }
    guard UTF16.isLeadSurrogate(UInt16(first)), here == UInt8(ascii: "\\") else {
      throw Fault(byte: start, complaint: "half a pair of \\u")
    }
    position += 1
    guard here == UInt8(ascii: "u") else {
      throw Fault(byte: start, complaint: "half a pair of \\u")
    }
    let second = try unit()
    guard (0xdc00...0xdfff).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
    else { throw Fault(byte: start, complaint: "half a pair of \\u") }
    return Character(scalar)
  }

  /// Reads the letter u and four digits.
  private mutating func unit() throws(Fault) -> UInt32 {
    position += 1
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = here, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw fault("four hexadecimal digits must follow \\u")
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }

  // MARK: Bytes

  /// The byte at the position, nil at the end.
  private var here: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The byte that follows spaces and line ends, to which the position moves.
  private var next: UInt8? {
    mutating get {
      while let byte = here, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { position += 1 }
      return here
    }
  }

  /// Skips a character that comes next; false where another does.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private func fault(_ complaint: String) -> Fault {
    Fault(byte: position + 1, complaint: complaint)
  }
}

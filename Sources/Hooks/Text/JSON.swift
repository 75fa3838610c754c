/// Writes one JSON value; RFC 8259.
public struct JSONWriter {
  /// What has been written.
  public private(set) var text = ""
  private var needsComma = false

  /// Nothing written yet.
  public init() {}

  /// Writes an object with what `body` puts into it.
  public mutating func object(_ body: (inout JSONWriter) -> Void) { enclose("{", "}", body) }

  /// Writes an array with what `body` puts into it.
  public mutating func array(_ body: (inout JSONWriter) -> Void) { enclose("[", "]", body) }

  /// Writes a key; its value must follow.
  public mutating func key(_ name: String) {
    value(name)
    text += ":"
    needsComma = false
  }

  /// Writes a string, or null.
  public mutating func value(_ string: String?) {
    guard let string else { return raw("null") }
    raw(JSONWriter.quoted(string))
  }

  /// Writes an integer, or null.
  public mutating func value(_ integer: Int64?) { raw(integer.map { "\($0)" } ?? "null") }

  /// Writes a number, or null: JSON has no infinity and no NaN.
  public mutating func value(_ number: Double?) {
    raw(number.flatMap { $0.isFinite ? "\($0)" : nil } ?? "null")
  }

  /// Writes true, false or null.
  public mutating func value(_ boolean: Bool?) { raw(boolean.map { "\($0)" } ?? "null") }

  private mutating func raw(_ literal: String) {
    if needsComma { text += "," }
    text += literal
    needsComma = true
  }

  mutating func enclose<Failure>(
    _ opening: String, _ closing: String, _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    raw(opening)
    needsComma = false
    try body(&self)
    text += closing
    needsComma = true
  }

  private static func quoted(_ string: String) -> String {
    let isPlain = string.utf8.allSatisfy { byte in
      (0x20..<0x7f).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
    if isPlain { return "\"\(string)\"" }
    var text = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

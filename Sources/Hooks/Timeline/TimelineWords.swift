/// A word of a line of a timeline.
struct TimelineWord: Hashable {
  /// What it says, without quotes and escapes.
  var text: String
  /// Whether all of it stands in quotes.
  var isQuoted = false
  /// What follows its `=` where that stands in quotes; `text` is then what goes before it.
  var quotedValue: String?

  /// The text of a word that is not quoted, for those that are one of a few.
  var bare: String? { isQuoted || quotedValue != nil ? nil : text }

  /// `KEY=VALUE` as its parts; nil where it is none.
  var pair: (key: String, value: String)? {
    if let quotedValue { return (text, quotedValue) }
    // By bytes: a mark that follows makes one character with the sign.
    guard !isQuoted, let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    return (String(text[..<equals]), String(Substring(text.utf8[equals...].dropFirst())))
  }

  /// As it is written, for errors.
  var written: String {
    if let quotedValue { return "\(text)=\(TimelineWord.quoted(quotedValue))" }
    return isQuoted ? TimelineWord.quoted(text) : text
  }
}

extension TimelineWord {
  /// What keeps a line from being words.
  struct Fault: Error { let text: String }

  /// Reads the words of a line in UTF-8 without its end, up to its comment.
  static func words(of line: ArraySlice<UInt8>) throws(Fault) -> [TimelineWord] {
    var words: [TimelineWord] = []
    var rest = line
    while true {
      rest = rest.drop(while: isBlank)
      guard let first = rest.first, first != UInt8(ascii: "#") else { return words }
      words.append(try word(from: &rest))
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func word(from rest: inout ArraySlice<UInt8>) throws(Fault) -> TimelineWord {
    if rest.first == UInt8(ascii: "\"") {
      return TimelineWord(text: try quotation(from: &rest), isQuoted: true)
    }
    let start = rest.prefix { !isBlank($0) && $0 != UInt8(ascii: "\"") }
    rest = rest.dropFirst(start.count)
    let text = String(decoding: start, as: UTF8.self)
    guard rest.first == UInt8(ascii: "\"") else { return TimelineWord(text: text) }
    guard start.last == UInt8(ascii: "="), start.dropLast().allSatisfy({ $0 != start.last }) else {
      let word = start + rest.prefix { !isBlank($0) }
      let whole = String(decoding: word, as: UTF8.self)
      throw Fault(text: "a quote within \(whole); did you mean \(quoted(whole))?")
    }
    let key = String(decoding: start.dropLast(), as: UTF8.self)
    return TimelineWord(text: key, quotedValue: try quotation(from: &rest))
  }

  /// Reads what stands in quotes, after which a word ends.
  private static func quotation(from rest: inout ArraySlice<UInt8>) throws(Fault) -> String {
    rest = rest.dropFirst()
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""):
        guard rest.first.map(isBlank) ?? true else {
          throw Fault(text: "a blank is missing after the closing quote")
        }
        return String(decoding: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"): bytes += try escape(from: &rest)
      default: bytes.append(byte)
      }
    }
    throw Fault(text: "the closing quote is missing")
  }

  private static func escape(from rest: inout ArraySlice<UInt8>) throws(Fault) -> [UInt8] {
    let letter = rest.popFirst()
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): return [letter ?? 0]
    case UInt8(ascii: "n"): return [0x0a]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "r"): return [0x0d]
    case UInt8(ascii: "u"):
      let digits = rest.dropFirst().prefix { $0 != UInt8(ascii: "}") }
      guard rest.first == UInt8(ascii: "{"), (1...8).contains(digits.count),
        digits.endIndex < rest.endIndex, digits.allSatisfy({ $0 != UInt8(ascii: "+") }),
        let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
        let scalar = Unicode.Scalar(value)
      else { throw Fault(text: #"\u takes a character's number in braces, as in \u{e9}"#) }
      rest = rest[digits.endIndex...].dropFirst()
      return Array(String(scalar).utf8)
    default:
      throw Fault(text: #"after a \ in quotes there is one of " \ n t r u{…}"#)
    }
  }
}

extension TimelineWord {
  /// A target's name as a word of a line.
  static func name(_ text: String) -> String {
    text.utf8.first == UInt8(ascii: "#") || text.utf8.first == UInt8(ascii: "@")
      ? quoted(text) : value(text)
  }

  /// A value as what stands after its `=`.
  static func value(_ text: String) -> String {
    let isPlain =
      !text.isEmpty && text.printable == text
      && text.utf8.allSatisfy { !isBlank($0) && $0 != UInt8(ascii: "\"") }
    return isPlain ? text : quoted(text)
  }

  /// A text in quotes, safe for a terminal and for one line.
  fileprivate static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      default: quoted += String(scalar).printable
      }
    }
    return quoted + "\""
  }
}

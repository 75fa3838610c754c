internal import Fuzzing
internal import Hooks

/// Outside text on its way to a terminal, to a log, and into a string of JSON.
@main enum Printable: Fuzzer {
  static func check(_ input: Input) {
    let text = input.text
    let printable = text.printable
    expect(
      !printable.unicodeScalars.contains(where: isControl), "\(text.debugDescription) is tamed")
    expect(printable.printable == printable, "printable text stays as it is")

    var writer = JSONWriter()
    writer.value(text)
    let json = writer.text
    expect(!json.unicodeScalars.contains(where: isControl), "JSON has no raw control characters")
    expect(
      unquoted(json).map { $0.unicodeScalars.elementsEqual(text.unicodeScalars) } ?? false,
      "\(json) is read back as \(text.debugDescription)")
  }

  /// C0, DEL, C1, and the two separators that end a line.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1f, 0x7f...0x9f, 0x2028, 0x2029: true
    default: false
    }
  }

  /// Reads a string by RFC 8259, section 7, without pairs of surrogates; nil where it is none.
  private static func unquoted(_ json: String) -> String? {
    var rest = json.unicodeScalars[...]
    guard rest.popFirst() == "\"" else { return nil }
    var text = ""
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"": return rest.isEmpty ? text : nil
      case "\\":
        guard let character = escaped(&rest) else { return nil }
        text.unicodeScalars.append(character)
      case "\u{0}"..."\u{1f}": return nil
      default: text.unicodeScalars.append(scalar)
      }
    }
    return nil
  }

  private static func escaped(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar? {
    switch rest.popFirst() {
    case "\"": return "\""
    case "\\": return "\\"
    case "/": return "/"
    case "b": return "\u{8}"
    case "f": return "\u{c}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      let digits = rest.prefix(4)
      guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit) else { return nil }
      rest = rest.dropFirst(4)
      return UInt32(String(digits), radix: 16).flatMap(Unicode.Scalar.init)
    default: return nil
    }
  }
}

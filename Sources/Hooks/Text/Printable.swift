extension String {
  /// The text made safe for a terminal and for one line of a log: control characters, line ends
  /// and marks that turn the writing direction are written as `\n` or `\u{…}`.
  public var printable: String {
    let isPlain = utf8.allSatisfy { (0x20..<0x7f).contains($0) }
    guard !isPlain, unicodeScalars.contains(where: \.isUnprintable) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case _ where scalar.isUnprintable: text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  fileprivate var isUnprintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      true
    default: false
    }
  }
}

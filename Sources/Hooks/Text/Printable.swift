extension String {
  /// The text made safe for a terminal and for one line of a log: control characters, line ends
  /// and marks that turn the writing direction are written as `\n` or `\u{…}`.
  public var printable: String {
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

extension String {
  /// Whether it is ASCII without control characters, as most of what is logged is.
  private var isPlain: Bool { utf8.allSatisfy { (0x20..<0x7f).contains($0) } }

  /// The text made safe for a log, with tabs left in it, and lines after the first indented.
  var printableLines: String {
    if isPlain { return self }
    let lines = split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false)
        .map { String($0).printable }.joined(separator: "\t")
    }
    return lines.joined(separator: "\n    ")
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

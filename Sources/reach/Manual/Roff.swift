/// Writes a page of the manual in the man macros of roff; groff_man(7).
///
/// In its texts `like this` is bold, options are bold too, and the words that stand for values
/// are italic.
struct Roff {
  private(set) var text: String
  private let placeholders: Set<String>
  /// Whether nothing stands under the last title yet.
  private var isAtStart = false

  /// - Parameters:
  ///   - name: what is described, in small letters.
  ///   - section: the section of the manual.
  ///   - title: what the section holds.
  ///   - source: whose the page is, and of which version and day.
  ///   - placeholders: the words that stand for values, such as `PATH`.
  init(
    _ name: String, section: Int, _ title: String, source: (name: String, date: String),
    placeholders: Set<String>
  ) {
    let date = source.date
    self.placeholders = placeholders
    let (name, source, title) = (
      Roff.escaped(name.uppercased()), Roff.escaped(source.name), Roff.escaped(title)
    )
    // A day is read as one only without escapes.
    text = ".TH \"\(name)\" \(section) \(date) \"\(source)\" \"\(title)\"\n"
    // Neither hyphens at the ends of lines nor stretched lines: names are to be found and copied.
    text += ".nr HY 0\n.nh\n.ad l\n"
  }

  mutating func section(_ title: String) {
    text += ".SH \"\(Roff.escaped(title))\"\n"
    isAtStart = true
  }

  mutating func subsection(_ title: String) {
    text += ".SS \"\(styled(title))\"\n"
    isAtStart = true
  }

  /// A line as it stands, within a section that has no other lines.
  mutating func line(_ line: String) { text += "\(lineStart(styled(line)))\n" }

  /// What follows begins a line of its own.
  mutating func lineBreak() { text += ".br\n" }

  /// Paragraphs, which empty lines divide; one that is indented stays as it is.
  mutating func paragraphs(_ paragraphs: String) {
    for lines in Roff.paragraphs(paragraphs) {
      if let indent = lines.map({ $0.prefix { $0 == " " }.count }).min(), indent > 0 {
        example(lines.map { $0.dropFirst(indent) }.joined(separator: "\n"))
      } else {
        beginParagraph()
        text += flowing(lines)
      }
    }
  }

  /// What something means: its name at the margin, the text indented beneath it or beside it.
  mutating func item(_ name: String, _ meaning: String) {
    isAtStart = false
    text += ".TP\n\(lineStart(styled(name)))\n"
    for (number, lines) in Roff.paragraphs(meaning).enumerated() {
      if number > 0 { text += ".IP\n" }
      text += flowing(lines)
    }
  }

  /// What follows belongs to the item above, and stands deeper.
  mutating func beginInset() { text += ".RS\n" }

  mutating func endInset() { text += ".RE\n" }

  /// Lines that stay as they are.
  mutating func example(_ lines: String) {
    beginParagraph()
    text += ".RS 4\n.EX\n"
    for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
      text += "\(lineStart(Roff.escaped(line)))\n"
    }
    text += ".EE\n.RE\n"
  }

  /// Divides what follows from what is above it, other than a title.
  private mutating func beginParagraph() {
    if !isAtStart { text += ".PP\n" }
    isAtStart = false
  }

  // MARK: Texts

  /// The paragraphs of a text, each as its lines.
  private static func paragraphs(_ text: String) -> [[Substring]] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .split { $0.allSatisfy(\.isWhitespace) }.map(Array.init)
  }

  /// Lines that roff may break elsewhere.
  private func flowing(_ lines: [Substring]) -> String {
    // At once, since a quote may end in another line than it begins in.
    styled(lines.joined(separator: "\n")).split(separator: "\n")
      .map { "\(lineStart(String($0)))\n" }.joined()
  }

  /// A line of text, which no dot or quote makes a request of roff.
  private func lineStart(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&\(line)" : line
  }

  /// A text with its fonts.
  func styled(_ text: some StringProtocol) -> String {
    var styled = ""
    let parts = String(text).split(separator: "`", omittingEmptySubsequences: false)
    for (number, part) in parts.enumerated() {
      styled += number % 2 == 1 ? bold(part) : words(part)
    }
    return styled
  }

  /// Text outside of quotes: options bold, what stands for values italic.
  private func words(_ text: Substring) -> String {
    var result = ""
    var rest = text
    while let first = rest.first {
      let word = rest.prefix { $0.isLetter || $0 == "-" || $0 == "_" || $0.isNumber }
      guard !word.isEmpty else {
        result += Roff.escaped(String(first))
        rest.removeFirst()
        continue
      }
      rest = rest[word.endIndex...]
      if word.hasPrefix("--"), word.count > 2 {
        result += bold(word)
      } else if placeholders.contains(String(word)) {
        result += "\\fI\(Roff.escaped(word))\\fR"
      } else {
        result += Roff.escaped(word)
      }
    }
    return result
  }

  private func bold(_ text: Substring) -> String { "\\fB\(Roff.escaped(text))\\fR" }

  /// A text as roff prints it, letter for letter.
  static func escaped(_ text: some StringProtocol) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      // A bare hyphen may be printed as one that no shell knows; so may these.
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "\"": result += "\\(dq"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "`": result += "\\(ga"
      case "…": result += "..."
      case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
      default: result += "\\[u\(Roff.digits(scalar.value))]"
      }
    }
    return result
  }

  /// Four hexadecimal digits or more, as roff names a character by.
  private static func digits(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

/// Texts that no log shows.
struct HiddenTexts: Sendable {
  /// The longest first, so that a text within another leaves nothing of that.
  private var texts: [[UInt8]] = []

  /// Lines of a text that are shorter are hidden only with the whole of it.
  private static let shortestLine = 8

  /// Hides a text, each of its lines, since logs show commands' last lines, and both as they look
  /// with escapes for what is not printable.
  mutating func add(_ text: String) {
    let lines = text.split(separator: "\n").map(String.init)
    let long = lines.filter { $0.utf8.count >= HiddenTexts.shortestLine }
    for form in [text, text.printable] + long + long.map(\.printable) {
      let bytes = Array(form.utf8)
      if !bytes.isEmpty, !texts.contains(bytes) { texts.append(bytes) }
    }
    texts.sort { $0.count > $1.count }
  }

  /// The text with `***` in place of what is hidden.
  func redacting(_ text: String) -> String {
    if texts.isEmpty { return text }
    var bytes = Array(text.utf8)
    for hidden in texts where hidden.count <= bytes.count {
      bytes.replace(hidden, with: Array("***".utf8))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

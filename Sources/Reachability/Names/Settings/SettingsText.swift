/// The lines of one of the system's settings files, each as its words.
///
/// Outside bytes: what is no UTF-8 becomes a replacement character, which no name and no address has.
struct SettingsText: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>
  private let comments: Set<UInt8>

  /// - Parameters:
  ///   - bytes: the file.
  ///   - comments: the characters that begin a comment, wherever they stand.
  init(_ bytes: [UInt8], comments: String) {
    rest = bytes[...]
    self.comments = Set(comments.utf8)
  }

  /// The words of the next line that has any.
  mutating func next() -> [String]? {
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 0x0a) ?? rest.endIndex
      let line = rest[..<end].prefix { !comments.contains($0) }
      rest = rest[(end == rest.endIndex ? end : end + 1)...]
      let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
      if !words.isEmpty { return words.map { String(decoding: $0, as: UTF8.self) } }
    }
    return nil
  }
}

/// Looks for bytes in a stream that comes in pieces, in steps linear to its length; the algorithm of
/// Knuth, Morris and Pratt.
struct ByteSearch {
  private let wanted: [UInt8]
  /// For each length found, the next shorter one that the same bytes end with.
  private let shorter: [Int]
  private var found = 0

  /// Whether the stream has held the bytes.
  private(set) var isFound: Bool

  init(for wanted: [UInt8]) {
    self.wanted = wanted
    isFound = wanted.isEmpty
    var shorter = [0]
    var length = 0
    for byte in wanted.dropFirst() {
      while length > 0, wanted[length] != byte { length = shorter[length - 1] }
      if wanted[length] == byte { length += 1 }
      shorter.append(length)
    }
    self.shorter = shorter
  }

  /// Takes the next piece.
  mutating func take(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes {
      if isFound { return }
      while found > 0, wanted[found] != byte { found = shorter[found - 1] }
      if wanted[found] == byte { found += 1 }
      isFound = found == wanted.count
    }
  }
}

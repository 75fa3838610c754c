/// Finds the word that a misspelt one was meant to be.
public enum Nearest {
  /// The candidate that needs the fewest changes, or else shares most with the word; nil where every
  /// one is too far away.
  ///
  /// A change is a letter put in, left out, replaced or swapped with its neighbour; a third of the
  /// letters may be wrong, and one always. `on_reachable` ends and `warning` begins with a
  /// candidate, which goes before one that differs by more than a letter. What other programs call a
  /// thing goes before all that. A word of more than 64 bytes is not compared: a script could hold
  /// up everything with it.
  public static func match(to word: String, among candidates: some Sequence<String>) -> String? {
    guard word.utf8.count <= 64 else { return nil }
    if let meant = meaning(of: word.lowercased(), among: candidates) { return meant }
    let limit = max(1, word.count / 3)
    var best: (candidate: String, distance: Int)?
    var inside: String?
    for candidate in candidates {
      let distance = distance(Array(word.utf8), Array(candidate.utf8))
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
      if shares(word, candidate), candidate.count > inside?.count ?? 0 { inside = candidate }
    }
    if let best, best.distance <= 1 { return best.candidate }
    return inside ?? best?.candidate
  }

  /// What is meant by a word that other programs have: `ping` for `icmp`, `onOffline` for
  /// `unreachable`.
  private static func meaning(of word: String, among candidates: some Sequence<String>) -> String? {
    let bare = word.hasPrefix("on") ? word.dropFirst(word.hasPrefix("on_") ? 3 : 2) : word[...]
    return candidates.first { candidate in
      candidate == word || candidate == bare
        || synonyms.contains {
          $0.meant == candidate && ($0.words.contains(word) || $0.words.contains(String(bare)))
        }
    }
  }

  private static let synonyms: [(meant: String, words: [String])] = [
    ("reachable", ["online", "up", "connected", "available"]),
    ("unreachable", ["offline", "down", "lost", "disconnected", "unavailable"]),
    ("wired", ["lan", "ethernet", "eth", "cable"]),
    ("wifi", ["wlan", "wireless"]),
    ("wwan", ["cell", "cellular", "mobile", "lte"]),
    ("tcp", ["port"]),
    ("icmp", ["ping"]),
    ("network", ["ssid"]),
    ("body", ["data", "content", "text"]),
    ("text", ["data", "content", "body"]),
    ("advance", ["sleep", "wait"]),
  ]

  /// Whether one of two words begins the other or ends it after a `_`, and means something.
  private static func shares(_ one: String, _ other: String) -> Bool {
    let (short, long) = one.utf8.count < other.utf8.count ? (one, other) : (other, one)
    return short.utf8.count >= 4 && (long.hasPrefix(short) || long.hasSuffix("_\(short)"))
  }

  /// `; did you mean "every"?`, or nothing.
  public static func hint(for word: String, among candidates: some Sequence<String>) -> String {
    match(to: word, among: candidates).map { "; did you mean \"\($0)\"?" } ?? ""
  }

  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    if abs(left.count - right.count) > 3 { return .max }
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      for column in 0..<right.count {
        var least = min(
          last[column] + (left[row] == right[column] ? 0 : 1), last[column + 1] + 1,
          current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          least = min(least, beforeLast[column - 1] + 1)
        }
        current.append(least)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}

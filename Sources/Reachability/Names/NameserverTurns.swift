/// In which order the nameservers are asked one question: each in turn, and then those that were
/// silent once more, since a datagram may have been lost.
struct NameserverTurns {
  private var rest: [Int]
  private var silent: [Int] = []
  private var isLastRound = false

  /// Turns of so many servers, none of which was asked yet.
  init(_ count: Int) { rest = Array(0..<count) }

  /// The server to be asked next, by its position; nil once all have had their turns.
  mutating func next() -> Int? {
    if rest.isEmpty, !isLastRound {
      isLastRound = true
      rest = silent
    }
    return rest.isEmpty ? nil : rest.removeFirst()
  }

  /// Notes that a server was silent.
  mutating func note(silent position: Int) { silent.append(position) }
}

internal import Posix

/// How many lines a script may still log; time is an argument.
struct LogAllowance: Sendable {
  /// How many lines are written within `period` of the first of them.
  static let most = 20
  static let period = Duration.seconds(1)

  /// What becomes of a message.
  enum Answer: Hashable, Sendable {
    /// It is written, after a line that says how many were dropped before it, where some were.
    case write(dropped: Int)
    /// It is dropped.
    case drop
    /// It is dropped, the first of this period: how many were is to be said at its end.
    case dropUntil(BootInstant)
  }

  private var end: BootInstant?
  private var lines = 0
  private var dropped = 0

  /// Decides on a message of so many lines; one is written whole while a single line is left.
  mutating func take(_ count: Int, at now: BootInstant) -> Answer {
    var said = 0
    if end.map({ now >= $0 }) ?? true {
      said = dropped
      end = now + LogAllowance.period
      lines = 0
      dropped = 0
    }
    guard lines >= LogAllowance.most, let end else {
      lines += count
      return .write(dropped: said)
    }
    dropped += count
    return dropped == count ? .dropUntil(end) : .drop
  }

  /// How many lines were dropped in a period that is over, each said once.
  mutating func settle(at now: BootInstant) -> Int {
    guard let end, now >= end else { return 0 }
    defer { dropped = 0 }
    return dropped
  }
}

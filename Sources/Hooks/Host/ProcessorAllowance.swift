internal import Posix

/// What a script used of the processors lately, and whether it sits out because of that; time is an
/// argument.
///
/// Stays in an interpreter that are too short for other threads to come in between are counted by the
/// clock on the wall, which costs no system call. Once longer ones come to a tenth of what is allowed,
/// its processor time is read for a while, so that a script is not held for what others use.
struct ProcessorAllowance: Sendable {
  /// How much a script may use within `window`.
  static let most = Duration.nanoseconds(mostUsed)
  /// The time within which uses are added up.
  static let window = Duration.nanoseconds(span)
  /// A longer stay counts as that where processor time was not read.
  static let shortStay = Duration.nanoseconds(short)
  /// Uses within so long of the first of them are one: at most 21 are kept.
  private static let grain: Int64 = 500_000_000

  // In nanoseconds: this is on the way of every stay.
  private struct Use {
    var begin: Int64
    var used: Int64
  }

  private static let mostUsed: Int64 = 1_000_000_000
  private static let span: Int64 = 10_000_000_000
  private static let short: Int64 = 1_000_000
  private static let mostUnread: Int64 = 100_000_000

  /// Uses that are over, the oldest first, and the one that goes on.
  private var past: [Use] = []
  private var last = Use(begin: 0, used: 0)
  /// When the oldest of them began.
  private var first: Int64 = 0
  private var total: Int64 = 0
  /// How much longer stays took whose processor time was not read, until that is too much.
  private var unread: Int64 = 0
  private var closeLookEnd: Int64 = 0
  /// Whether the processor time of the next stay is to be read.
  private(set) var takesCloseLook = false

  /// Takes note of a stay.
  ///
  /// - Parameters:
  ///   - begin: its begin.
  ///   - processor: what it used, where that was read.
  ///   - end: its end.
  /// - Returns: until when the script sits out; nil where it does not.
  mutating func note(
    from begin: BootInstant, processor: Duration?, to end: BootInstant
  ) -> BootInstant? {
    let (begin, now) = (begin.nanoseconds, end.nanoseconds)
    var used = now - begin
    if let processor {
      used = processor.nanoseconds
      if used > ProcessorAllowance.short { closeLookEnd = now + ProcessorAllowance.span }
    } else if used > ProcessorAllowance.short {
      unread += used
      used = ProcessorAllowance.short
      if unread >= ProcessorAllowance.mostUnread {
        unread = 0
        closeLookEnd = now + ProcessorAllowance.span
      }
    }
    if first + ProcessorAllowance.span <= now { drop(at: now) }
    if begin >= last.begin + ProcessorAllowance.grain {
      if last.used > 0 { past.append(last) }
      last = Use(begin: begin, used: 0)
      first = past.first?.begin ?? begin
    }
    last.used += used
    total += used
    takesCloseLook = now < closeLookEnd
    guard total >= ProcessorAllowance.mostUsed else { return nil }
    return BootInstant(nanoseconds: first + ProcessorAllowance.span)
  }

  /// Forgets what lies too far back.
  private mutating func drop(at now: Int64) {
    past.removeAll { use in
      guard use.begin + ProcessorAllowance.span <= now else { return false }
      total -= use.used
      return true
    }
    if last.begin + ProcessorAllowance.span <= now {
      total = 0
      last = Use(begin: 0, used: 0)
    }
    first = past.first?.begin ?? last.begin
  }
}

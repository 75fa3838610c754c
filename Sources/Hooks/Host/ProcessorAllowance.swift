internal import Posix

/// What a script used of the processors lately, and whether it sits out because of that; time is an
/// argument.
///
/// Stays in an interpreter are counted by the clock on the wall, which costs no system call, until
/// one of them is long or all together come to a quarter of what is allowed. From then on its
/// processor time is read, so that a script is not held for what others use.
struct ProcessorAllowance: Sendable {
  /// How much a script may use within `window`.
  static let most = Duration.nanoseconds(mostUsed)
  /// The time within which uses are added up.
  static let window = Duration.nanoseconds(span)
  /// A stay from which on processor time is read; no more of it counts where that was not.
  static let longStay = Duration.nanoseconds(long)
  /// Uses within so long of the first of them are one: at most 21 are kept.
  private static let grain: Int64 = 500_000_000

  // In nanoseconds: this is on the way of every stay.
  private struct Use {
    var begin: Int64
    var used: Int64
  }

  private static let mostUsed: Int64 = 1_000_000_000
  private static let span: Int64 = 10_000_000_000
  private static let long: Int64 = 20_000_000

  /// Uses that are over, the oldest first, and the one that goes on.
  private var past: [Use] = []
  private var last = Use(begin: 0, used: 0)
  /// When the oldest of them began.
  private var first: Int64 = 0
  private var total: Int64 = 0
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
    } else if used >= ProcessorAllowance.long {
      used = ProcessorAllowance.long
    }
    if first + ProcessorAllowance.span <= now { drop(at: now) }
    if begin >= last.begin + ProcessorAllowance.grain {
      if last.used > 0 { past.append(last) }
      last = Use(begin: begin, used: 0)
      first = past.first?.begin ?? begin
    }
    last.used += used
    total += used
    if now - begin >= ProcessorAllowance.long { closeLookEnd = now + ProcessorAllowance.span }
    takesCloseLook = now < closeLookEnd || total >= ProcessorAllowance.mostUsed / 4
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

internal import Posix

/// What a script used of the processors lately, and whether it sits out because of that; time is an
/// argument.
///
/// Short stays in an interpreter are counted by the clock on the wall, which costs no system call.
/// Once these come to a fiftieth of what is allowed, its processor time is to be read.
struct ProcessorAllowance: Sendable {
  /// How much a script may use within `window`.
  static let most = Duration.seconds(1)
  /// The time within which uses are added up.
  static let window = Duration.seconds(10)
  /// Time on the wall from which on processor time is read; no more of it counts for one stay.
  static let closeLook = Duration.milliseconds(20)
  /// Uses within so long of the first of them are one: at most 21 are kept.
  private static let grain = Duration.milliseconds(500)

  private struct Use {
    let begin: BootInstant
    var nanoseconds: Int64
  }

  private var uses: [Use] = []
  private var total: Int64 = 0
  /// Until when it sits out, or last did.
  private(set) var end: BootInstant?

  /// Whether the processor time of the next stay is to be read.
  var takesCloseLook: Bool { total >= ProcessorAllowance.closeLook.nanoseconds }

  /// Takes note of a stay.
  ///
  /// - Parameters:
  ///   - wall: how long it took.
  ///   - processor: what it used, where that was read.
  ///   - now: its end.
  /// - Returns: until when the script sits out; nil where it does not.
  mutating func note(
    wall: Duration, processor: Duration?, at now: BootInstant
  ) -> BootInstant? {
    drop(at: now)
    let used = processor ?? min(wall, ProcessorAllowance.closeLook)
    total += used.nanoseconds
    if let last = uses.last, now < last.begin + ProcessorAllowance.grain {
      uses[uses.count - 1].nanoseconds += used.nanoseconds
    } else {
      uses.append(Use(begin: now + .nanoseconds(-wall.nanoseconds), nanoseconds: used.nanoseconds))
    }
    guard total >= ProcessorAllowance.most.nanoseconds, let first = uses.first else { return nil }
    let end = first.begin + ProcessorAllowance.window
    guard end > now else { return nil }
    self.end = end
    return end
  }

  /// Forgets what lies too far back.
  private mutating func drop(at now: BootInstant) {
    while let first = uses.first, first.begin + ProcessorAllowance.window <= now {
      total -= first.nanoseconds
      uses.removeFirst()
    }
  }
}

internal import Glibc

/// The clocks by which a program lives: that which runs through suspend, and the wall clock.
///
/// Those of the system, or a pair that stands still until it is moved by hand.
public final class Clock: Sendable {
  /// The system's clocks.
  public static let system = Clock(nil as Hand?)

  private struct Hand {
    var now: BootInstant
    /// A moment, and the Unix time then.
    let start: BootInstant
    let time: Int64
    var slept = Duration.zero

    init(standingAt time: Int64, now: BootInstant) {
      self.now = now
      start = now
      self.time = time
    }
  }

  /// Whether they are moved by hand.
  public let isManual: Bool
  private let hand: Lock<Hand>

  private init(_ hand: Hand?) {
    isManual = hand != nil
    self.hand = Lock(hand ?? Hand(standingAt: 0, now: BootInstant(nanoseconds: 0)))
  }

  /// Clocks that are moved by hand, and stand at a wall clock's time, in Unix seconds; the machine
  /// has run since `now`.
  public convenience init(
    standingAt seconds: Int64, now: BootInstant = BootInstant(nanoseconds: 60_000_000_000)
  ) {
    self.init(Hand(standingAt: seconds, now: now))
  }

  /// The present moment.
  public var now: BootInstant { isManual ? hand.withLock { $0.now } : .now }

  /// Whole seconds since 1970-01-01 00:00 UTC.
  public var seconds: Int64 {
    guard isManual else { return WallClock.seconds }
    return hand.withLock { $0.time + ($0.now - $0.start).components.seconds }
  }

  /// When the wall clock will show a time, given in Unix seconds, unless it is set meanwhile.
  public func instant(at seconds: Int64) -> BootInstant {
    guard isManual else { return WallClock.instant(at: seconds) }
    return hand.withLock { max($0.now, $0.start + .seconds(seconds - $0.time)) }
  }

  /// The moment that these clocks showed when the system's showed that one.
  public func reading(at moment: BootInstant) -> BootInstant {
    isManual ? hand.withLock { $0.now } : moment
  }

  // MARK: By hand

  /// Moves both on to a moment; never back, and not those of the system.
  public func advance(to instant: BootInstant) {
    hand.withLock { $0.now = max($0.now, instant) }
  }

  /// Moves both on by the time that the machine is suspended.
  public func sleep(for duration: Duration) {
    hand.withLock { hand in
      hand.now = hand.now + duration
      hand.slept += duration
    }
  }

  /// How long the machine has been suspended since boot.
  var suspended: SuspendMeter.Reading {
    guard isManual else { return .now }
    let slept = hand.withLock { $0.slept }
    return SuspendMeter.Reading(atLeast: slept, atMost: slept)
  }
}

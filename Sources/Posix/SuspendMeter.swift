internal import Glibc

/// Notices that the machine was suspended.
///
/// CLOCK_BOOTTIME runs on meanwhile and CLOCK_MONOTONIC does not; a step of the wall clock moves
/// neither.
struct SuspendMeter {
  /// How long the machine has been suspended since boot, between two bounds: the clocks can only be
  /// read one after the other.
  struct Reading: Sendable {
    var atLeast: Duration
    var atMost: Duration
  }

  private let read: @Sendable () -> Reading
  private var known: Duration

  /// A shorter suspend, of which no driver takes notice, is none.
  private static let shortest = Duration.milliseconds(1)

  init(reading read: @escaping @Sendable () -> Reading) {
    self.read = read
    known = read().atMost
  }

  /// Whether the machine was suspended since this was last asked.
  mutating func wasSuspended() -> Bool {
    let reading = read()
    guard reading.atLeast > known + SuspendMeter.shortest else { return false }
    known = reading.atMost
    return true
  }
}

extension SuspendMeter.Reading {
  /// What the clocks say now.
  static var now: Self {
    let before = read(CLOCK_MONOTONIC)
    let boot = read(CLOCK_BOOTTIME)
    let after = read(CLOCK_MONOTONIC)
    return Self(atLeast: .nanoseconds(boot - after), atMost: .nanoseconds(boot - before))
  }
}

extension Clock {
  /// How long the machine has been suspended since boot.
  public var timeSuspended: Duration { suspended.atLeast }
}

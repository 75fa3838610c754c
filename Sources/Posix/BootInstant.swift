internal import Glibc

/// A moment on CLOCK_BOOTTIME: seconds since boot, running on through suspend; clock_gettime(2).
public struct BootInstant: Comparable, Hashable, Sendable {
  /// Nanoseconds since boot.
  public var nanoseconds: Int64

  /// A moment by its nanoseconds since boot.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The present moment.
  public static var now: BootInstant { BootInstant(nanoseconds: read(CLOCK_BOOTTIME)) }

  /// Seconds since boot.
  public var seconds: Double { Double(nanoseconds) / 1e9 }

  public static func < (left: BootInstant, right: BootInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The moment so long after another; never past what a timer can hold.
  public static func + (instant: BootInstant, duration: Duration) -> BootInstant {
    let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return BootInstant(nanoseconds: overflow ? .max : sum)
  }

  /// The time that lies between two moments.
  public static func - (later: BootInstant, earlier: BootInstant) -> Duration {
    .nanoseconds(later.nanoseconds - earlier.nanoseconds)
  }
}

/// What the calling thread has used of the processors; a system call, other than the other clocks.
public enum ProcessorClock {
  /// Its reading now.
  public static var now: Duration { .nanoseconds(read(CLOCK_THREAD_CPUTIME_ID)) }
}

/// Unix time as the wall clock tells it.
public enum WallClock {
  /// Whole seconds since 1970-01-01 00:00 UTC.
  public static var seconds: Int64 { read(CLOCK_REALTIME) / 1_000_000_000 }

  /// When the wall clock will show a time, given in Unix seconds, unless it is set meanwhile.
  public static func instant(at seconds: Int64) -> BootInstant {
    let left = Duration.seconds(seconds) - .nanoseconds(read(CLOCK_REALTIME))
    return max(.now, .now + left)
  }

  /// How many seconds local time is ahead of UTC at a time, given in Unix seconds.
  public static func offset(at seconds: Int64) -> Int64 {
    var time = time_t(seconds)
    var parts = tm()
    localtime_r(&time, &parts)
    return Int64(parts.tm_gmtoff)
  }

  /// Takes note of another time zone of the system; tzset(3).
  public static func readTimeZone() { tzset() }
}

/// A clock in nanoseconds; clock_gettime(2).
func read(_ clock: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

extension Duration {
  /// The whole duration in nanoseconds, at most what 64 bits hold (292 years).
  public var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooLong || overflow ? (seconds < 0 ? .min : .max) : sum
  }

  /// The whole duration in seconds.
  public var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}

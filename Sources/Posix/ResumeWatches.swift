internal import CPosix
internal import Glibc

/// What an event loop calls when the machine has resumed from suspend, or the wall clock is set.
struct ResumeWatches: ~Copyable {
  /// A timer of the wall clock; readable when that is set, as on resume, once there is a watch.
  let clock: FileDescriptor
  private var suspends: SuspendMeter
  private var watches: [(id: UInt64, body: () -> Void)] = []
  private var clockWatches: [() -> Void] = []

  /// - Throws: what the kernel says where a timer cannot be had.
  init(suspended: @escaping @Sendable () -> SuspendMeter.Reading) throws(SystemError) {
    suspends = SuspendMeter(reading: suspended)
    clock = FileDescriptor(
      owning: try checked(
        "make a timer",
        timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))))
  }

  mutating func add(_ id: UInt64, _ body: @escaping () -> Void) {
    if !isWatching { cposix_watch_clock(clock.number) }
    watches.append((id, body))
  }

  mutating func addClockWatch(_ body: @escaping () -> Void) {
    if !isWatching { cposix_watch_clock(clock.number) }
    clockWatches.append(body)
  }

  private var isWatching: Bool { !watches.isEmpty || !clockWatches.isEmpty }

  mutating func remove(_ id: UInt64) { watches.removeAll { $0.id == id } }

  /// Ends every watch, and returns what was to be called.
  mutating func removeAll() -> [() -> Void] {
    defer {
      watches = []
      clockWatches = []
    }
    return watches.map(\.body) + clockWatches
  }

  /// What is to be called now, in the order in which it was added; nothing unless the machine has
  /// been suspended since this was last asked.
  mutating func due() -> [() -> Void] {
    guard !watches.isEmpty, suspends.wasSuspended() else { return [] }
    return watches.map(\.body)
  }

  /// Takes note that `clock` is readable, and returns what is to be called.
  func takeClockChange() -> [() -> Void] {
    // Its read says ECANCELED, and a clock that was set is watched anew.
    var expirations: UInt64 = 0
    _ = Glibc.read(clock.number, &expirations, MemoryLayout<UInt64>.size)
    cposix_watch_clock(clock.number)
    return clockWatches
  }
}

internal import CPosix
internal import Glibc
internal import Synchronization

/// One thread that waits for descriptors, timers and work from other threads, all in one epoll(7).
///
/// It is the executor of the actors that watch: what it calls runs on its thread, so such an actor
/// may hand it closures that touch its state. An idle loop never wakes up.
///
/// Methods that take part in the loop's own thread say so; they stop the process when they are
/// called from another.
public final class EventLoop: SerialExecutor {
  /// What to wait for on a descriptor.
  public enum Interest: Sendable {
    case readable, writable
    /// That it is readable or writable.
    case either
  }

  /// A descriptor that is being watched; ends with `cancel`.
  public struct Source: Hashable, Sendable {
    fileprivate let id: UInt64
    fileprivate let descriptor: Int32
  }

  /// A call on each resume from suspend; ends with `cancel`.
  public struct ResumeWatch: Hashable, Sendable {
    fileprivate let id: UInt64
  }

  private enum Work {
    case job(UnownedJob)
    case call(@Sendable () -> Void)
  }

  private struct Inbox {
    var work: [Work] = []
    var wakePending = false
    /// Whether the loop has ended: what comes now would never be called.
    var isClosed = false
  }

  /// By which timers are due.
  public let clock: Clock
  private let epoll: FileDescriptor
  private let wake: FileDescriptor
  private let alarm: FileDescriptor
  private let inbox = Lock(Inbox())
  private let owner = Atomic<UInt>(0)
  private let stopping = Atomic<Bool>(false)

  // Only the loop's own thread touches these (`checkIsolated` guards each way in).
  private nonisolated(unsafe) var handlers: [UInt64: () -> Void] = [:]
  private nonisolated(unsafe) var timers = TimerQueue()
  private nonisolated(unsafe) var nextID = EventLoop.firstSource
  private nonisolated(unsafe) var resumeWatches: ResumeWatches

  private static let wakeID: UInt64 = 0
  private static let alarmID: UInt64 = 1
  private static let wallClockID: UInt64 = 2
  private static let firstSource: UInt64 = 3

  /// A loop that does not run yet.
  ///
  /// - Parameter clock: by which its timers are due; with one that is moved by hand it is not run,
  ///   but led through time, by `settle` and `suspend`.
  /// - Throws: what the kernel says where a descriptor cannot be had.
  public convenience init(clock: Clock = .system) throws(SystemError) {
    try self.init(clock: clock, suspended: { clock.suspended })
  }

  /// A loop that learns by another way how long the machine was suspended.
  init(
    clock: Clock = .system, suspended: @escaping @Sendable () -> SuspendMeter.Reading
  ) throws(SystemError) {
    self.clock = clock
    epoll = FileDescriptor(
      owning: try checked("make an epoll instance", epoll_create1(Int32(EPOLL_CLOEXEC))))
    wake = FileDescriptor(
      owning: try checked(
        "make an eventfd", eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))))
    alarm = FileDescriptor(
      owning: try checked(
        "make a timer",
        timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))))
    resumeWatches = try ResumeWatches(suspended: suspended)
    try add(wake.number, id: EventLoop.wakeID, .readable)
    try add(alarm.number, id: EventLoop.alarmID, .readable)
    try add(resumeWatches.clock.number, id: EventLoop.wallClockID, .readable)
  }

  // MARK: From any thread

  /// Has the loop call `body` on its thread, after all that was posted before.
  public func post(_ body: @escaping @Sendable () -> Void) { enqueue(.call(body)) }

  public func enqueue(_ job: consuming ExecutorJob) { enqueue(.job(UnownedJob(job))) }

  /// Ends `run` once what is being called has returned.
  public func stop() {
    stopping.store(true, ordering: .relaxed)
    post {}
  }

  public func checkIsolated() { precondition(isCurrent, "called outside the event loop") }

  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Whether the calling thread is the loop's.
  public var isCurrent: Bool { owner.load(ordering: .relaxed) == Thread.current }

  // MARK: On the loop's thread

  /// Makes the calling thread the loop's, until `stop`; a loop runs once.
  ///
  /// At its end it lets go of everything that it was to call.
  public func run() {
    owner.store(Thread.current, ordering: .relaxed)
    defer {
      letGo()
      owner.store(0, ordering: .relaxed)
    }
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 32) { events in
      while true {
        let isMoreWaiting = runPostedWork()
        if stopping.load(ordering: .relaxed) { return }
        let count = epoll_wait(
          epoll.number, events.baseAddress, Int32(events.count), isMoreWaiting ? 0 : -1)
        tellResume()
        for index in 0..<max(0, Int(count)) { handle(events[index].data.u64) }
      }
    }
  }

  /// Drops all closures, which may hold the loop and those who use it; dropping one may cancel others.
  private func letGo() {
    let oldHandlers = handlers
    handlers = [:]
    let oldTimers = timers
    let oldWatches = resumeWatches.removeAll()
    timers = TimerQueue()
    let oldWork = inbox.withLock { inbox in
      inbox.isClosed = true
      defer { inbox.work.removeAll() }
      return inbox.work
    }
    withExtendedLifetime((oldHandlers, oldTimers, oldWatches, oldWork)) {}
  }

  /// Runs the loop on a thread of its own, until `stop`.
  ///
  /// - Throws: what the system says where no thread can be started.
  public func runOnOwnThread(named name: String) throws(SystemError) {
    try Thread.start(named: name) { self.run() }
  }

  /// Calls `body` whenever the descriptor is ready, until the source is cancelled.
  ///
  /// The descriptor must outlive the source. On the loop's thread.
  ///
  /// - Throws: what epoll_ctl(2) says, as for a regular file.
  public func watch(
    _ descriptor: borrowing FileDescriptor, _ interest: Interest = .readable,
    _ body: @escaping () -> Void
  ) throws(SystemError) -> Source {
    try watch(borrowed: descriptor.number, interest, body)
  }

  /// Calls `body` whenever a descriptor that a library owns is ready, until the source is cancelled.
  ///
  /// That must be before the descriptor is closed. On the loop's thread.
  ///
  /// - Throws: what epoll_ctl(2) says.
  public func watch(
    borrowed descriptor: Int32, _ interest: Interest, _ body: @escaping () -> Void
  ) throws(SystemError) -> Source {
    checkIsolated()
    let source = Source(id: nextID, descriptor: descriptor)
    try add(descriptor, id: source.id, interest)
    handlers[source.id] = body
    nextID += 1
    return source
  }

  /// Ends a source, whose closure is not called again; on the loop's thread.
  public func cancel(_ source: Source) {
    checkIsolated()
    guard handlers.removeValue(forKey: source.id) != nil else { return }
    _ = epoll_ctl(epoll.number, EPOLL_CTL_DEL, source.descriptor, nil)
  }

  /// Calls `body` once, at `instant` or as soon after as the loop is free; on the loop's thread.
  public func schedule(at instant: BootInstant, _ body: @escaping () -> Void) -> LoopTimer {
    checkIsolated()
    let timer = timers.add(at: instant, body)
    arm()
    return timer
  }

  /// Takes a timer back, also one that was called already; on the loop's thread.
  public func cancel(_ timer: LoopTimer) {
    checkIsolated()
    timers.cancel(timer)
    arm()
  }

  /// Calls `body` when the machine has resumed from suspend, before any timer, descriptor or work
  /// that came meanwhile, and in the order in which such calls were asked for; on the loop's thread.
  public func watchResume(_ body: @escaping () -> Void) -> ResumeWatch {
    checkIsolated()
    let watch = ResumeWatch(id: nextID)
    nextID += 1
    resumeWatches.add(watch.id, body)
    return watch
  }

  /// Calls `body` whenever the wall clock is set, from now until the loop ends; on the loop's thread.
  public func watchWallClock(_ body: @escaping () -> Void) {
    checkIsolated()
    resumeWatches.addClockWatch(body)
  }

  /// Ends the calls on resume; on the loop's thread.
  public func cancel(_ watch: ResumeWatch) {
    checkIsolated()
    resumeWatches.remove(watch.id)
  }

  // MARK: By a clock that is moved by hand

  /// Makes the calling thread the loop's while it is led through time; `leave` ends that.
  public func enter() { owner.store(Thread.current, ordering: .relaxed) }

  /// Ends what `enter` began; at its end the loop lets go of everything that it was to call.
  public func leave() {
    letGo()
    owner.store(0, ordering: .relaxed)
  }

  /// Does everything that can be done at the present moment of its clock, for as long as a condition
  /// holds: what is posted, what is due, and what the threads of `pools` are about to post.
  ///
  /// Nothing is done while a thread works, so that how fast it does changes no order.
  public func settle(awaiting pools: [ThreadPool], while condition: () -> Bool = { true }) {
    checkIsolated()
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 32) { events in
      while condition() {
        if let busy = pools.first(where: { !$0.isIdle }) {
          busy.awaitAnswers()
        } else if !isInboxEmpty {
          _ = runPostedWork()
        } else if let due = timers.next, due <= clock.now {
          fireTimers()
        } else {
          let count = epoll_wait(epoll.number, events.baseAddress, Int32(events.count), 0)
          for index in 0..<max(0, Int(count)) { handle(events[index].data.u64) }
          if count <= 0, isInboxEmpty { return }
        }
      }
    }
  }

  /// When the next of its timers is due.
  public var nextDue: BootInstant? {
    checkIsolated()
    return timers.next
  }

  /// Has the machine sleep for so long, and wake up; what is due meanwhile is done in the next
  /// `settle`.
  public func suspend(for duration: Duration) {
    checkIsolated()
    clock.sleep(for: duration)
    tellResume()
  }

  private var isInboxEmpty: Bool { inbox.withLock { $0.work.isEmpty } }

  // MARK: -

  private func enqueue(_ work: Work) {
    let signal = inbox.withLock { inbox in
      if inbox.isClosed { return false }
      inbox.work.append(work)
      if inbox.wakePending || isCurrent { return false }
      inbox.wakePending = true
      return true
    }
    if signal { _ = eventfd_write(wake.number, 1) }
  }

  /// Does what was posted until now; true where that has posted more, for which timers,
  /// descriptors and `stop` do not wait.
  private func runPostedWork() -> Bool {
    let batch = inbox.withLock { inbox in
      inbox.wakePending = false
      let batch = inbox.work
      inbox.work.removeAll(keepingCapacity: batch.count < 1024)
      return batch
    }
    for work in batch {
      switch work {
      case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
      case .call(let body): body()
      }
    }
    return !batch.isEmpty && inbox.withLock { !$0.work.isEmpty }
  }

  private func tellResume() {
    for body in resumeWatches.due() { body() }
  }

  private func handle(_ id: UInt64) {
    switch id {
    case EventLoop.wakeID:
      var count: eventfd_t = 0
      _ = eventfd_read(wake.number, &count)
    case EventLoop.alarmID:
      var expirations: UInt64 = 0
      _ = Glibc.read(alarm.number, &expirations, MemoryLayout<UInt64>.size)
      timers.armed = nil
      // What the machine slept through is known before anything that was due meanwhile.
      tellResume()
      fireTimers()
    case EventLoop.wallClockID:
      for body in resumeWatches.takeClockChange() { body() }
    default:
      let handler = handlers[id]
      handler?()
    }
  }

  private func fireTimers() {
    // One moment for all: a timer that is scheduled by another for now waits for the next turn.
    let now = clock.now
    while let body = timers.popDue(at: now) { body() }
    arm()
  }

  private func arm() {
    let next = timers.next
    guard next != timers.armed, !clock.isManual else { return }
    timers.armed = next
    // A time of zero disarms the timer.
    cposix_set_timer(alarm.number, next.map { max(1, $0.nanoseconds) } ?? 0)
  }

  private func add(_ descriptor: Int32, id: UInt64, _ interest: Interest) throws(SystemError) {
    var event = epoll_event()
    event.events =
      switch interest {
      case .readable: EPOLLIN.rawValue
      case .writable: EPOLLOUT.rawValue
      case .either: EPOLLIN.rawValue | EPOLLOUT.rawValue
      }
    event.data.u64 = id
    _ = try checked(
      "watch descriptor \(descriptor)",
      epoll_ctl(epoll.number, EPOLL_CTL_ADD, descriptor, &event))
  }
}

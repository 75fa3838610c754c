internal import Glibc

/// A fixed number of threads that take work in the order in which it came.
///
/// Threads start when work first waits for them, and then wait for more; they end once `close` was
/// called and all work is done. What waits is bounded by those who submit it.
public final class ThreadPool: Sendable {
  private let name: String
  private let limit: Int
  private let shared = ConditionLock(Shared())

  fileprivate struct Shared {
    var waiting = FIFO<@Sendable () -> Void>()
    var threads = 0
    var idle = 0
    /// Threads that stay awake without work.
    var lingering = 0
    var closed = false
    /// Until when threads stay awake for work that is about to come.
    var anticipated: BootInstant?
  }

  fileprivate enum Step {
    case work(@Sendable () -> Void)
    /// Stay awake for a while longer.
    case linger
    case end
  }

  /// What a thread does.
  fileprivate enum Activity {
    case works, sleeps, lingers
  }

  /// A pool of at most `threads` threads, each of that name (15 bytes are shown by the system).
  public init(threads: Int, name: String) {
    self.limit = threads
    self.name = name
  }

  /// Has a thread do the work, after all that was submitted before.
  ///
  /// Where no thread can be started, those that run do the work; where none runs, it waits for the
  /// next submission.
  public func submit(_ work: @escaping @Sendable () -> Void) {
    let (wake, grow) = shared.withLock { shared in
      shared.waiting.append(work)
      let grow = shared.waiting.count > shared.idle + shared.lingering && shared.threads < limit
      if grow { shared.threads += 1 }
      return (shared.waiting.count > shared.lingering, grow)
    }
    if wake { shared.wakeOne() }
    guard grow else { return }
    do { try Thread.start(named: name) { self.serve() } } catch {
      shared.withLock { $0.threads -= 1 }
    }
  }

  /// Wakes a thread for work that is about to be submitted, since waking takes longer than most work
  /// does; where none comes, it sleeps again after a moment.
  public func anticipate() {
    let isWorthwhile = shared.withLock { shared in
      guard shared.idle > 0, shared.waiting.isEmpty else { return false }
      shared.anticipated = BootInstant.now + ThreadPool.patience
      return true
    }
    if isWorthwhile { shared.wakeOne() }
  }

  /// How long a thread that was woken ahead stays awake without work.
  private static let patience = Duration.microseconds(200)

  /// Lets the threads end once all work is done.
  public func close() {
    shared.withLock { $0.closed = true }
    shared.wakeAll()
  }

  private func serve() {
    var activity = Activity.works
    while true {
      switch shared.wait(for: { $0.nextStep(after: &activity) }) {
      case .work(let work): work()
      case .linger: sched_yield()
      case .end: return
      }
    }
  }
}

extension ThreadPool.Shared {
  /// What a thread does next; nil where it is to sleep.
  fileprivate mutating func nextStep(
    after activity: inout ThreadPool.Activity
  ) -> ThreadPool.Step? {
    switch activity {
    case .works: break
    case .sleeps: idle -= 1
    case .lingers: lingering -= 1
    }
    activity = .works
    if let work = waiting.popFirst() {
      anticipated = nil
      return .work(work)
    }
    if closed {
      threads -= 1
      return .end
    }
    guard let end = anticipated else {
      activity = .sleeps
      idle += 1
      return nil
    }
    if end < .now { anticipated = nil }
    activity = .lingers
    lingering += 1
    return .linger
  }
}

internal import Synchronization

/// A serial executor on the threads of a pool, for an actor that takes turns with others.
///
/// Each turn does one piece of work, then the others' turns come: work that takes long delays the
/// rest by itself alone.
public final class TurnExecutor: SerialExecutor {
  private enum Work {
    case job(UnownedJob)
    case call(@Sendable () -> Void)
  }

  private struct Queue {
    var waiting = FIFO<Work>()
    var scheduled = false
    var paused = false

    /// Whether a turn is to be taken that nobody has seen to.
    mutating func begin() -> Bool {
      guard !scheduled, !paused, !waiting.isEmpty else { return false }
      scheduled = true
      return true
    }
  }

  private let pool: ThreadPool
  private let queue = Lock(Queue())
  private let owner = Atomic<UInt>(0)

  /// An executor that takes its turns on the threads of `pool`.
  public init(on pool: ThreadPool) { self.pool = pool }

  /// Has `body` run in a turn of its own, after all that was enqueued before.
  public func enqueue(_ body: @escaping @Sendable () -> Void) { add(.call(body)) }

  public func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

  public func checkIsolated() {
    precondition(isCurrent, "called outside the script's turn")
  }

  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Whether the calling thread is in one of the executor's turns.
  public var isCurrent: Bool { owner.load(ordering: .relaxed) == Thread.current }

  /// Takes no further turn until `goOn` is called, and lets what is enqueued wait; in a turn.
  public func pause() { queue.withLock { $0.paused = true } }

  /// Takes turns again, with all that has waited; from any thread.
  public func goOn() {
    let schedule = queue.withLock { queue in
      queue.paused = false
      return queue.begin()
    }
    if schedule { pool.submit { self.takeTurn() } }
  }

  private func add(_ work: Work) {
    let schedule = queue.withLock { queue in
      queue.waiting.append(work)
      return queue.begin()
    }
    if schedule { pool.submit { self.takeTurn() } }
  }

  private func takeTurn() {
    if let work = queue.withLock({ queue in queue.waiting.popFirst() }) {
      owner.store(Thread.current, ordering: .relaxed)
      switch work {
      case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
      case .call(let body): body()
      }
      owner.store(0, ordering: .relaxed)
    }
    let more = queue.withLock { queue in
      queue.scheduled = false
      return queue.begin()
    }
    if more { pool.submit { self.takeTurn() } }
  }
}

internal import Glibc

/// A fixed number of threads that take work in the order in which it came.
///
/// Threads start when work first waits for them, and then wait for more; they end once `close` was
/// called and all work is done. What waits is bounded by those who submit it.
// @unchecked: `shared` is only reached with the mutex held; the pointers are set once.
public final class ThreadPool: @unchecked Sendable {
  private let name: String
  private let limit: Int
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var shared = Shared()

  private struct Shared {
    var waiting = FIFO<@Sendable () -> Void>()
    var threads = 0
    var idle = 0
    var closed = false
    /// Until when threads stay awake for work that is about to come.
    var anticipated: BootInstant?
  }

  /// A pool of at most `threads` threads, each of that name (15 bytes are shown by the system).
  public init(threads: Int, name: String) {
    self.limit = threads
    self.name = name
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Has a thread do the work, after all that was submitted before.
  ///
  /// Where no thread can be started, those that run do the work; where none runs, it waits for the
  /// next submission.
  public func submit(_ work: @escaping @Sendable () -> Void) {
    pthread_mutex_lock(mutex)
    shared.waiting.append(work)
    let grow = shared.waiting.count > shared.idle && shared.threads < limit
    if grow { shared.threads += 1 }
    pthread_mutex_unlock(mutex)
    pthread_cond_signal(condition)
    guard grow else { return }
    do { try Thread.start(named: name) { self.serve() } } catch {
      pthread_mutex_lock(mutex)
      shared.threads -= 1
      pthread_mutex_unlock(mutex)
    }
  }

  /// Wakes a thread for work that is about to be submitted, since waking takes longer than most work
  /// does; where none comes, it sleeps again after a moment.
  public func anticipate() {
    pthread_mutex_lock(mutex)
    let isWorthwhile = shared.idle > 0 && shared.waiting.isEmpty
    if isWorthwhile { shared.anticipated = BootInstant.now + ThreadPool.patience }
    pthread_mutex_unlock(mutex)
    if isWorthwhile { pthread_cond_signal(condition) }
  }

  /// How long a thread that was woken ahead stays awake without work.
  private static let patience = Duration.microseconds(200)

  /// Lets the threads end once all work is done.
  public func close() {
    pthread_mutex_lock(mutex)
    shared.closed = true
    pthread_mutex_unlock(mutex)
    pthread_cond_broadcast(condition)
  }

  private func serve() {
    pthread_mutex_lock(mutex)
    while true {
      if let work = shared.waiting.popFirst() {
        shared.anticipated = nil
        pthread_mutex_unlock(mutex)
        work()
        pthread_mutex_lock(mutex)
      } else if shared.closed {
        shared.threads -= 1
        pthread_mutex_unlock(mutex)
        return
      } else if let end = shared.anticipated {
        if end < .now { shared.anticipated = nil }
        pthread_mutex_unlock(mutex)
        sched_yield()
        pthread_mutex_lock(mutex)
      } else {
        shared.idle += 1
        pthread_cond_wait(condition, mutex)
        shared.idle -= 1
      }
    }
  }
}

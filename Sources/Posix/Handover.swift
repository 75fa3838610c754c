internal import Glibc

/// One value that a thread hands to another, which waits for it.
// @unchecked: `value` is only reached with the mutex held; the pointers are set once.
public final class Handover<Value: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var value: Value?

  /// Nothing has been handed over.
  public init() {
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

  /// Hands a value over; the first one counts.
  public func put(_ new: Value) {
    pthread_mutex_lock(mutex)
    if value == nil { value = new }
    pthread_mutex_unlock(mutex)
    pthread_cond_broadcast(condition)
  }

  /// The value, once it is there; blocks until then.
  public func wait() -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let value { return value }
      pthread_cond_wait(condition, mutex)
    }
  }
}

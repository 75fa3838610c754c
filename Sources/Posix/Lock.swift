internal import Glibc

/// A value that one thread at a time may touch.
///
/// A pthread mutex: ThreadSanitizer understands it, which it does not of `Synchronization.Mutex`.
// @unchecked: both pointers are set once, and `value` is only reached with the mutex held.
public struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let value: UnsafeMutablePointer<Value>

  /// Guards a value that nobody else holds.
  public init(_ initial: consuming sending Value) {
    mutex = .allocate(capacity: 1)
    value = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    value.initialize(to: initial)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Calls `body` with the value while no other thread has it.
  public borrowing func withLock<Result, Failure>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }

  /// Calls `body` until it gives a result, and lets others have the value in between.
  borrowing func wait<Result>(
    on condition: UnsafeMutablePointer<pthread_cond_t>, for body: (inout Value) -> Result?
  ) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value.pointee) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }
}

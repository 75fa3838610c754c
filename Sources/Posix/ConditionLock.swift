internal import Glibc

/// A value that one thread at a time may touch, and for which others can wait to become as they
/// need it.
// @unchecked: the pointer is set once, and the value is only reached through the lock.
public struct ConditionLock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  private let lock: Lock<Value>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  /// Guards a value that nobody else holds.
  public init(_ initial: consuming sending Value) {
    lock = Lock(initial)
    condition = .allocate(capacity: 1)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
  }

  /// Calls `body` with the value while no other thread has it.
  public borrowing func withLock<Result, Failure>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try lock.withLock(body)
  }

  /// Calls `body` with the value until it gives a result, again after each wake.
  public borrowing func wait<Result>(for body: (inout Value) -> Result?) -> Result {
    lock.wait(on: condition, for: body)
  }

  /// Wakes one thread that waits.
  public borrowing func wakeOne() { pthread_cond_signal(condition) }

  /// Wakes every thread that waits.
  public borrowing func wakeAll() { pthread_cond_broadcast(condition) }
}

/// One value that a thread hands to another, which waits for it.
public final class Handover<Value: Sendable>: Sendable {
  private let value = ConditionLock<Value?>(nil)

  /// Nothing has been handed over.
  public init() {}

  /// Hands a value over; the first one counts.
  public func put(_ new: Value) {
    value.withLock { value in
      if value == nil { value = new }
    }
    value.wakeAll()
  }

  /// The value, once it is there; blocks until then.
  public func wait() -> Value { value.wait { $0 } }
}

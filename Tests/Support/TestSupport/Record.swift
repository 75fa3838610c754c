internal import Glibc
internal import Posix

/// What happened, in the order in which it did, from any thread.
public final class Record<Element: Sendable>: Sendable {
  private let elements = Lock<[Element]>([])

  /// Nothing has happened.
  public init() {}

  /// Adds what has happened.
  public func note(_ element: Element) { elements.withLock { $0.append(element) } }

  /// All that has happened.
  public var all: [Element] { elements.withLock { $0 } }
}

/// Waits for something that other threads bring about; false where it has not come after 20 s.
public func eventually(_ condition: () -> Bool) -> Bool {
  let end = BootInstant.now + .seconds(20)
  while BootInstant.now < end {
    if condition() { return true }
    usleep(1000)
  }
  return condition()
}

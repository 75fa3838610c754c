/// A queue: what came first leaves first, and nothing that left is kept alive.
public struct FIFO<Element> {
  private var slots: [Element?] = []
  private var head = 0

  /// An empty queue.
  public init() {}

  /// How many elements wait.
  public var count: Int { slots.count - head }

  /// Whether nothing waits.
  public var isEmpty: Bool { head == slots.count }

  /// Adds an element at the end.
  public mutating func append(_ element: Element) { slots.append(element) }

  /// Takes the element that has waited longest.
  public mutating func popFirst() -> Element? {
    guard head < slots.count else { return nil }
    let element = slots[head]
    slots[head] = nil
    head += 1
    if head == slots.count {
      slots.removeAll(keepingCapacity: head < 1024)
      head = 0
    } else if head >= 1024, head * 2 > slots.count {
      slots.removeFirst(head)
      head = 0
    }
    return element
  }
}

/// A call that a loop has been asked for at a moment to come.
public struct LoopTimer: Hashable, Sendable {
  fileprivate let id: UInt64
}

/// Timers by the moment at which they are due: a binary heap from which cancelled ones fall lazily.
struct TimerQueue {
  /// The moment for which the kernel's timer stands, kept here to spare system calls.
  var armed: BootInstant?

  private var heap: [(instant: BootInstant, id: UInt64)] = []
  private var bodies: [UInt64: () -> Void] = [:]
  private var lastID: UInt64 = 0

  mutating func add(at instant: BootInstant, _ body: @escaping () -> Void) -> LoopTimer {
    lastID += 1
    bodies[lastID] = body
    heap.append((instant, lastID))
    siftUp(heap.count - 1)
    return LoopTimer(id: lastID)
  }

  mutating func cancel(_ timer: LoopTimer) {
    bodies[timer.id] = nil
    dropCancelled()
  }

  /// When the earliest timer is due.
  var next: BootInstant? { heap.first?.instant }

  /// Takes the earliest timer that is due; those due at one moment leave as they were added.
  mutating func popDue(at now: BootInstant) -> (() -> Void)? {
    dropCancelled()
    guard let first = heap.first, first.instant <= now else { return nil }
    let body = bodies.removeValue(forKey: first.id)
    dropCancelled()
    return body
  }

  private mutating func dropCancelled() {
    while let first = heap.first, bodies[first.id] == nil {
      let last = heap.removeLast()
      guard !heap.isEmpty else { return }
      heap[0] = last
      siftDown()
    }
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    (heap[left].instant, heap[left].id) < (heap[right].instant, heap[right].id)
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0, precedes(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && precedes(child, least) { least = child }
      if least == parent { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}

internal import Posix

/// Keys by the moment at which they are due; those of one moment leave as they came.
///
/// A binary heap that knows where each key lies, so that each change takes logarithmic time.
struct DueQueue<Key: Hashable> {
  private struct Element {
    let key: Key
    let instant: BootInstant
    let serial: UInt64
  }

  private var heap: [Element] = []
  private var positions: [Key: Int] = [:]
  private var lastSerial: UInt64 = 0

  /// The key that is due first, and when.
  var first: (key: Key, instant: BootInstant)? { heap.first.map { ($0.key, $0.instant) } }

  func contains(_ key: Key) -> Bool { positions[key] != nil }

  /// Makes a key due at a moment, and at no other.
  mutating func set(_ key: Key, at instant: BootInstant) {
    remove(key)
    lastSerial += 1
    heap.append(Element(key: key, instant: instant, serial: lastSerial))
    positions[key] = heap.count - 1
    siftUp(heap.count - 1)
  }

  /// Takes a key out, if it is there.
  mutating func remove(_ key: Key) {
    guard let position = positions.removeValue(forKey: key) else { return }
    let last = heap.removeLast()
    guard position < heap.count else { return }
    heap[position] = last
    positions[last.key] = position
    siftUp(position)
    siftDown(positions[last.key] ?? position)
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    (heap[left].instant, heap[left].serial) < (heap[right].instant, heap[right].serial)
  }

  private mutating func exchange(_ left: Int, _ right: Int) {
    heap.swapAt(left, right)
    positions[heap[left].key] = left
    positions[heap[right].key] = right
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0, precedes(child, (child - 1) / 2) {
      exchange(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func siftDown(_ start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && precedes(child, least) { least = child }
      if least == parent { return }
      exchange(parent, least)
      parent = least
    }
  }
}

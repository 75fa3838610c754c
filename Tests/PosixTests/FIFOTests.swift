import TestSupport
import Testing

@testable import Posix

@Suite struct FIFOs {
  @Test func `random appending and taking agrees with an array`() {
    var random = Seeded(3)
    var queue = FIFO<Int>()
    var model: [Int] = []
    // Phases that grow and shrink pass the sizes at which the storage is compacted.
    for number in 0..<60_000 {
      if random.below(10) < (number / 10_000 % 2 == 0 ? 7 : 3) {
        queue.append(number)
        model.append(number)
      } else {
        #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      }
      #expect(queue.count == model.count)
      #expect(queue.isEmpty == model.isEmpty)
    }
    while let element = queue.popFirst() { #expect(element == model.removeFirst()) }
    #expect(model.isEmpty)
  }

  @Test func `nothing that left is kept alive`() {
    final class Token {}
    var queue = FIFO<Token>()
    weak var first: Token?
    do {
      let token = Token()
      first = token
      queue.append(token)
    }
    queue.append(Token())
    #expect(first != nil)
    _ = queue.popFirst()
    #expect(first == nil)
    #expect(queue.count == 1)
  }
}

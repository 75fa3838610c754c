import TestSupport
import Testing

@testable import Posix

@Suite struct TimerQueues {
  private func at(_ moment: Int64) -> BootInstant { BootInstant(nanoseconds: moment) }

  @Test func `the earliest comes first, those of one moment as they were added`() {
    var queue = TimerQueue()
    let record = Record<String>()
    for (moment, name) in [(30, "c"), (10, "a"), (20, "b1"), (20, "b2"), (20, "b3")] {
      _ = queue.add(at: at(Int64(moment))) { record.note(name) }
    }
    while let body = queue.popDue(at: at(30)) { body() }
    #expect(record.all == ["a", "b1", "b2", "b3", "c"])
    #expect(queue.next == nil)
  }

  @Test func `nothing leaves before it is due`() {
    var queue = TimerQueue()
    _ = queue.add(at: at(10)) {}
    #expect(queue.popDue(at: at(9)) == nil)
    #expect(queue.next == at(10))
    #expect(queue.popDue(at: at(10)) != nil)
    #expect(queue.popDue(at: at(10)) == nil)
  }

  @Test func `a cancelled timer neither leaves nor counts as the next`() {
    var queue = TimerQueue()
    let first = queue.add(at: at(10)) { Issue.record("cancelled") }
    let second = queue.add(at: at(20)) { Issue.record("cancelled") }
    _ = queue.add(at: at(30)) {}
    queue.cancel(second)
    queue.cancel(first)
    #expect(queue.next == at(30))
    queue.popDue(at: at(99))?()
    #expect(queue.next == nil)
  }

  @Test func `cancelling what has left, or twice, does nothing`() {
    var queue = TimerQueue()
    let gone = queue.add(at: at(10)) {}
    #expect(queue.popDue(at: at(10)) != nil)
    let other = queue.add(at: at(20)) {}
    queue.cancel(gone)
    queue.cancel(gone)
    #expect(queue.next == at(20))
    queue.cancel(other)
    queue.cancel(other)
    #expect(queue.next == nil)
  }

  @Test func `random adding, cancelling and taking agrees with a sorted list`() {
    var random = Seeded(7)
    var queue = TimerQueue()
    var model: [(moment: Int64, number: Int, timer: LoopTimer)] = []
    let record = Record<Int>()
    for number in 0..<20_000 {
      switch random.below(10) {
      case 0..<5:
        let moment = Int64(random.below(500))
        let timer = queue.add(at: at(moment)) { record.note(number) }
        // Equal moments leave as they were added.
        let position = model.firstIndex { $0.moment > moment } ?? model.count
        model.insert((moment, number, timer), at: position)
      case 5..<8 where !model.isEmpty:
        queue.cancel(model.remove(at: random.below(model.count)).timer)
      default:
        let now = Int64(random.below(500))
        let isDue = model.first.map { $0.moment <= now } ?? false
        let body = queue.popDue(at: at(now))
        #expect((body != nil) == isDue)
        body?()
        if isDue { #expect(record.all.last == model.removeFirst().number) }
      }
      #expect(queue.next?.nanoseconds == model.first?.moment)
    }
  }
}

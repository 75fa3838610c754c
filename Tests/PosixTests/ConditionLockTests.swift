import Glibc
import TestSupport
import Testing

@testable import Posix

@Suite struct ConditionLocks {
  private final class Numbers: Sendable {
    let waiting = ConditionLock<[Int]>([])
  }

  @Test func `each waiter takes what it waits for`() {
    let numbers = Numbers()
    let record = Record<Int>()
    let pool = ThreadPool(threads: 4, name: "condition")
    for _ in 0..<4 {
      pool.submit {
        for _ in 0..<500 { record.note(numbers.waiting.wait { $0.popLast() }) }
      }
    }
    for number in 0..<2000 {
      numbers.waiting.withLock { $0.append(number) }
      numbers.waiting.wakeOne()
    }
    #expect(eventually { record.all.count == 2000 })
    #expect(record.all.sorted() == Array(0..<2000))
    pool.close()
  }

  @Test func `a wake without what is waited for ends no wait`() {
    let numbers = Numbers()
    let record = Record<Int>()
    let pool = ThreadPool(threads: 3, name: "condition")
    for wanted in 1...3 {
      pool.submit {
        record.note(numbers.waiting.wait { $0.contains(wanted) ? wanted : nil })
      }
    }
    for number in 1...3 {
      numbers.waiting.wakeAll()
      usleep(5000)
      #expect(record.all == Array(1..<number))
      numbers.waiting.withLock { $0.append(number) }
      numbers.waiting.wakeAll()
      #expect(eventually { record.all == Array(1...number) })
    }
    pool.close()
  }
}

import CTestSupport
import Glibc
import TestSupport
import Testing

@testable import Posix

@Suite struct ThreadPools {
  /// What this process has used of the processors.
  private var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test func `never more pieces of work at once than threads`() {
    let pool = ThreadPool(threads: 3, name: "pool-most")
    let record = Record<Int>()
    final class Shared: Sendable {
      let running = Lock(0)
    }
    let shared = Shared()
    for _ in 0..<200 {
      pool.submit {
        record.note(
          shared.running.withLock {
            $0 += 1
            return $0
          })
        usleep(500)
        shared.running.withLock { $0 -= 1 }
      }
    }
    #expect(eventually { record.all.count == 200 })
    #expect(record.all.max() == 3)
    #expect(support_threads_named("pool-most") == 3)
    pool.close()
  }

  @Test func `one thread works in the order of submission`() {
    let pool = ThreadPool(threads: 1, name: "pool-order")
    let record = Record<Int>()
    for number in 0..<2000 { pool.submit { record.note(number) } }
    #expect(eventually { record.all.count == 2000 })
    #expect(record.all == Array(0..<2000))
    pool.close()
  }

  @Test func `a thread starts with the first work and waits for more`() {
    let pool = ThreadPool(threads: 4, name: "pool-lazy")
    let record = Record<Int>()
    #expect(support_threads_named("pool-lazy") == 0)
    for number in 1...3 {
      pool.submit { record.note(number) }
      #expect(eventually { record.all.count == number })
      // Long enough for the thread to wait again.
      usleep(5000)
      #expect(support_threads_named("pool-lazy") == 1)
    }
    pool.close()
  }

  @Test func `a thread that was woken ahead takes the work, or sleeps again`() {
    let pool = ThreadPool(threads: 2, name: "pool-ahead")
    let record = Record<Int>()
    for number in 1...200 {
      if number % 3 != 0 { pool.anticipate() }
      // Work comes before the thread is awake, while it is, and after it sleeps again.
      if number % 2 == 0 { usleep(UInt32(number * 5)) }
      pool.submit { record.note(number) }
      #expect(eventually { record.all.count == number })
    }
    #expect(record.all == Array(1...200))
    pool.anticipate()
    usleep(20000)
    let before = processorTime
    usleep(100_000)
    #expect(processorTime - before < .milliseconds(50))
    pool.close()
  }

  @Test func `a pool answers once each thread has ended what it did when it was asked`() {
    let pool = ThreadPool(threads: 2, name: "pool-ask")
    let gates = (0..<3).map { _ in Handover<Bool>() }
    let record = Record<String>()
    pool.whenAllHaveAnswered { record.note("idle") }
    #expect(record.all == ["idle"])
    for gate in gates.prefix(2) {
      pool.submit {
        record.note("begun")
        _ = gate.wait()
      }
    }
    #expect(eventually { record.all.count == 3 })
    pool.whenAllHaveAnswered { record.note("answered") }
    gates[0].put(true)
    // That thread does other work meanwhile, which the answer does not wait for.
    pool.submit { _ = gates[2].wait() }
    pool.submit { record.note("third") }
    usleep(20000)
    #expect(!record.all.contains("answered"))
    gates[1].put(true)
    #expect(eventually { record.all.contains("answered") })
    gates[2].put(true)
    #expect(eventually { record.all.contains("third") })
    pool.whenAllHaveAnswered { record.note("idle again") }
    #expect(eventually { record.all.last == "idle again" })
    pool.close()
  }

  @Test func `close lets all work be done and then ends the threads`() {
    let pool = ThreadPool(threads: 2, name: "pool-close")
    let record = Record<Int>()
    for number in 0..<50 {
      pool.submit {
        usleep(200)
        record.note(number)
      }
    }
    pool.close()
    #expect(eventually { record.all.count == 50 })
    #expect(eventually { support_threads_named("pool-close") == 0 })
  }

  @Test func `a closed pool that nobody holds goes away`() {
    weak var gone: ThreadPool?
    do {
      let pool = ThreadPool(threads: 2, name: "pool-gone")
      gone = pool
      let record = Record<Int>()
      pool.submit { record.note(1) }
      #expect(eventually { record.all == [1] })
      pool.close()
    }
    #expect(eventually { gone == nil })
  }
}

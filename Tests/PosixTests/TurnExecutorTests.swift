import Glibc
import TestSupport
import Testing

@testable import Posix

@Suite struct TurnExecutors {
  @Test func `work of one executor never overlaps and keeps its order`() {
    let pool = ThreadPool(threads: 4, name: "turns")
    let executor = TurnExecutor(on: pool)
    let record = Record<Int>()
    nonisolated(unsafe) var busy = false
    for number in 0..<1000 {
      executor.enqueue {
        #expect(!busy)
        busy = true
        if number % 100 == 0 { usleep(1000) }
        record.note(number)
        busy = false
      }
    }
    #expect(eventually { record.all.count == 1000 })
    #expect(record.all == Array(0..<1000))
    pool.close()
  }

  @Test func `two executors on one thread alternate`() {
    let pool = ThreadPool(threads: 1, name: "turns")
    let gate = Record<String>()
    pool.submit { _ = eventually { !gate.all.isEmpty } }
    let (first, second) = (TurnExecutor(on: pool), TurnExecutor(on: pool))
    let record = Record<String>()
    for turn in 1...3 { first.enqueue { record.note("a\(turn)") } }
    for turn in 1...3 { second.enqueue { record.note("b\(turn)") } }
    gate.note("open")
    #expect(eventually { record.all.count == 6 })
    #expect(record.all == ["a1", "b1", "a2", "b2", "a3", "b3"])
    pool.close()
  }

  @Test func `long work of one executor delays another on a second thread by nothing`() {
    let pool = ThreadPool(threads: 2, name: "turns")
    let (slow, quick) = (TurnExecutor(on: pool), TurnExecutor(on: pool))
    let record = Record<String>()
    slow.enqueue {
      _ = eventually { record.all.count == 100 }
      record.note("slow")
    }
    slow.enqueue { record.note("slow") }
    for _ in 0..<100 { quick.enqueue { record.note("quick") } }
    #expect(eventually { record.all.count == 102 })
    #expect(record.all == Array(repeating: "quick", count: 100) + ["slow", "slow"])
    pool.close()
  }

  @Test func `an executor that is paused takes no turn, loses nothing, and delays nobody`() {
    let pool = ThreadPool(threads: 1, name: "turns")
    let (resting, other) = (TurnExecutor(on: pool), TurnExecutor(on: pool))
    let record = Record<String>()
    resting.enqueue {
      resting.pause()
      record.note("paused")
    }
    for turn in 1...3 { resting.enqueue { record.note("a\(turn)") } }
    #expect(eventually { record.all == ["paused"] })
    resting.enqueue { record.note("a4") }
    for turn in 1...3 { other.enqueue { record.note("b\(turn)") } }
    #expect(eventually { record.all == ["paused", "b1", "b2", "b3"] })
    resting.goOn()
    #expect(eventually { record.all.count == 8 })
    #expect(record.all.suffix(4) == ["a1", "a2", "a3", "a4"])
    pool.close()
  }

  @Test func `an executor that goes on before its pausing turn has ended works on`() {
    let pool = ThreadPool(threads: 2, name: "turns")
    let executor = TurnExecutor(on: pool)
    let record = Record<Int>()
    for turn in 0..<200 {
      executor.enqueue {
        executor.pause()
        pool.submit { executor.goOn() }
        record.note(turn)
      }
    }
    #expect(eventually { record.all.count == 200 })
    #expect(record.all == Array(0..<200))
    pool.close()
  }

  @Test func `actors count right on several threads`() async {
    let pool = ThreadPool(threads: 4, name: "turns")
    let counters = (0..<3).map { _ in Counter(on: TurnExecutor(on: pool)) }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<300 { group.addTask { await counters[number % 3].add() } }
    }
    for counter in counters { #expect(await counter.value == 100) }
    pool.close()
  }

  private actor Counter {
    private(set) var value = 0
    private let executor: TurnExecutor
    init(on executor: TurnExecutor) { self.executor = executor }
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    func add() {
      executor.checkIsolated()
      let before = value
      usleep(10)
      value = before + 1
    }
  }
}

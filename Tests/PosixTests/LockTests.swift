import TestSupport
import Testing

@testable import Posix

@Suite struct Locks {
  private final class Shared: Sendable {
    let count = Lock(0)
    let done = Lock(0)
  }

  @Test func `one thread at a time has the value`() throws {
    let shared = Shared()
    for _ in 0..<4 {
      try Thread.start(named: "locks") {
        for _ in 0..<10_000 { shared.count.withLock { $0 += 1 } }
        shared.done.withLock { $0 += 1 }
      }
    }
    #expect(eventually { shared.done.withLock { $0 } == 4 })
    #expect(shared.count.withLock { $0 } == 40_000)
  }

  @Test func `an error leaves the lock open`() {
    struct Failure: Error {}
    let lock = Lock(1)
    #expect(throws: Failure.self) { try lock.withLock { _ in throw Failure() } }
    #expect(lock.withLock { $0 } == 1)
  }

  @Test func `a lock that goes away lets its value go`() {
    final class Token: Sendable {}
    weak var gone: Token?
    do {
      let token = Token()
      gone = token
      let lock = Lock(token)
      #expect(lock.withLock { $0 === token })
    }
    #expect(gone == nil)
  }
}

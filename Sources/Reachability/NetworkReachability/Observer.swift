internal import Posix

/// A closure that is told of changes, one at a time and in order.
///
/// All closures of the process are called on one thread, so one that ends another's watch never
/// waits for it, and no two wait for each other.
final class Observer: Sendable {
  private struct Mailbox {
    var waiting = FIFO<NetworkReachability.State>()
    /// What the closure was last called with.
    var last: NetworkReachability.State?
    /// Whether its turn on the thread is to come.
    var isDue = false
  }

  // It starts with the first change for a closure, and is then there for good, asleep.
  private static let thread = TurnExecutor(on: ThreadPool(threads: 1, name: "reach-closures"))

  let body: @Sendable (NetworkReachability.State) -> Void
  private let mailbox = Lock(Mailbox())
  /// Is held while the closure is called.
  private let turn = Lock(())

  init(_ body: @escaping @Sendable (NetworkReachability.State) -> Void) { self.body = body }

  /// Has the closure called; of what waits the newest hundred are kept.
  func tell(_ state: NetworkReachability.State) {
    let schedule = mailbox.withLock { mailbox in
      if mailbox.waiting.count == Broadcast.mostWaiting { _ = mailbox.waiting.popFirst() }
      mailbox.waiting.append(state)
      defer { mailbox.isDue = true }
      return !mailbox.isDue
    }
    if schedule { takeTurn() }
  }

  /// Drops what waits; the next that is told is the first.
  func clear() {
    mailbox.withLock { mailbox in
      mailbox.waiting = FIFO()
      mailbox.last = nil
    }
  }

  /// Returns once the closure does not run, or at once where a closure is what asks.
  func waitForCall() {
    if !Observer.thread.isCurrent { turn.withLock { _ in } }
  }

  private func takeTurn() {
    Observer.thread.enqueue { [self] in
      turn.withLock { _ in
        if let state = next() { body(state) }
      }
      let isMoreWaiting = mailbox.withLock { mailbox in
        mailbox.isDue = !mailbox.waiting.isEmpty
        return mailbox.isDue
      }
      if isMoreWaiting { takeTurn() }
    }
  }

  /// The next state that the closure does not know.
  private func next() -> NetworkReachability.State? {
    mailbox.withLock { mailbox in
      while let state = mailbox.waiting.popFirst() {
        // Where some were dropped, the next one may be no change.
        if let last = mailbox.last, last.isAlike(state) { continue }
        mailbox.last = state
        return state
      }
      return nil
    }
  }
}

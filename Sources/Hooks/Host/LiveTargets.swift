internal import Posix
internal import Reachability

/// What stands for targets now: scripts read it on their own threads, and runs wait for it.
final class LiveTargets: Sendable {
  private let standings = Lock<[TargetID: Standing]>([:])
  // Only the loop's thread touches these.
  private nonisolated(unsafe) var waiters: [Waiter] = []
  private nonisolated(unsafe) var lastWaiter = 0

  private struct Waiter {
    let id: Int
    let target: TargetID
    let status: Status
    let body: () -> Void
  }

  /// What stands for a target, on any thread; nil before it is judged.
  subscript(target: TargetID) -> Standing? { standings.withLock { $0[target] } }

  /// Has everything of one moment stand, and calls those who wait for it; on the loop.
  func stand(_ changes: [(target: TargetID, standing: Standing)]) {
    standings.withLock { standings in
      for change in changes { standings[change.target] = change.standing }
    }
    guard !waiters.isEmpty else { return }
    let satisfied = waiters.filter { self[$0.target]?.verdict.status == $0.status }
    for waiter in satisfied {
      cancel(waiter.id)
      waiter.body()
    }
  }

  /// Forgets a target that is watched no more; on the loop.
  func forget(_ target: TargetID) { standings.withLock { $0[target] = nil } }

  /// Calls `body` once the target has a status; on the loop.
  ///
  /// - Returns: what `cancel` takes.
  func await(_ status: Status, of target: TargetID, _ body: @escaping () -> Void) -> Int {
    lastWaiter += 1
    waiters.append(Waiter(id: lastWaiter, target: target, status: status, body: body))
    return lastWaiter
  }

  /// Ends a wait; on the loop.
  func cancel(_ waiter: Int) { waiters.removeAll { $0.id == waiter } }
}

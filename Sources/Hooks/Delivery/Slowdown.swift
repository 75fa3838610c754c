internal import Posix

/// How a hook whose runs keep failing is slowed down.
struct Slowdown: Hashable, Sendable {
  /// After how many failures in a row.
  var failures = 5
  /// The least time between the begins of two runs from then on.
  var interval = Duration.seconds(600)
}

/// How a run ended.
enum Ending {
  case succeeded
  /// By an error, its deadline or a limit of its own.
  case failed
  /// Cancelled for a newer event.
  case replaced
  /// Broken off by no fault of its own: its event is owed, and told again after a load.
  case broken
}

extension Hearing {
  /// Whether it is slowed down, until a run succeeds.
  var isSlow: Bool { told.failures >= rules.slowdown.failures }

  /// Until when that keeps the next run back; nil where it does not.
  var slowEnd: BootInstant? {
    guard isSlow else { return nil }
    let last = StatusTable<BootInstant>.statuses.compactMap { told.calls[$0] }.max()
    return last.map { $0 + rules.slowdown.interval }
  }

  /// Takes note of how a run ended; what waits for a run that failed once too often is dropped.
  mutating func count(_ ending: Ending) {
    switch ending {
    case .succeeded: told.failures = 0
    case .failed:
      told.failures += 1
      guard isSlow else { return }
      missed += waiting.count
      waiting = []
    case .replaced, .broken: break
    }
  }

  /// Forgets that runs failed.
  mutating func enable() { told.failures = 0 }
}

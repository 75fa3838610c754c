internal import Posix

/// Writes what a script says, at most 20 lines a second.
final class ScriptLog: Sendable {
  private let log: Log
  private let name: String
  private let allowance = Lock(LogAllowance())
  private let ending: @Sendable (ScriptLog, BootInstant) -> Void

  /// - Parameters:
  ///   - log: where it writes.
  ///   - name: the script.
  ///   - ending: is called with the moment at which `settle` is to be called.
  init(
    _ log: Log, of name: String, ending: @escaping @Sendable (ScriptLog, BootInstant) -> Void
  ) {
    self.log = log
    self.name = name
    self.ending = ending
  }

  /// Writes a message, or drops it where there were too many.
  func write(_ level: Log.Level, _ message: String, from origin: String) {
    guard level >= log.level else { return }
    let lines = message.utf8.reduce(into: 1) { if $1 == 0x0a { $0 += 1 } }
    switch allowance.withLock({ $0.take(lines, at: log.clock.now) }) {
    case .write(let dropped):
      tell(dropped)
      log.write(level, message, from: origin)
    case .dropUntil(let end): ending(self, end)
    case .drop: break
    }
  }

  /// Says how many lines were dropped in a period that is over.
  func settle() { tell(allowance.withLock { $0.settle(at: log.clock.now) }) }

  private func tell(_ dropped: Int) {
    guard dropped > 0 else { return }
    log.write(
      .warn,
      "\(dropped) line\(dropped == 1 ? " was" : "s were") dropped: a script may log "
        + "\(LogAllowance.most) lines a second", from: name)
  }
}

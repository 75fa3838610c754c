public import Posix

/// What the service manager is told.
extension HookHost {
  /// Tells a supervisor from now on when the host is ready, reloads and stops, and, where it wants
  /// to hear that, that the loop and every thread that runs Lua live; on the loop, before `start`.
  public func supervise(by supervisor: ServiceSupervisor) {
    self.supervisor = supervisor
    if let watchdog = supervisor.watchdog { feed(every: watchdog / 2) }
  }

  /// Tells it `state`, with a line about what the host does.
  func tellSupervisor(_ state: String? = nil) {
    guard supervisor != nil, state != nil || isStarted else { return }
    tell([state, "STATUS=\(statusLine)"].compactMap(\.self).joined(separator: "\n"))
  }

  private func tell(_ state: String) {
    guard let supervisor else { return }
    do throws(SystemError) { try supervisor.tell(state) } catch {
      // Said once: it would be the same every time.
      if !hasFailedToTell { log.write(.warn, "\(error)") }
      hasFailedToTell = true
    }
  }

  private func feed(every interval: Duration) {
    _ = loop.schedule(at: loop.clock.now + interval) {
      self.feed(every: interval)
      guard !self.isAwaitingThreads else { return }
      self.isAwaitingThreads = true
      self.threads.whenAllHaveAnswered {
        self.loop.post {
          self.assumeIsolated { host in
            host.isAwaitingThreads = false
            host.tell("WATCHDOG=1")
          }
        }
      }
    }
  }

  /// `3 scripts with 5 hooks, 1 quarantined`.
  private var statusLine: String {
    func count(_ number: Int, _ noun: String) -> String {
      "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
    let running = scripts.filter { $0.script != nil }
    var line = count(running.count, "script") + " with "
    line += count(running.reduce(0) { $0 + $1.hooks.count }, "hook")
    let held = scripts.count { quarantines[$0.source.name] != nil }
    return held == 0 ? line : line + ", \(held) quarantined"
  }
}

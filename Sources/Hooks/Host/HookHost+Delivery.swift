internal import Posix
internal import Reachability

/// What hooks are told, and when.
extension HookHost {
  func take(_ transitions: [Transition]) {
    // A thread that wakes up while the event is made takes it the sooner.
    threads.anticipate()
    let concerned = stand(transitions)
    // Told first, logged afterwards, in the order in which it happened all the same.
    for hook in concerned { attend(hook) }
    log.flush()
  }

  /// Has all verdicts of one moment stand before any hook is told; returns those whom they concern.
  private func stand(_ transitions: [Transition]) -> [HookState] {
    var concerned: [HookState] = []
    var changes: [(target: TargetID, standing: Standing)] = []
    for transition in transitions {
      guard let watched = targets[transition.target] else { continue }
      var standing = watched.standing ?? Standing(transition)
      standing.note(transition)
      watched.standing = standing
      changes.append((watched.id, standing))
      if watched.isNamed {
        let name = watched.target.name
        log.delay(.info) { transition.summary(of: name) }
      }
      for hook in watched.hooks { hook.hearing.note(standing) }
      concerned += watched.hooks
      for hook in watched.dependents { hook.heedGiven(at: transition.instant) }
      concerned += watched.dependents
    }
    equipment.targets.stand(changes)
    return concerned
  }

  /// Does what a hook's hearing asks for now, and comes back when it is to be asked again.
  func attend(_ hook: HookState) {
    if let timer = hook.timer { loop.cancel(timer) }
    hook.timer = nil
    guard !hook.isRetired, let script = hook.script.script else { return }
    let now = loop.clock.now
    let time = loop.clock.seconds
    hook.heedQuietHours(at: now, time)
    switch hook.hearing.advance(at: now, time) {
    case .call(let event, let handlers): call(handlers, of: hook, event, script)
    case .cancel: replaceRun(of: hook)
    case nil: if !hook.hearing.isRunning { remember(hook) }
    }
    hook.timer = hook.nextMoment(by: loop.clock).map { moment in
      loop.schedule(at: moment) { self.attend(hook) }
    }
  }

  /// Lets no hook hear of worse than it was told until what comes back has come back.
  func resume() {
    guard shutdown == nil else { return }
    resumption.begin(at: loop.clock.now)
    for hook in allHooks {
      keepBack(from: hook)
      attend(hook)
    }
  }

  /// Keeps what got worse from a hook while the machine is resuming.
  func keepBack(from hook: HookState) {
    guard resumption.keepsBack(at: loop.clock.now), let end = resumption.end else { return }
    hook.hearing.resume(until: end)
  }

  /// Looks at the quiet hours again, since the wall clock was set.
  func heedWallClock() {
    for hook in allHooks where hook.hook.quiet != nil { attend(hook) }
  }

  private var allHooks: [HookState] { scripts.flatMap(\.hooks) }
}

extension Transition {
  /// `internet: unreachable (link-down), was reachable via wired`.
  fileprivate func summary(of name: String) -> String {
    "\(name.printable): \(to.summary)"
      + (from.status == .unknown ? "" : ", was \(from.summary)")
  }
}

internal import Lua
internal import Posix
internal import Reachability

extension HookHost {
  /// Begins a run of some of a hook's handlers with an event.
  ///
  /// Where somebody asked for it, it tells the hook nothing, and `firing` learns how it ended.
  func call(
    _ handlers: HandlerSet, of hook: HookState, _ event: Event, _ script: Script,
    firing: Firing? = nil
  ) {
    equipment.stage?.note(
      .call(event, handlers.intersection(hook.hook.rules.handlers)), of: hook.origin,
      at: loop.clock.now)
    lastRun += 1
    let id = lastRun
    let now = loop.clock.now
    let deadline = now + hook.hook.deadline
    runs[id] = Run(
      hook: hook, script: script, status: event.verdict.status, started: now, firing: firing)
    let current = ScriptContext.CurrentRun(origin: hook.origin, deadline: deadline)
    script.start(id, hook.hook.functions(of: handlers), event, as: current) { step in
      self.post(step, of: id)
    }
    runs[id]?.deadlineTimer = loop.schedule(at: deadline) {
      self.cancel(id, "cancelled: the deadline of \(hook.hook.deadline.text) has passed")
    }
  }

  /// Ends a run by an error that the script cannot catch, and what it waits for with it.
  func cancel(_ id: Script.RunID, _ message: String) {
    guard let run = runs[id] else { return }
    runs[id]?.isCancelled = true
    runs[id]?.wait = nil
    run.wait?.giveUp()
    run.script.cancel(id, message) { self.post($0, of: id) }
  }

  /// Cancels a hook's run for a newer event, which is told once nothing of that run is left.
  func replaceRun(of hook: HookState) {
    guard let id = runs.first(where: { $0.value.hook === hook })?.key else { return }
    runs[id]?.isReplaced = true
    cancel(id, HookHost.replacement)
  }

  private static let replacement = "cancelled: something newer is to be told"

  /// Strikes a run off the list.
  func forget(_ id: Script.RunID) {
    guard let run = runs.removeValue(forKey: id) else { return }
    run.wait?.giveUp()
    if let timer = run.deadlineTimer { loop.cancel(timer) }
  }

  nonisolated func post(_ step: RunStep, of id: Script.RunID) {
    loop.post { self.assumeIsolated { $0.take(step, of: id) } }
  }

  private func take(_ step: RunStep, of id: Script.RunID) {
    if let task = tasks[id] { return take(step, of: id, task) }
    guard let run = runs[id] else { return }
    switch step {
    case .waiting(let effect, let store):
      note(store, of: run.hook.script)
      // The error that cancels it is on its way.
      guard !run.isCancelled else { return }
      let hook = run.hook
      // Should the daemon be killed during what it waits for, the event is told again.
      remember(hook)
      let wait = begin(effect, for: id, of: hook.script, run.script, hook.origin) { change in
        hook.children += change
        if change < 0 { self.settle(hook) }
      }
      runs[id]?.wait = wait
    case .ended(let outcome, let store):
      note(store, of: run.hook.script)
      end(id, run, outcome)
    }
  }

  private func end(_ id: Script.RunID, _ run: Run, _ outcome: Outcome) {
    forget(id)
    report(run, outcome)
    run.hook.end = ending(of: run, outcome)
    if case .killed = outcome {
      if run.hook.script.script === run.script { rest(run.hook.script) }
      breakRuns(of: run.script)
    }
    // What it started may take its time to end; its event is told all the same.
    if run.hook.children > 0, run.hook.end != .broken { rememberEnd(of: run.hook) }
    settle(run.hook)
    endIfIdle()
  }

  /// How a run ended; one that finished just as it was cancelled has succeeded.
  private func ending(of run: Run, _ outcome: Outcome) -> Ending {
    switch outcome {
    case .finished: .succeeded
    case .failed where run.isBroken: .broken
    case .failed(let failure) where wasReplaced(run, failure): .replaced
    case .failed, .killed: .failed
    }
  }

  private func wasReplaced(_ run: Run, _ failure: LuaFailure) -> Bool {
    run.isReplaced && failure.message.hasSuffix(HookHost.replacement)
  }

  private func report(_ run: Run, _ outcome: Outcome) {
    let status = run.status.rawValue
    let took = (loop.clock.now - run.started).text
    let (verb, failure): (String, LuaFailure?) =
      switch outcome {
      case .finished: ("finished after \(took)", nil)
      case .failed(let failure) where wasReplaced(run, failure):
        ("cancelled after \(took), since something newer is to be told", nil)
      case .failed(let failure): ("failed: ", failure)
      case .killed(let failure): ("killed: ", failure)
      }
    let fired = run.firing == nil ? "" : "fired "
    let text = log.redacted("\(fired)\(status): \(verb)\(failure?.message ?? "")")
    run.hook.lastOutcome = text
    if let failure, !run.isBroken {
      equipment.stage?.note(.failure(failure.message), of: run.hook.origin, at: loop.clock.now)
    }
    run.firing?.end(outcome, "\(run.hook.origin.printable): \(text.printable)")
    let line = "\(fired)\(status): \(verb)\(failure?.text ?? "")"
    log.write(failure == nil ? .info : .error, line, from: run.hook.origin)
  }

  /// Goes on once a hook's run has ended and none of its commands is left.
  func settle(_ hook: HookState) {
    guard hook.children == 0, let end = hook.end else { return }
    hook.end = nil
    let wasSlow = hook.hearing.isSlow
    hook.hearing.runEnded(end, at: loop.clock.now)
    if hook.hearing.isSlow, !wasSlow { tellOfSlowdown(hook) }
    remember(hook)
    attend(hook)
    endIfIdle()
  }

  // MARK: What lasts

  /// Takes note of what a hook was told, where that has changed.
  func remember(_ hook: HookState) {
    guard hook.hearing.told != hook.remembered else { return }
    hook.remembered = hook.hearing.told
    memory.note(told: hook.hearing.told, of: hook.key)
  }

  /// Takes note that a hook's run has ended, though what it started has not.
  private func rememberEnd(of hook: HookState) {
    var told = hook.hearing.told
    told.unfinished = nil
    hook.remembered = told
    memory.note(told: told, of: hook.key)
  }

  /// Takes note of what a script keeps; nil where that is as it was.
  func note(_ store: String?, of loaded: LoadedScript) {
    if let store { memory.note(store: store, of: loaded.source.name) }
  }

  // MARK: Waits

  /// Begins what a run waits for, once what was noted until then is saved.
  func begin(
    _ effect: any Effect, for id: Script.RunID, of loaded: LoadedScript, _ script: Script,
    _ origin: String, children: @escaping (Int) -> Void = { _ in }
  ) -> Wait {
    let wait = Wait(
      on: loop, log: log, with: equipment, origin: origin, script: loaded, children: children
    ) { self.goOn(id, script, with: $0) }
    memory.save(then: { if wait.isOpen { effect.perform(wait) } })
    return wait
  }

  private func goOn(_ id: Script.RunID, _ script: Script, with answer: Wait.Answer) {
    runs[id]?.wait = nil
    tasks[id]?.wait = nil
    switch answer {
    case .results(let results): script.resume(id, results) { self.post($0, of: id) }
    case .error(let message): script.resume(id, raising: message) { self.post($0, of: id) }
    }
  }
}

internal import Lua
internal import Posix
internal import Reachability

extension HookHost {
  /// Begins a run of some of a hook's handlers with an event.
  func call(_ handlers: HandlerSet, of hook: HookState, _ event: Event, _ script: Script) {
    lastRun += 1
    let id = lastRun
    let now = BootInstant.now
    let deadline = now + hook.hook.deadline
    runs[id] = Run(hook: hook, script: script, status: event.verdict.status, started: now)
    let current = ScriptContext.CurrentRun(origin: hook.origin, deadline: deadline)
    script.start(id, hook.hook.functions(of: handlers), event, as: current) { step in
      self.post(step, of: id)
    }
    runs[id]?.deadlineTimer = loop.schedule(at: deadline) {
      self.cancel(id, "cancelled: the deadline of \(hook.hook.deadline.text) has passed")
    }
  }

  /// Ends a run by an error that the script cannot catch, and its command with it.
  func cancel(_ id: Script.RunID, _ message: String) {
    runs[id]?.isCancelled = true
    guard let run = runs[id] else { return }
    run.command?.terminate()
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
    run.command?.terminate()
    if let timer = run.deadlineTimer { loop.cancel(timer) }
  }

  private nonisolated func post(_ step: RunStep, of id: Script.RunID) {
    loop.post { self.assumeIsolated { $0.take(step, of: id) } }
  }

  private func take(_ step: RunStep, of id: Script.RunID) {
    guard let run = runs[id] else { return }
    switch step {
    case .waiting(.command(let effect)): begin(effect, for: id, of: run.hook.script)
    case .ended(let outcome): end(id, run, outcome)
    }
  }

  private func end(_ id: Script.RunID, _ run: Run, _ outcome: Outcome) {
    forget(id)
    report(run, outcome)
    // One that finished meanwhile, or met a limit of its own, is not owed.
    if run.isBroken, case .failed = outcome { run.hook.end = .owed } else { run.hook.end = .told }
    if case .killed = outcome {
      if run.hook.script.script === run.script { rest(run.hook.script) }
      breakRuns(of: run.script)
    }
    settle(run.hook)
    endIfIdle()
  }

  private func report(_ run: Run, _ outcome: Outcome) {
    let status = run.status.rawValue
    let took = (BootInstant.now - run.started).text
    let (verb, failure): (String, LuaFailure?) =
      switch outcome {
      case .finished: ("finished after \(took)", nil)
      case .failed(let failure)
      where run.isReplaced && failure.message.hasSuffix(HookHost.replacement):
        ("cancelled after \(took), since something newer is to be told", nil)
      case .failed(let failure): ("failed: ", failure)
      case .killed(let failure): ("killed: ", failure)
      }
    run.hook.lastOutcome = "\(status): \(verb)\(failure?.message ?? "")"
    let line = "\(status): \(verb)\(failure?.text ?? "")"
    log.write(failure == nil ? .info : .error, line, from: run.hook.origin)
  }

  /// Goes on once a hook's run has ended and none of its commands is left.
  func settle(_ hook: HookState) {
    guard hook.children == 0, let end = hook.end else { return }
    hook.end = nil
    hook.hearing.runEnded(isBroken: end == .owed, at: .now)
    attend(hook)
    succeed(hook)
  }

  /// Lets the hook of the next version begin, whose handlers waited for this one's.
  private func succeed(_ hook: HookState) {
    guard hook.isRetired,
      let next = hook.script.hooks.first(where: { $0.predecessor === hook })
    else { return }
    next.predecessor = nil
    next.inherit(hook)
    attend(next)
  }

  // MARK: Commands

  /// How many commands of one script run at once; a further one waits.
  private static let mostChildren = 8

  private func begin(_ effect: CommandEffect, for id: Script.RunID, of script: LoadedScript) {
    guard script.children < HookHost.mostChildren else {
      return script.waitingCommands.append((id, effect))
    }
    // A run that is cancelled may have asked before it learned of that.
    guard let run = runs[id], !run.isCancelled else { return }
    let hook = run.hook
    do {
      script.children += 1
      hook.children += 1
      runs[id]?.command = try Subprocess(effect.configuration, on: loop) { result in
        self.commandEnded(of: hook)
        self.runs[id]?.command = nil
        self.answer(id, effect, result, complaint: effect.complaint(about: result))
      }
    } catch {
      commandEnded(of: hook)
      answer(id, effect, Subprocess.Result(), complaint: "\(error)", error: "\(error)")
    }
  }

  private func commandEnded(of hook: HookState) {
    let script = hook.script
    hook.children -= 1
    script.children -= 1
    settle(hook)
    endIfIdle()
    // Those whose runs have ended meanwhile are passed over.
    while script.children < HookHost.mostChildren, let next = script.waitingCommands.popFirst() {
      begin(next.effect, for: next.run, of: script)
    }
  }

  private func answer(
    _ id: Script.RunID, _ effect: CommandEffect, _ result: Subprocess.Result, complaint: String?,
    error: String? = nil
  ) {
    guard let run = runs[id] else { return }
    if effect.isChecked, let complaint {
      return run.script.resume(id, raising: complaint) { self.post($0, of: id) }
    }
    if let complaint { log.write(.warn, complaint, from: run.hook.origin) }
    run.script.resume(id, { $0.result(result, error: error) }) { self.post($0, of: id) }
  }
}

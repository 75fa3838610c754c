internal import Lua
internal import Posix

/// What becomes of scripts that use too much, and of hooks that keep failing.
extension HookHost {
  // MARK: Processor time and lines

  /// Does what a script's limits ask for.
  func take(_ notice: ScriptNotice, from script: Script) {
    switch notice {
    case .sitsOut(let end):
      if let loaded = scripts.first(where: { $0.script === script }) { sitOut(loaded, until: end) }
      _ = loop.schedule(at: end) { script.goOn() }
    case .dropsLines(let lines, let end): _ = loop.schedule(at: end) { lines.settle() }
    }
  }

  private func sitOut(_ loaded: LoadedScript, until end: BootInstant) {
    let now = loop.clock.now
    let isNew = loaded.sitsOutUntil.map { $0 + ProcessorAllowance.window < now } ?? true
    loaded.sitsOutUntil = end
    // One that goes on like that says so once.
    guard isNew else { return }
    let left = Duration.milliseconds(Int64((end - now).seconds * 1000))
    log.write(
      .warn,
      "has used \(ProcessorAllowance.most.text) of processor time within "
        + "\(ProcessorAllowance.window.text): waits for \(left.text)", from: loaded.source.name)
  }

  // MARK: Kills and quarantine

  /// Discards a script whose interpreter was killed; it is loaded again after a rest, unless that
  /// was one kill too many.
  func rest(_ loaded: LoadedScript) {
    loaded.script = nil
    stopTimers(of: loaded)
    guard shutdown == nil, scripts.contains(where: { $0 === loaded }) else { return }
    if loaded.kills.note(at: loop.clock.now) {
      let times = "killed \(KillRecord.most) times within \(KillRecord.window.text)"
      return quarantine(loaded.source, holding: loaded.text, times)
    }
    log.write(
      .warn, "rests for \(HookHost.rest.text), then is loaded again", from: loaded.source.name)
    loaded.restartTimer = loop.schedule(at: loop.clock.now + HookHost.rest) {
      self.load(loaded)
    }
  }

  /// Judges how the daemon ended before: a script inside of which it did twice is quarantined.
  func heed(_ marker: CrashMarker) {
    if marker.wasDamaged { log.write(.warn, "the crash marker was damaged, and is set anew") }
    for name in marker.judgement.suspects {
      log.write(
        .warn,
        "the daemon ended while this script was executing; if it does so again the script is "
          + "quarantined", from: name)
    }
    for name in marker.judgement.guilty {
      guard let source = scripts.first(where: { $0.source.name == name })?.source else { continue }
      let text = try? TextDigest(source.read())
      quarantine(source, holding: text, "the daemon ended twice in a row while it was executing")
    }
  }

  private func quarantine(_ source: ScriptSource, holding text: TextDigest?, _ reason: String) {
    let quarantine = Quarantine(
      script: source.name, reason: reason, since: loop.clock.seconds, text: text)
    log.write(.error, quarantine.summary, from: source.name)
    change(source.name) { $0.begin(quarantine) }
  }

  /// Why a script is not to be loaded, nil where it is; a quarantine ends when its file is another.
  func refusal(of loaded: LoadedScript, holding text: TextDigest) -> String? {
    guard let quarantine = quarantines[loaded.source.name] else { return nil }
    guard quarantine.text != text else { return quarantine.summary }
    log.write(
      .info, "no longer quarantined: its file has changed", from: loaded.source.name)
    lift(loaded)
    return nil
  }

  private func lift(_ loaded: LoadedScript) {
    loaded.kills.forget()
    change(loaded.source.name) { $0.lift(loaded.source.name) }
  }

  /// The one place where quarantines begin and end.
  private func change(_ script: String, _ body: (inout Quarantines) -> Void) {
    body(&quarantines)
    memory.note(quarantines[script], of: script)
    tellSupervisor()
  }

  // MARK: Slow hooks

  /// Says that a hook is slowed down from now on.
  func tellOfSlowdown(_ hook: HookState) {
    let slowdown = hook.hook.rules.slowdown
    log.write(
      .warn,
      "failed \(slowdown.failures) times in a row: runs at most once in \(slowdown.interval.text) "
        + "until a run succeeds, the file changes, or \"reach enable \(hook.origin)\"",
      from: hook.origin)
  }

  /// Lifts the quarantine of a script and the slowdown of all its hooks.
  func enable(_ loaded: LoadedScript) {
    for hook in loaded.hooks { enable(hook) }
    guard quarantines[loaded.source.name] != nil else { return }
    log.write(.info, "no longer quarantined: enabled", from: loaded.source.name)
    lift(loaded)
  }

  /// Lifts the slowdown of a hook.
  func enable(_ hook: HookState) {
    hook.hearing.enable()
    remember(hook)
    attend(hook)
  }
}

extension Quarantine {
  /// `quarantined: killed 3 times within 10m; …`.
  var summary: String {
    "quarantined: \(reason); it runs again when its file changes or after "
      + "\"reach enable \(script.printable)\""
  }
}

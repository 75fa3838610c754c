internal import Lua
internal import Posix
internal import Reachability

extension HookHost {
  /// Reads a script, and loads what it holds.
  func load(_ loaded: LoadedScript) {
    load(loaded, Result { () throws(ScriptError) in try loaded.source.read() })
  }

  /// Loads a script from what its file holds, in the place of the version that runs.
  func load(_ loaded: LoadedScript, _ file: Result<[UInt8], ScriptError>) {
    if let timer = loaded.restartTimer { loop.cancel(timer) }
    loaded.restartTimer = nil
    loading += 1
    lastLoad += 1
    let number = lastLoad
    loaded.beginLoad(number, from: file)
    let text: [UInt8]
    do throws(ScriptError) { text = try file.get() } catch {
      fail(loaded, error.description)
      return finishedLoading()
    }
    let digest = TextDigest(text)
    if let refusal = refusal(of: loaded, holding: digest) {
      fail(loaded, refusal)
      return finishedLoading()
    }
    // Weak, for the host holds the script.
    let script = Script(
      loaded.source, holding: digest, on: threads, log: log, live: equipment.targets,
      marker: marker, isRehearsed: equipment.stage != nil
    ) { [weak self] script, notice in
      guard let self else { return }
      loop.post { self.assumeIsolated { $0.take(notice, from: script) } }
    } timers: { [weak self] script, order in
      guard let self else { return }
      loop.post { self.assumeIsolated { $0.take(order, from: script) } }
    }
    script.load(text) { result, libraries in
      self.loop.post {
        self.assumeIsolated { $0.install(script, load: number, from: result, libraries) }
      }
    }
  }

  private func install(
    _ script: Script, load number: Int, from result: Result<ScriptDeclarations, LuaFailure>,
    _ libraries: [String: Set<FileContent>]
  ) {
    defer { finishedLoading() }
    guard let loaded = scripts.first(where: { $0.lastLoad == number }), shutdown == nil else {
      return
    }
    loaded.files.merge(libraries) { $0.union($1) }
    // What was required is watched from now on, and may have changed since.
    if !libraries.isEmpty, equipment.stage == nil { fileWatch?.look() }
    switch result {
    case .failure(let failure): fail(loaded, loaded.source.located(failure.message))
    case .success(let declarations):
      loaded.next = (script, declarations)
      depart(loaded, .reload) { self.afterDepartures(of: loaded) { self.takeNext(of: loaded) } }
    }
  }

  /// Puts the newest version of a script that waits for that in its place.
  private func takeNext(of loaded: LoadedScript) {
    guard let (script, declarations) = loaded.next, shutdown == nil,
      scripts.contains(where: { $0 === loaded })
    else { return }
    loaded.next = nil
    // What ran until now may have brought a quarantine about.
    if let refusal = refusal(of: loaded, holding: script.text) { return fail(loaded, refusal) }
    change(loaded, to: script, declarations)
  }

  private func fail(_ loaded: LoadedScript, _ fault: String) {
    let result = LoadResult.failed(log.redacted(fault), keepsVersion: loaded.script != nil)
    let text = result.text(of: loaded.source)
    log.write(.error, text, from: loaded.source.name)
    equipment.stage?.note(.loadFault(text), of: loaded.source.name, at: loop.clock.now)
    loaded.endLoad(result)
    advanceFirings()
  }

  /// Puts a version of a script in the place of the one before.
  private func change(
    _ loaded: LoadedScript, to script: Script, _ declarations: ScriptDeclarations
  ) {
    if let timer = loaded.restartTimer { loop.cancel(timer) }
    loaded.restartTimer = nil
    let earlier = loaded.hooks
    loaded.text = script.text
    loaded.sitsOutUntil = nil
    let used = declarations.watchedTargets
    let known = declarations.targets.enumerated().map { position, target in
      used.contains(target) || declarations.readyTargets.contains(position) ? watch(target) : nil
    }
    script.know(known.map { $0?.id })
    script.give(store: store(of: loaded))
    let watched = known.compactMap(\.self)
    for target in watched where used.contains(target.target) { target.isNamed = true }
    forget(loaded.targets)
    loaded.targets = watched
    loaded.script = script
    loaded.deferred = declarations.deferred
    startTimers(declarations.timers, of: loaded)
    loaded.hooks = declarations.hooks.compactMap { hook in
      guard let target = watched.first(where: { $0.target == hook.target }) else { return nil }
      let given = hook.given.flatMap { given in watched.first { $0.target == given } }
      let state = HookState(
        hook, on: target, given: given, of: loaded, cause: isStarted ? .reload : .restart)
      state.inherit(memory.told(of: state.key), in: script.text)
      state.lastOutcome = earlier.first { $0.hook.name == hook.name }?.lastOutcome
      return state
    }
    for hook in loaded.hooks {
      hook.attach(at: loop.clock.now)
      keepBack(from: hook)
      attend(hook)
    }
    let result = LoadResult.loaded(hooks: loaded.hooks.count)
    log.write(.info, result.text(of: loaded.source), from: loaded.source.name)
    loaded.endLoad(result)
    advanceFirings()
  }

  /// What a script keeps; one that cannot be read is put aside, under another name.
  private func store(of loaded: LoadedScript) -> LuaTable {
    let name = loaded.source.name
    guard let text = memory.store(of: name) else { return LuaTable() }
    if let table = StoreText.table(of: text) { return table }
    memory.note(store: text, of: "\(name) (unreadable)")
    log.write(.error, "what it keeps cannot be read, and is put aside; it begins anew", from: name)
    return LuaTable()
  }

  /// Takes note that one of those that load has ended.
  func finishedLoading() {
    loading -= 1
    guard loading == 0 else { return }
    ready?()
    ready = nil
  }

  func unload(_ loaded: LoadedScript) {
    log.write(.info, "unloaded: its file is gone", from: loaded.source.name)
    depart(loaded, .removed) { self.forget(loaded.targets) }
    loaded.hooks = []
    if let timer = loaded.restartTimer { loop.cancel(timer) }
    scripts.removeAll { $0 === loaded }
    loaded.endLoad(.abandoned)
    advanceFirings()
  }

  /// Stops telling hooks anything; a handler that runs may finish.
  func retire(_ hooks: [HookState]) {
    for hook in hooks {
      hook.isRetired = true
      hook.detach()
      if let timer = hook.timer { loop.cancel(timer) }
      hook.timer = nil
    }
    // Their numbers alone: what runs is not to be kept for that long.
    let left = runs.filter { $0.value.hook.isRetired }.map(\.key)
    guard !left.isEmpty else { return }
    _ = loop.schedule(at: loop.clock.now + HookHost.farewell) {
      for id in left {
        self.runs[id]?.isBroken = true
        self.cancel(id, "cancelled: the script was unloaded")
      }
    }
  }

  /// Adds a user of a target, which is watched once for all of them.
  private func watch(_ target: DeclaredTarget) -> WatchedTarget {
    let watched = targets.values.first { $0.target == target } ?? begin(target)
    watched.users += 1
    return watched
  }

  /// Begins to watch a target, and what makes it up.
  private func begin(_ target: DeclaredTarget) -> WatchedTarget {
    let members = target.members.map(watch)
    let ids = members.map(\.id)
    let id =
      switch target {
      case .single(let target): watch.add(target)
      case .combined(let target): watch.add(Combination(atLeast: target.needed, of: ids))
      }
    let watched = WatchedTarget(target, of: members, id: id)
    targets[id] = watched
    return watched
  }

  private func forget(_ old: [WatchedTarget]) {
    for watched in old {
      watched.users -= 1
      guard watched.users == 0 else { continue }
      targets[watched.id] = nil
      equipment.targets.forget(watched.id)
      watch.remove(watched.id)
      forget(watched.members)
    }
  }

  /// Ends the other runs of an interpreter that was killed.
  func breakRuns(of script: Script) {
    for (id, run) in runs.filter({ $0.value.script === script }) {
      forget(id)
      run.firing?.breakOff()
      run.hook.end = .broken
      settle(run.hook)
    }
    breakTasks(of: script)
  }
}

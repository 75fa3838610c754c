internal import Lua
internal import Posix
internal import Reachability

extension HookHost {
  func load(_ loaded: LoadedScript) {
    let text: [UInt8]
    do { text = try loaded.source.read() } catch {
      log.write(.error, "\(error)")
      return finishedLoading()
    }
    let script = Script(loaded.source, on: threads, log: log)
    script.load(text) { result in
      self.loop.post { self.assumeIsolated { $0.install(script, from: result) } }
    }
  }

  private func install(
    _ script: Script, from result: Result<ScriptDeclarations, LuaFailure>
  ) {
    defer { finishedLoading() }
    guard let loaded = scripts.first(where: { $0.source == script.source }), shutdown == nil
    else { return }
    switch result {
    case .failure(let failure):
      let kept = loaded.script == nil ? "" : "; the version before goes on"
      log.write(.error, failure.message + kept, from: loaded.source.name)
    case .success(let declarations):
      let earlier = loaded.hooks
      retire(earlier)
      let watched = declarations.watchedTargets.map(watch)
      forget(loaded.targets)
      loaded.targets = watched
      loaded.script = script
      loaded.hooks = declarations.hooks.compactMap { hook in
        guard let target = watched.first(where: { $0.target == hook.target }) else { return nil }
        let before = earlier.first { $0.hook.name == hook.name }
        return HookState(hook, on: target, of: loaded, after: before)
      }
      for hook in loaded.hooks {
        hook.target.hooks.append(hook)
        guard let last = hook.target.last else { continue }
        hook.view.note(last)
        attend(hook)
      }
      let count = loaded.hooks.count
      log.write(
        .info, "loaded \(count) hook\(count == 1 ? "" : "s") from \(loaded.source.path)",
        from: loaded.source.name)
    }
  }

  private func finishedLoading() {
    guard loading > 0 else { return }
    loading -= 1
    guard loading == 0, let ready else { return }
    self.ready = nil
    ready()
  }

  func unload(_ loaded: LoadedScript) {
    log.write(.info, "unloaded: its file is gone", from: loaded.source.name)
    retire(loaded.hooks)
    forget(loaded.targets)
    if let timer = loaded.restartTimer { loop.cancel(timer) }
    scripts.removeAll { $0 === loaded }
  }

  /// Stops telling hooks anything; a handler that runs may finish.
  func retire(_ hooks: [HookState]) {
    for hook in hooks {
      hook.isRetired = true
      hook.target.hooks.removeAll { $0 === hook }
      if let timer = hook.timer { loop.cancel(timer) }
      hook.timer = nil
    }
    let left = runs.filter { $0.value.hook.isRetired }.keys
    guard !left.isEmpty else { return }
    _ = loop.schedule(at: .now + HookHost.farewell) {
      for id in left { self.cancel(id, "cancelled: the script was unloaded") }
    }
  }

  /// Adds a user of a target, which is watched once for all of them.
  private func watch(_ target: Target) -> WatchedTarget {
    let known = targets.values.first { $0.target == target }
    let watched =
      known ?? WatchedTarget(target, id: monitor.assumeIsolated { $0.add(target) })
    targets[watched.id] = watched
    watched.users += 1
    return watched
  }

  private func forget(_ old: [WatchedTarget]) {
    for watched in old {
      watched.users -= 1
      guard watched.users == 0 else { continue }
      targets[watched.id] = nil
      let id = watched.id
      monitor.assumeIsolated { $0.remove(id) }
    }
  }

  /// Discards a script whose interpreter was killed, and loads it again after a rest.
  func rest(_ loaded: LoadedScript) {
    let broken = runs.filter {
      $0.value.hook.script === loaded && $0.value.script === loaded.script
    }
    loaded.script = nil
    for (id, run) in broken {
      run.command?.terminate()
      run.hook.backlog.runBroken()
      forget(id)
    }
    guard shutdown == nil else { return }
    log.write(
      .warn, "rests for \(HookHost.rest.text), then is loaded again", from: loaded.source.name)
    loaded.restartTimer = loop.schedule(at: .now + HookHost.rest) {
      self.load(loaded)
    }
  }
}

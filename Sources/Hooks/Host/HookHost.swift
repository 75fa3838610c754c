internal import Lua
public import Posix
public import Reachability

/// Loads scripts, watches their targets, and runs their hooks.
///
/// All decisions fall on the event loop, in values that take time as an argument; Lua runs on two
/// threads of its own, and tells how far it came.
public actor HookHost {
  let loop: EventLoop
  let log: Log
  private let monitor: ReachabilityMonitor
  private let threads = ThreadPool(threads: 2, name: "reach-lua")
  private var scripts: [LoadedScript] = []
  private var targets: [TargetID: WatchedTarget] = [:]
  private var paths: [String] = []

  var runs: [Script.RunID: Run] = [:]
  var lastRun = 0
  private var isStarted = false
  private var loading = 0
  private var ready: (() -> Void)?
  private var shutdown: (@Sendable () -> Void)?

  /// How long handlers may go on after a reload or a shutdown began.
  static let farewell = Duration.seconds(10)
  /// How long a script that was killed rests.
  static let rest = Duration.seconds(30)

  /// A host without scripts.
  ///
  /// - Throws: what the kernel says where the watcher's sockets cannot be had.
  public init(
    on loop: EventLoop, options: ReachabilityMonitor.Options, log: Log
  ) throws(SystemError) {
    self.loop = loop
    self.log = log
    monitor = try ReachabilityMonitor(on: loop, options: options)
  }

  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  // MARK: Life

  /// Loads the scripts at some paths, then watches; on the loop.
  ///
  /// A script that cannot be loaded is logged, and the others run.
  ///
  /// - Parameters:
  ///   - discovery: what was found at the paths.
  ///   - paths: where `reload` looks again.
  ///   - failure: is called on the loop where nothing can be run, with the reason.
  public func start(
    _ discovery: ScriptSource.Discovery, from paths: [String],
    failure: @escaping @Sendable (String) -> Void
  ) {
    self.paths = paths
    for refusal in discovery.refusals { log.write(.error, "\(refusal)") }
    scripts = discovery.sources.map(LoadedScript.init)
    ready = { self.watch(failure) }
    loading = scripts.count
    for script in scripts { load(script) }
    if scripts.isEmpty { watch(failure) }
  }

  /// Looks for scripts again and replaces those that load; on the loop.
  public func reload() {
    guard isStarted, shutdown == nil else { return }
    let discovery: ScriptSource.Discovery
    do { discovery = try ScriptSource.discover(paths) } catch {
      return log.write(.error, "reload: \(error)")
    }
    for refusal in discovery.refusals { log.write(.error, "\(refusal)") }
    let refused = Set(discovery.refusals.map(\.description))
    for script in scripts
    where !discovery.sources.contains(script.source)
      && !refused.contains(where: { $0.contains(script.source.path) })
    {
      unload(script)
    }
    for source in discovery.sources {
      if let script = scripts.first(where: { $0.source == source }) {
        load(script)
      } else {
        let script = LoadedScript(source)
        scripts.append(script)
        load(script)
      }
    }
  }

  /// Ends the watch, lets running handlers finish for up to 10 s, then calls `completion`; on the
  /// loop.
  public func stop(completion: @escaping @Sendable () -> Void) {
    guard shutdown == nil else { return }
    monitor.assumeIsolated { $0.stop() }
    for script in scripts { retire(script.hooks) }
    shutdown = completion
    endIfIdle()
  }

  private func watch(_ failure: @Sendable (String) -> Void) {
    guard scripts.contains(where: { $0.script != nil }) else {
      return failure("no script could be loaded")
    }
    isStarted = true
    let problem = monitor.assumeIsolated { monitor -> SystemError? in
      do throws(SystemError) {
        try monitor.start(
          delivering: { transitions in self.assumeIsolated { $0.take(transitions) } },
          reporting: { [log] in log.write(.error, "\($0)") })
        return nil
      } catch {
        return error
      }
    }
    if let problem { failure("\(problem)") }
  }

  // MARK: Scripts

  private func load(_ loaded: LoadedScript) {
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

  private func unload(_ loaded: LoadedScript) {
    log.write(.info, "unloaded: its file is gone", from: loaded.source.name)
    retire(loaded.hooks)
    forget(loaded.targets)
    if let timer = loaded.restartTimer { loop.cancel(timer) }
    scripts.removeAll { $0 === loaded }
  }

  /// Stops telling hooks anything; a handler that runs may finish.
  private func retire(_ hooks: [HookState]) {
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

  func endIfIdle() {
    guard let shutdown, runs.isEmpty else { return }
    shutdown()
  }

  // MARK: Transitions

  private func take(_ transitions: [Transition]) {
    // A thread that wakes up while the event is made takes it the sooner.
    threads.anticipate()
    var concerned: [HookState] = []
    for transition in transitions {
      guard let watched = targets[transition.target] else { continue }
      watched.last = transition
      let name = watched.target.name
      log.delay(.info) { transition.summary(of: name) }
      for hook in watched.hooks {
        hook.view.note(transition)
        concerned.append(hook)
      }
    }
    // Told first, logged afterwards, in the order in which it happened all the same.
    for hook in concerned { attend(hook) }
    log.flush()
  }

  /// Runs what a hook is to see now, and comes back when something is about to have held for long
  /// enough.
  func attend(_ hook: HookState) {
    if let timer = hook.timer { loop.cancel(timer) }
    hook.timer = nil
    guard !hook.isRetired else { return }
    if let sighting = hook.view.release(at: .now) {
      hook.backlog.add(sighting)
      runNext(hook)
    }
    hook.timer = hook.view.deadline.map { deadline in
      loop.schedule(at: deadline) { self.attend(hook) }
    }
  }
}

extension Transition {
  /// `internet: unreachable (link-down), was reachable via wired`.
  fileprivate func summary(of name: String) -> String {
    "\(name.printable): \(to.summary)"
      + (from.status == .unknown ? "" : ", was \(from.summary)")
  }
}

extension Verdict {
  /// `reachable via wired vpn (tun0)` or `unreachable (no-route)`.
  fileprivate var summary: String {
    var text = status.rawValue
    if let via { text += " via \(via.rawValue)" }
    if path.isVPN { text += " vpn" }
    if let word = reason?.rawValue ?? path.interface { text += " (\(word.printable))" }
    return text
  }
}

extension LuaFailure {
  /// The message, and beneath it where it came from.
  var text: String { traceback.isEmpty ? message : "\(message)\n\(traceback)" }
}

internal import Lua
public import Posix
public import Reachability
internal import Storage

/// Loads scripts, watches their targets, and runs their hooks.
///
/// All decisions fall on the event loop, in values that take time as an argument; Lua runs on
/// threads of its own, and tells how far it came.
public actor HookHost {
  let loop: EventLoop
  let log: Log
  let watch: any TargetWatch
  let threads: ThreadPool
  let equipment: Equipment
  let memory: Memory
  var scripts: [LoadedScript] = []
  var targets: [TargetID: WatchedTarget] = [:]
  private(set) var paths: [String] = []
  /// Tells when the files of scripts change.
  var fileWatch: ScriptWatch?
  /// What was refused when the files were looked at last.
  var knownRefusals: Set<ScriptError> = []
  /// Who waits for scripts that are to be loaded anew.
  var reloads: [(ControlReply) -> Void] = []
  /// The calls that were asked for and have not begun.
  var firings: [Firing] = []

  var runs: [Script.RunID: Run] = [:]
  /// The runs of functions that belong to no hook.
  var tasks: [Script.RunID: TaskRun] = [:]
  var departures: [Departure] = []
  var lastRun = 0
  var lastLoad = 0
  private(set) var isStarted = false
  var resumption = Resumption()
  var loading = 0
  var ready: (() -> Void)?
  var shutdown: (@Sendable () -> Void)?
  /// The scripts that are not run.
  var quarantines = Quarantines()
  let marker: CrashMarker?

  var supervisor: ServiceSupervisor?
  var hasFailedToTell = false
  var isAwaitingThreads = false

  /// How long handlers may go on after a reload or a shutdown began.
  static let farewell = Duration.seconds(10)
  /// How long a script that was killed rests.
  static let rest = Duration.seconds(30)

  /// A host without scripts.
  ///
  /// - Parameters:
  ///   - loop: where it lives.
  ///   - options: how targets are watched.
  ///   - log: where it writes.
  ///   - stateFile: what outlives the host; nil where nothing is to.
  ///   - marker: where it is noted which script executes; nil where nobody would read that.
  /// - Throws: what the kernel says where the watcher's sockets cannot be had.
  public init(
    on loop: EventLoop, options: ReachabilityMonitor.Options, log: Log, stateFile: String? = nil,
    marker: CrashMarker? = nil
  ) throws(SystemError) {
    let keeper = stateFile.map { StateKeeper($0) { log.write(.warn, $0) } }
    self.init(
      on: loop, watching: KernelWatch(try ReachabilityMonitor(on: loop, options: options)),
      log: log, memory: Memory(keeper, on: loop), marker: marker)
  }

  /// A host that learns of its targets by `watch`, and whose scripts act on `stage` where there is
  /// one.
  init(
    on loop: EventLoop, watching watch: any TargetWatch, log: Log, memory: Memory,
    stage: Stage? = nil, marker: CrashMarker? = nil
  ) {
    self.loop = loop
    self.watch = watch
    self.log = log
    self.memory = memory
    self.marker = marker
    // On a stage what happens at one moment happens in the same order each time.
    threads = ThreadPool(threads: stage == nil ? CrashRecord.threads : 1, name: "reach-lua")
    equipment = Equipment(on: loop, stage: stage)
  }

  deinit { threads.close() }

  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  // MARK: Life

  /// Loads the scripts at some paths, then watches; on the loop.
  ///
  /// A script that cannot be loaded is logged, and the others run.
  ///
  /// - Parameters:
  ///   - discovery: what was found at the paths.
  ///   - paths: where it looks again when something changes there, and for `reload`.
  ///   - failure: is called on the loop where nothing can be run, with the reason.
  public func start(
    _ discovery: ScriptSource.Discovery, from paths: [String],
    failure: @escaping @Sendable (String) -> Void
  ) {
    self.paths = paths
    for refusal in discovery.refusals {
      log.write(.error, "\(refusal)")
      equipment.stage?.note(.loadFault("\(refusal)"), of: "", at: loop.clock.now)
    }
    knownRefusals = Set(discovery.refusals)
    memory.read {
      self.quarantines = self.memory.quarantines
      self.scripts = discovery.sources.map(self.makeScript)
      self.ready = { self.beginWatch(failure) }
      if let marker = self.marker { self.heed(marker) }
      // Not ready before all have begun.
      self.loading += 1
      for script in self.scripts { self.load(script) }
      self.finishedLoading()
    }
  }

  func makeScript(_ source: ScriptSource) -> LoadedScript {
    // Weak, for the host holds the script.
    let faults = ScriptLog(log, of: source.name) { [loop] faults, end in
      _ = loop.schedule(at: end) { faults.settle() }
    }
    return LoadedScript(source, faults: faults) { [weak self] in
      self?.assumeIsolated { $0.endIfIdle() }
    }
  }

  /// Ends the watch, lets running handlers finish for up to 10 s, then calls `completion`; on the
  /// loop.
  public func stop(completion: @escaping @Sendable () -> Void) {
    guard shutdown == nil else { return }
    tellSupervisor("STOPPING=1")
    fileWatch?.cancel()
    watch.stop()
    for script in scripts {
      depart(script, .shutdown) {}
      script.hooks = []
    }
    shutdown = completion
    for script in scripts { script.endLoad(.abandoned) }
    endIfIdle()
    let count = runs.count + tasks.count
    if count > 0 {
      log.write(
        .info,
        "stopping: waits up to \(HookHost.farewell.text) for \(count) running handler"
          + "\(count == 1 ? "" : "s"); a second signal ends at once")
    }
    // A script that cannot be interrupted keeps nobody for ever, nor does a disk.
    let deferred = scripts.map(\.deferred.count).max() ?? 0
    let patience = HookHost.farewell + .seconds(5) + HookHost.deferredLimit * deferred
    _ = loop.schedule(at: loop.clock.now + patience) { [log] in
      log.write(.error, "gives up what has not ended within \(patience.text)")
      completion()
    }
  }

  private func beginWatch(_ failure: @Sendable (String) -> Void) {
    guard shutdown == nil else { return }
    if scripts.isEmpty, knownRefusals.isEmpty {
      log.write(.info, "no script yet: waits for one in \(paths.joined(separator: ", "))")
      // A folder that is waited for is no error.
      knownRefusals = Set(ScriptLook(paths, libraries: []).discovery.refusals)
    } else if !scripts.contains(where: { $0.script != nil || quarantines[$0.source.name] != nil }) {
      return failure("no script could be loaded")
    }
    isStarted = true
    do throws(SystemError) {
      try watch.start(
        // Weak, for the host holds the watch.
        delivering: { [weak self] transitions in
          self?.assumeIsolated { $0.take(transitions) }
        },
        reporting: { [log] in log.write(.error, "\($0)") })
    } catch {
      return failure("\(error)")
    }
    // Asked for after the watch's: what it tells of the new state comes first.
    _ = loop.watchResume { self.resume() }
    loop.watchWallClock { self.heedWallClock() }
    watchFiles()
    tellSupervisor("READY=1")
  }

  /// Ends a shutdown once no handler and no command is left.
  func endIfIdle() {
    advanceDepartures()
    advanceFirings()
    guard let shutdown, runs.isEmpty, tasks.isEmpty, departures.isEmpty,
      scripts.allSatisfy(\.children.areFree)
    else { return }
    memory.save(then: shutdown)
  }

  /// The targets, in the order in which they were first declared.
  var watchedTargets: [WatchedTarget] { targets.values.filter(\.isNamed).sorted { $0.id < $1.id } }
}

extension Verdict {
  /// `reachable via wired vpn (tun0)` or `unreachable (no-route)`.
  var summary: String {
    var text = status.rawValue
    if let via { text += " via \(via.rawValue)" }
    if path.isVPN { text += " vpn" }
    if let word = reason?.rawValue ?? path.interface {
      // A change of the WiFi network alone would read as none.
      let ssid = reason == nil ? path.ssid : nil
      text += " (\(word.printable)\(ssid.map { ", \($0.printable)" } ?? ""))"
    }
    // A query may hold what is not for logs.
    if let url { text += " at " + String(url.prefix { $0 != "?" && $0 != "#" }).printable }
    return text
  }
}

extension LuaFailure {
  /// The message, and beneath it where it came from.
  var text: String { traceback.isEmpty ? message : "\(message)\n\(traceback)" }
}

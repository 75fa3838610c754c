internal import DBus
internal import Netlink
public import Posix

/// Watches targets on an event loop, and tells each change of a verdict once.
///
/// The kernel's messages are hints: on each the links, addresses and routes are asked for again and
/// every target is judged anew, so nothing that the kernel leaves unsaid is missed.
public actor ReachabilityMonitor {
  /// How a monitor works.
  public struct Options: Sendable {
    /// How long the kernel must be quiet before a verdict counts; losses of a link count at once.
    public var settle = Duration.milliseconds(20)
    /// Media that are not to be found out, by interface name.
    public var media: [String: Medium] = [:]
    /// What says how names are resolved.
    var resolverFiles = ResolverFiles()

    /// 20 ms, and every medium found out.
    public init() {}
  }

  let loop: EventLoop
  private let changes: ChangeSocket
  var kernel: Kernel
  var watchlist = Watchlist()
  let resolverFiles: ResolverFiles
  var names: NameResolver?
  var prober: Prober?
  var deliver: @Sendable ([Transition]) -> Void = { _ in }
  var report: @Sendable (SystemError) -> Void = { _ in }

  private var source: EventLoop.Source?
  private var settling: Settling
  private var settleTimer: LoopTimer?
  private var expiryTimer: LoopTimer?
  private var safetyTimers: [LoopTimer] = []
  var resumeWatch: EventLoop.ResumeWatch?
  private var resumptionTimer: LoopTimer?
  private var newTargets = false
  private var hearsNeighbours = false
  private var associations: AssociationWatch?
  var services: NetworkServices?
  private var heardFamily: GenericFamily?

  /// The interfaces that were said to have changed since the kernel was last quiet.
  private var changed: Set<Int32> = []
  /// The interfaces on which present paths depend.
  private var used: Set<Int32> = []
  private var defaultPath: Path?

  /// Opens the sockets; nothing is watched before `start`.
  ///
  /// - Throws: what the kernel says where a socket cannot be had.
  public init(on loop: EventLoop, options: Options = Options()) throws(SystemError) {
    self.loop = loop
    changes = try ChangeSocket()
    kernel = try Kernel(media: options.media)
    settling = Settling(quiet: options.settle)
    resolverFiles = options.resolverFiles
  }

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  // MARK: Targets

  /// Watches a target; once started, its first verdict comes when the loop is next free.
  public func add(_ target: Target) -> TargetID {
    for name in target.hostNames { resolver().add(name) }
    if target.asksNameservers { _ = resolver() }
    judgeNewTargetsSoon()
    let id = watchlist.add(target)
    if let probe = target.probe { sender().add(id, probe) }
    return id
  }

  /// Watches a target that others make up, which must be watched for as long as this is; its
  /// verdicts come in one moment with theirs, after them.
  public func add(_ combination: Combination) -> TargetID {
    judgeNewTargetsSoon()
    return watchlist.add(combination)
  }

  private func judgeNewTargetsSoon() {
    guard source != nil, !newTargets else { return }
    newTargets = true
    loop.post { [weak self] in self?.assumeIsolated { $0.judgeNewTargets() } }
  }

  /// Ends the watch of a target.
  public func remove(_ id: TargetID) {
    guard let target = watchlist.remove(id) else { return }
    prober?.remove(id)
    for name in target.hostNames { names?.remove(name) }
  }

  /// What stands for a target now; nil for one that is not watched.
  public func verdict(of id: TargetID) -> Verdict? { watchlist.verdict(of: id) }

  // MARK: Watching

  /// Begins to watch, and delivers the first verdict of every target before it returns, host names
  /// that are not yet resolved excepted.
  ///
  /// - Parameters:
  ///   - deliver: is called on the loop with all transitions of one moment.
  ///   - report: is called on the loop where the kernel refuses an answer.
  /// - Throws: what the kernel says where the socket cannot be watched.
  public func start(
    delivering deliver: @escaping @Sendable ([Transition]) -> Void,
    reporting report: @escaping @Sendable (SystemError) -> Void
  ) throws(SystemError) {
    self.deliver = deliver
    self.report = report
    source = try loop.watch(changes.descriptor) { [weak self] in
      self?.assumeIsolated { $0.takeHints() }
    }
    kernel.expireRouters()
    askServices()
    services?.awaitFirst()
    resumeWatch = loop.watchResume { [weak self] in self?.assumeIsolated { $0.resume() } }
    pass(.all)
    startNames()
  }

  /// Ends the watch; nothing is delivered afterwards.
  public func stop() {
    if let source { loop.cancel(source) }
    source = nil
    if let resumeWatch { loop.cancel(resumeWatch) }
    resumeWatch = nil
    for timer in [settleTimer, expiryTimer, resumptionTimer].compactMap(\.self) + safetyTimers {
      loop.cancel(timer)
    }
    associations?.stop()
    associations = nil
    heardFamily = nil
    services?.stop()
    services = nil
    names?.stop()
    names = nil
    prober?.stop()
    prober = nil
    deliver = { _ in }
  }

  /// What the kernel hints at since this was last asked; nil where that is nothing.
  private func drain() -> ChangeSocket.Hints? {
    do {
      let hints = try changes.drain(watching: kernel.watchedNeighbours)
      for link in hints.links {
        changed.insert(link.index)
        if !link.isUsable { kernel.forgetGateways(on: link.index) }
      }
      for index in hints.removedLinks { changed.insert(index) }
      if hints.overrun { kernel.forgetNetworks() }
      if hints.overrun || hints.routersChanged { kernel.expireRouters() }
      return hints.isEmpty ? nil : hints
    } catch {
      report(error)
      return nil
    }
  }

  private func takeHints() {
    guard let hints = drain() else { return }
    if !hints.links.isEmpty || hints.overrun { scheduleSafetyPasses() }
    look(atOnce: losesPath(hints))
  }

  /// Looks once the kernel has been quiet, and at once too for what need not wait for that.
  func look(atOnce: Bool = false) {
    if settling.isImmediate { return pass(.all) }
    if atOnce { pass(.none) }
    lookSoon()
  }

  /// Looks once the kernel has been quiet.
  private func lookSoon() {
    settling.hint(at: .now)
    schedule(&settleTimer, at: settling.deadline) { $0.pass(.all) }
  }

  /// Whether an interface that carries a path is said to have failed.
  private func losesPath(_ hints: ChangeSocket.Hints) -> Bool {
    hints.links.contains { !$0.isUsable && used.contains($0.index) }
      || hints.removedLinks.contains { used.contains($0) }
  }

  /// Looks again a while after a link changed: the kernel holds carrier changes back for up to a
  /// second, those of a bridge for two, and older kernels do not hurry when they are asked.
  private func scheduleSafetyPasses() {
    for timer in safetyTimers { loop.cancel(timer) }
    safetyTimers = [Duration.milliseconds(1100), .milliseconds(2600)].map { delay in
      loop.schedule(at: .now + delay) { [weak self] in
        self?.assumeIsolated { $0.lookAgain() }
      }
    }
  }

  /// Looks at everything anew after a suspend, in which drivers change much and say little.
  private func resume() {
    watchlist.resume(at: .now)
    _ = drain()
    kernel.forgetNetworks()
    kernel.expireRouters()
    pass(.all)
    scheduleSafetyPasses()
    schedule(&resumptionTimer, at: .now + Resumption.grace) { $0.lookAgain() }
    // What was under way when the machine fell asleep tells nothing of now.
    prober?.restartAll()
    names?.refresh()
  }

  /// A pass without a hint; none where one is to come anyway.
  private func lookAgain() {
    askServices()
    if settling.deadline == nil { pass(.all) }
  }

  private func judgeNewTargets() {
    newTargets = false
    pass(.none)
    startNames()
  }

  /// Asks the kernel about everything, and delivers what has changed.
  func pass(_ settled: Watchlist.Settled) {
    guard source != nil else { return }
    do {
      try kernel.observe(changed: changed)
      if case .all = settled {
        settling.end()
        changed.removeAll()
        schedule(&settleTimer, at: nil) { _ in }
      }
      let outcome = try watchlist.judge(&kernel, names: names, settled: settled)
      if !outcome.transitions.isEmpty { deliver(outcome.transitions) }
      for id in outcome.holds { prober?.hold(id) }
      for id in outcome.probes { prober?.probe(id) }
      used = watchlist.usedInterfaces
      for index in used { used.formUnion(kernel.state.lowers(of: index)) }
      // The kernel counts in hundredths of a second.
      let expiry = outcome.expires.map { BootInstant.now + $0 + .milliseconds(20) }
      schedule(&expiryTimer, at: expiry) { $0.lookAgain() }
      note(defaultPath: outcome.defaultPath)
      names?.note(paths: outcome.nameservers)
      try watchSurroundings()
    } catch {
      report(error)
      // What the kernel could not answer now it can soon.
      settling.end()
      schedule(&settleTimer, at: .now + Settling.limit) { $0.pass(.all) }
    }
  }

  /// Hears of neighbours and of WiFi associations where verdicts depend on them.
  ///
  /// What happened before the first was heard is found by another look.
  private func watchSurroundings() throws(SystemError) {
    let wanted = !kernel.watchedNeighbours.isEmpty
    if wanted != hearsNeighbours {
      hearsNeighbours = wanted
      try changes.hearNeighbours(wanted)
      if wanted { lookSoon() }
    }
    guard let family = kernel.wireless.family, family != heardFamily else { return }
    heardFamily = family
    associations?.stop()
    associations = AssociationWatch(family, on: loop) { [weak self] in
      self?.assumeIsolated { monitor in
        monitor.kernel.expireNetworks()
        monitor.look()
      }
    }
    kernel.expireNetworks()
    lookSoon()
  }

  /// Replaces a timer by one at another time, or by none.
  private func schedule(
    _ timer: inout LoopTimer?, at instant: BootInstant?,
    _ body: @escaping @Sendable (isolated ReachabilityMonitor) -> Void
  ) {
    if timer == nil, instant == nil { return }
    if let timer { loop.cancel(timer) }
    timer = instant.map { instant in
      loop.schedule(at: instant) { [weak self] in self?.assumeIsolated { body($0) } }
    }
  }

  /// Asks for names again once the default route leads another way.
  private func note(defaultPath path: Path) {
    defer { defaultPath = path }
    guard let defaultPath, defaultPath != path, path.flags.contains(.reachable) else { return }
    names?.refresh()
  }
}

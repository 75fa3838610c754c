internal import Lua
internal import Posix
internal import Reachability
internal import Storage

/// Scripts on a stage: run as by the daemon, but for the clock, the network and what they do, which
/// are in the hands of whoever leads the rehearsal.
///
/// The thread that makes it leads it, and no time passes but by `advance` and `suspend`.
final class Rehearsal {
  typealias Failure = RehearsalFailure

  /// Scripts from their start to their end.
  private struct Life {
    let loop: EventLoop
    let host: HookHost
    let watch: ScriptedWatch
    let memory: Memory
    let pools: [ThreadPool]
  }

  let stage: Stage
  let clock: Clock
  private let paths: [String]
  private let network = ScriptedNetwork()
  private let log: Log
  private var boots = 1
  private var life: Life?

  /// Loads scripts, at a time of the wall clock.
  ///
  /// - Parameters:
  ///   - paths: files or folders.
  ///   - time: Unix seconds.
  ///   - stores: what scripts have kept, by their names, as JSON.
  /// - Throws: what is wrong with the scripts.
  init(
    _ paths: [String], at time: Int64, stores: [String: String] = [:]
  ) throws(Failure) {
    clock = Clock(standingAt: time)
    stage = Stage()
    self.paths = paths
    log = Log(level: .debug, clock: clock) { [stage, clock] line in
      stage.note(.line(line), of: line.origin ?? "", at: clock.now)
    }
    var state = SavedState()
    state.stores = stores
    try begin(from: state)
  }

  deinit { letGo() }

  // MARK: Time

  /// The present moment of its clock.
  var now: BootInstant { clock.now }

  /// When, by the system's clock, whoever leads the rehearsal has no more patience; nil for never.
  var deadline: BootInstant?
  /// Is called whenever all that is to happen at a moment has happened.
  var observe: (() -> Void)?

  /// Lets time pass.
  ///
  /// - Throws: where the deadline has passed before.
  func advance(by duration: Duration) throws(Failure) {
    try advance(to: clock.now + duration)
  }

  /// Lets time pass until a moment.
  ///
  /// - Throws: where the deadline has passed before.
  func advance(to instant: BootInstant) throws(Failure) {
    try advance(to: instant) { true }
  }

  /// Lets time pass until a moment, for as long as a condition holds, through all that is due until
  /// then.
  func advance(to instant: BootInstant, while condition: () -> Bool) throws(Failure) {
    try settle()
    guard let loop = life?.loop else { return }
    while condition() {
      let next = loop.nextDue.map { min($0, instant) } ?? instant
      clock.advance(to: next)
      try settle()
      if next >= instant { return }
    }
  }

  /// Has the machine sleep for so long, and wake up.
  ///
  /// - Throws: where the deadline has passed before.
  func suspend(for duration: Duration) throws(Failure) {
    try settle()
    life?.loop.suspend(for: duration)
    try settle()
  }

  private func settle() throws(Failure) {
    guard let life else { return }
    let deadline = deadline
    var isLate = false
    life.loop.settle(awaiting: life.pools) {
      if let deadline, deadline < .now { isLate = true }
      return !isLate
    }
    if isLate { throw Failure("the scripts do not come to rest in the time that there is") }
    observe?()
  }

  // MARK: Network

  /// The names of the targets that are watched by themselves, in the order of their declaration.
  var targetNames: [String] { singles.map(\.name) }

  private var singles: [Target] {
    watched.compactMap { if case .single(let target) = $0 { target } else { nil } }
  }

  private var watched: [DeclaredTarget] {
    life?.host.assumeIsolated { $0.targets.values.sorted { $0.id < $1.id }.map(\.target) } ?? []
  }

  /// What stands for a target that is watched by itself; unknown before it is said.
  func verdict(ofTargetNamed name: String) -> Verdict {
    singles.first { $0.name == name }.map(network.verdict) ?? .unknown
  }

  /// What a verdict is to a target, which may not count its path.
  func verdict(_ verdict: Verdict, ofTargetNamed name: String) -> Verdict {
    singles.first { $0.name == name }?.counted(verdict) ?? verdict
  }

  /// Has verdicts stand from now on, all at one moment.
  ///
  /// - Parameter verdicts: by the names of targets; a path that a target does not count, as over
  ///   WWAN, makes it unreachable.
  /// - Throws: which name is none of a target that is watched by itself.
  func set(_ verdicts: [String: Verdict]) throws(Failure) {
    guard let life else { return }
    var found: [Target: Verdict] = [:]
    for (name, verdict) in verdicts {
      let targets = singles.filter { $0.name == name }
      guard !targets.isEmpty else { throw Failure(refusal(ofTargetNamed: name)) }
      for target in targets { found[target] = verdict }
    }
    network.set(found)
    life.watch.judge()
    try settle()
  }

  private func refusal(ofTargetNamed name: String) -> String {
    if let combined = watched.first(where: { $0.name == name }) {
      let members = combined.members.map(\.name).joined(separator: ", ")
      return "\"\(name.printable)\" follows from its members: \(members)"
    }
    let hint = Nearest.match(to: name, among: targetNames)
    return "no target \"\(name.printable)\"; "
      + (hint.map { "did you mean \"\($0)\"?" }
        ?? "there is \(targetNames.joined(separator: ", "))")
  }

  // MARK: Hooks

  /// What keeps hooks from hearing now, in the order of the hooks.
  var holds: [HookHold] {
    guard let life else { return [] }
    return life.host.assumeIsolated { [clock] host in
      host.scripts.flatMap(\.hooks).flatMap { $0.holds(by: clock) }
    }
  }

  /// Whether something runs, or waits for a time that will come without anything happening.
  var isUnderWay: Bool {
    guard let life else { return false }
    return life.host.assumeIsolated { host in
      !host.runs.isEmpty || !host.tasks.isEmpty
        || host.scripts.contains { $0.timers.values.contains { !$0.timer.repeats } }
        || host.scripts.flatMap(\.hooks).contains(where: \.isToHear)
    }
  }

  // MARK: Lives

  /// What its script keeps, or the first of several.
  var store: LuaTable {
    let text = life.flatMap { life in
      life.host.assumeIsolated { $0.scripts.first?.source.name }.flatMap(life.memory.store)
    }
    return text.flatMap(StoreText.table) ?? LuaTable()
  }

  /// Stops the scripts, and starts them again as a restart of the daemon does.
  ///
  /// - Throws: what is wrong with the scripts now.
  func restart() throws(Failure) {
    let state = try stop()
    try begin(from: state)
  }

  /// The same, with a reboot of the machine in between, after which nothing is known of the network.
  ///
  /// - Throws: what is wrong with the scripts now.
  func reboot() throws(Failure) {
    let state = try stop()
    boots += 1
    network.forget()
    try begin(from: state)
  }

  /// Loads all scripts anew, as a changed file has it.
  ///
  /// - Throws: what is wrong with them; the versions before go on.
  func reload() throws(Failure) {
    guard let life else { return }
    let answer = Lock<ControlReply?>(nil)
    life.host.assumeIsolated { $0.reload { reply in answer.withLock { $0 = reply } } }
    // Handlers that run may finish first.
    try advance(to: clock.now + .seconds(60)) { answer.withLock { $0 == nil } }
    if let reply = answer.withLock({ $0 }), reply.kind != .done { throw Failure(reply.text) }
  }

  private func begin(from state: SavedState) throws(Failure) {
    let discovery: ScriptSource.Discovery
    let loop: EventLoop
    do {
      discovery = try ScriptSource.discover(paths)
      loop = try EventLoop(clock: clock)
    } catch {
      throw Failure("\(error)")
    }
    let watch = ScriptedWatch(on: loop, of: network)
    let memory = Memory(nil, on: loop, boot: "boot \(boots)", state: state)
    let host = HookHost(on: loop, watching: watch, log: log, memory: memory, stage: stage)
    loop.enter()
    let pools = host.assumeIsolated { [$0.threads, $0.equipment.files] }
    life = Life(loop: loop, host: host, watch: watch, memory: memory, pools: pools)
    let before = stage.entries.count
    let failure = Lock<String?>(nil)
    host.assumeIsolated { [paths] host in
      host.start(discovery, from: paths) { reason in failure.withLock { $0 = reason } }
    }
    try settle()
    let faults = stage.entries.dropFirst(before).compactMap { entry in
      if case .loadFault(let text) = entry.happening { text } else { nil }
    }
    if !faults.isEmpty { throw Failure(faults.joined(separator: "\n")) }
    if let failure = failure.withLock({ $0 }) { throw Failure(failure) }
  }

  /// Stops the scripts as a shutdown does; returns what outlives them.
  private func stop() throws(Failure) -> SavedState {
    guard let life else { return SavedState() }
    let isStopped = Lock(false)
    life.host.assumeIsolated { $0.stop { isStopped.withLock { $0 = true } } }
    try advance(to: clock.now + .seconds(60)) { !isStopped.withLock { $0 } }
    let state = life.memory.state
    letGo()
    return state
  }

  private func letGo() {
    guard let life else { return }
    life.host.assumeIsolated { $0.letGo() }
    life.loop.leave()
    self.life = nil
  }
}

/// Why hooks cannot be rehearsed so.
public struct RehearsalFailure: Error, CustomStringConvertible, Sendable {
  /// What is wrong, each fault a line.
  public let description: String

  init(_ description: String) { self.description = description }
}

public import Posix
public import Reachability
internal import Storage

/// Scripts on a stage: run as by the daemon, but for the clock, the network and what they do, which
/// are in the hands of whoever leads the rehearsal.
///
/// The thread that makes it leads it, and no time passes but by `advance` and `suspend`.
public final class Rehearsal {
  /// Why a rehearsal cannot go on so.
  public struct Failure: Error, CustomStringConvertible, Sendable {
    /// What is wrong, each fault a line.
    public let description: String

    init(_ description: String) { self.description = description }
  }

  /// Scripts from their start to their end.
  private struct Life {
    let loop: EventLoop
    let host: HookHost
    let watch: ScriptedWatch
    let memory: Memory
    let pools: [ThreadPool]
  }

  let stage: Stage
  private(set) var clock: Clock
  private let paths: [String]
  private let network = ScriptedNetwork()
  private var log: Log
  private var boots = 1
  private var life: Life?

  /// Loads scripts, at a time of the wall clock.
  ///
  /// - Parameters:
  ///   - paths: files or folders.
  ///   - time: Unix seconds.
  ///   - stores: what scripts have kept, by their names, as JSON.
  /// - Throws: what is wrong with the scripts.
  public init(
    _ paths: [String], at time: Int64, stores: [String: String] = [:]
  ) throws(Failure) {
    clock = Clock(standingAt: time)
    stage = Stage()
    self.paths = paths
    log = Rehearsal.log(on: stage, by: clock)
    var state = SavedState()
    state.stores = stores
    try begin(from: state)
  }

  deinit { letGo() }

  private static func log(on stage: Stage, by clock: Clock) -> Log {
    Log(level: .debug, clock: clock) { line in
      stage.note(.line(line), of: line.origin ?? "", at: clock.now)
    }
  }

  // MARK: Time

  /// The present moment of its clock.
  public var now: BootInstant { clock.now }

  /// Lets time pass.
  public func advance(by duration: Duration) { advance(to: clock.now + duration) }

  /// Lets time pass until a moment.
  public func advance(to instant: BootInstant) {
    guard let life else { return }
    life.loop.advance(to: instant, awaiting: life.pools)
  }

  /// Has the machine sleep for so long, and wake up.
  public func suspend(for duration: Duration) {
    guard let life else { return }
    life.loop.suspend(for: duration, awaiting: life.pools)
  }

  // MARK: Network

  /// The names of the targets that are watched by themselves, in the order of their declaration.
  public var targetNames: [String] { singles.map(\.name) }

  private var singles: [Target] {
    watched.compactMap { if case .single(let target) = $0 { target } else { nil } }
  }

  private var watched: [DeclaredTarget] {
    life?.host.assumeIsolated { $0.targets.values.sorted { $0.id < $1.id }.map(\.target) } ?? []
  }

  /// What stands for a target that is watched by itself; unknown before it is said.
  public func verdict(ofTargetNamed name: String) -> Verdict {
    singles.first { $0.name == name }.map(network.verdict) ?? .unknown
  }

  /// Has verdicts stand from now on, all at one moment.
  ///
  /// - Parameter verdicts: by the names of targets; a path that a target does not count, as over
  ///   WWAN, makes it unreachable.
  /// - Throws: which name is none of a target that is watched by itself.
  public func set(_ verdicts: [String: Verdict]) throws(Failure) {
    guard let life else { return }
    var found: [Target: Verdict] = [:]
    for (name, verdict) in verdicts {
      let targets = singles.filter { $0.name == name }
      guard !targets.isEmpty else { throw Failure(refusal(ofTargetNamed: name)) }
      for target in targets { found[target] = verdict }
    }
    network.set(found)
    life.watch.judge()
    life.loop.settle(awaiting: life.pools)
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

  // MARK: Lives

  /// Stops the scripts, and starts them again as a restart of the daemon does.
  ///
  /// - Throws: what is wrong with the scripts now.
  public func restart() throws(Failure) {
    let state = stop()
    try begin(from: state)
  }

  /// The same, with a reboot of the machine in between, after which nothing is known of the network.
  ///
  /// - Throws: what is wrong with the scripts now.
  public func reboot() throws(Failure) {
    let state = stop()
    boots += 1
    clock = Clock(standingAt: clock.seconds)
    log = Rehearsal.log(on: stage, by: clock)
    network.forget()
    try begin(from: state)
  }

  /// Loads all scripts anew, as a changed file has it.
  ///
  /// - Throws: what is wrong with them; the versions before go on.
  public func reload() throws(Failure) {
    guard let life else { return }
    let answer = Lock<ControlReply?>(nil)
    life.host.assumeIsolated { $0.reload { reply in answer.withLock { $0 = reply } } }
    // Handlers that run may finish first.
    life.loop.advance(to: clock.now + .seconds(60), awaiting: life.pools) {
      answer.withLock { $0 == nil }
    }
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
    loop.settle(awaiting: pools)
    let faults = stage.entries.dropFirst(before).compactMap(\.loadFault)
    if !faults.isEmpty { throw Failure(faults.joined(separator: "\n")) }
    if let failure = failure.withLock({ $0 }) { throw Failure(failure) }
  }

  /// Stops the scripts as a shutdown does; returns what outlives them.
  private func stop() -> SavedState {
    guard let life else { return SavedState() }
    let isStopped = Lock(false)
    life.host.assumeIsolated { $0.stop { isStopped.withLock { $0 = true } } }
    life.loop.advance(to: clock.now + .seconds(60), awaiting: life.pools) {
      !isStopped.withLock { $0 }
    }
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

extension Stage.Entry {
  /// What is wrong with a script that is loaded.
  fileprivate var loadFault: String? {
    guard case .line(let line) = happening, line.level == .error else { return nil }
    return line.message
  }
}

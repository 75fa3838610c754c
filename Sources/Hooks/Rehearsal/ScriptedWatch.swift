internal import Posix
internal import Reachability

/// What a rehearsal's network is like: what was said of each target, across restarts.
final class ScriptedNetwork {
  fileprivate var verdicts: [Target: Verdict] = [:]

  /// What was said of a target last.
  func verdict(of target: Target) -> Verdict { verdicts[target] ?? .unknown }

  /// Nothing was said of any target.
  func forget() { verdicts = [:] }

  /// Has verdicts stand, where the targets' own policies let them.
  func set(_ verdicts: [Target: Verdict]) {
    for (target, verdict) in verdicts { self.verdicts[target] = target.counted(verdict) }
  }
}

extension Target {
  /// A verdict, or unreachable where its path is none that the target counts.
  func counted(_ verdict: Verdict) -> Verdict {
    verdict.status == .reachable ? refusal(of: verdict.path) ?? verdict : verdict
  }
}

/// A watch that is told what to find.
///
/// Only the thread that leads the rehearsal, which is its loop's, touches it.
final class ScriptedWatch: TargetWatch, @unchecked Sendable {
  private let loop: EventLoop
  private let network: ScriptedNetwork
  private var targets: [(id: TargetID, target: Target, machine: StatusMachine)] = []
  private var combinations = Combinations()
  private var lastID = 0
  private var sequence: Int64 = 0
  private var resumption = Resumption()
  private var resumeWatch: EventLoop.ResumeWatch?
  private var deliver: (([Transition]) -> Void)?
  private var isJudging = false

  init(on loop: EventLoop, of network: ScriptedNetwork) {
    self.loop = loop
    self.network = network
  }

  func add(_ target: Target) -> TargetID {
    let id = nextID()
    targets.append((id, target, StatusMachine()))
    return id
  }

  func add(_ combination: Combination) -> TargetID {
    let id = nextID()
    combinations.add(combination, as: id)
    return id
  }

  private func nextID() -> TargetID {
    lastID += 1
    judgeSoon()
    return TargetID(lastID)
  }

  func remove(_ id: TargetID) {
    if !combinations.remove(id) { targets.removeAll { $0.id == id } }
  }

  func start(
    delivering deliver: @escaping @Sendable ([Transition]) -> Void,
    reporting report: @escaping @Sendable (SystemError) -> Void
  ) throws(SystemError) {
    self.deliver = deliver
    resumeWatch = loop.watchResume { [unowned self] in resume() }
    judge()
  }

  func stop() {
    deliver = nil
    if let resumeWatch { loop.cancel(resumeWatch) }
    resumeWatch = nil
  }

  /// Nothing gets worse for a while after a suspend, as with the kernel's watch.
  private func resume() {
    resumption.begin(at: loop.clock.now)
    judge()
    _ = loop.schedule(at: loop.clock.now + Resumption.grace) { [weak self] in self?.judge() }
  }

  private func judgeSoon() {
    guard deliver != nil, !isJudging else { return }
    isJudging = true
    _ = loop.schedule(at: loop.clock.now) { [weak self] in
      self?.isJudging = false
      self?.judge()
    }
  }

  /// Tells of everything that is not as it was told.
  func judge() {
    guard let deliver else { return }
    let now = loop.clock.now
    let time = loop.clock.seconds
    var transitions: [Transition] = []
    for position in targets.indices {
      var verdict = network.verdict(of: targets[position].target)
      let standing = targets[position].machine.verdict
      if resumption.keepsBack(at: now), verdict.status.isWorse(than: standing.status) { continue }
      verdict.noteReturn(from: standing)
      if resumption.end != nil { verdict.cause = .resume }
      guard let old = targets[position].machine.judge(verdict, settled: true) else { continue }
      sequence += 1
      transitions.append(
        Transition(
          target: targets[position].id, from: old, to: verdict, instant: now, time: time,
          sequence: sequence))
    }
    resumption.note(judgedAt: now)
    let own = targets
    transitions += combinations.judge(
      after: transitions, { id in own.first { $0.id == id }?.machine.verdict },
      { id, old, new in
        sequence += 1
        return Transition(
          target: id, from: old, to: new, instant: now, time: time, sequence: sequence)
      })
    if !transitions.isEmpty { deliver(transitions) }
  }
}

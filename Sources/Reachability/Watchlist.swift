internal import Netlink
internal import Posix

/// The targets that are watched, each with the verdict that stands for it.
struct Watchlist {
  /// What a pass over all targets found.
  struct Outcome {
    var transitions: [Transition] = []
    /// The path that the default route takes.
    var defaultPath = Path()
    /// When the first route runs out.
    var expires: Duration?
    /// The targets to which a path is new: their probes go at once.
    var probes: [TargetID] = []
    /// The targets whose path is gone: their probes stop.
    var holds: [TargetID] = []
    /// The nameservers to which there is a path, and how the kernel would send there.
    var nameservers: [Nameserver: Path] = [:]
  }

  private struct Entry {
    let id: TargetID
    let target: Target
    var machine = StatusMachine()
    /// Which of a pass's questions are about it.
    var range = 0..<0
  }

  /// What is known besides of a target with a probe.
  private struct Probed {
    var machine: ProbeMachine
    /// The kernel's verdict, over which the probe's stands.
    var kernel = Verdict.unknown
    /// The address of a host that has answered, and so comes first.
    var answering: IPAddress?
  }

  /// By rising identity.
  private var entries: [Entry] = []
  private var probed: [TargetID: Probed] = [:]
  private var combinations = Combinations()
  private var lastID = 0
  /// How many targets are judged by the hardware address of a router.
  private var watchersOfGateways = 0
  private var sequence: Int64 = 0
  /// Whether the machine has just resumed from suspend.
  private var resumption = Resumption()

  mutating func add(_ target: Target) -> TargetID {
    lastID += 1
    let id = TargetID(lastID)
    entries.append(Entry(id: id, target: target))
    if target.needsGatewayMAC { watchersOfGateways += 1 }
    if let probe = target.probe {
      probed[id] = Probed(machine: ProbeMachine(fall: probe.fall, rise: probe.rise))
    }
    return id
  }

  /// Adds a target that others make up.
  mutating func add(_ combination: Combination) -> TargetID {
    lastID += 1
    let id = TargetID(lastID)
    combinations.add(combination, as: id)
    return id
  }

  /// Ends the watch of a target; nil for one that others make up, and for none.
  mutating func remove(_ id: TargetID) -> Target? {
    guard !combinations.remove(id), let position = position(of: id) else { return nil }
    probed[id] = nil
    if entries[position].target.needsGatewayMAC { watchersOfGateways -= 1 }
    return entries.remove(at: position).target
  }

  func verdict(of id: TargetID) -> Verdict? {
    position(of: id).map { entries[$0].machine.verdict } ?? combinations.verdict(of: id)
  }

  private func position(of id: TargetID) -> Int? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].id == id ? low : nil
  }

  /// Lets nothing get worse for a while, since the machine has resumed from suspend.
  mutating func resume(at now: BootInstant) { resumption.begin(at: now) }

  /// The interfaces through which targets are reached now.
  var usedInterfaces: Set<Int32> {
    var used: Set<Int32> = []
    for entry in entries {
      used.insert(entry.machine.verdict.path.interfaceIndex)
      used.insert(entry.machine.verdict.path.underlayIndex)
    }
    used.remove(0)
    return used
  }

  /// Judges every target by what the kernel says now, and publishes what has changed.
  mutating func judge(
    _ kernel: inout Kernel, names: NameResolver?, settled: Settled
  ) throws(SystemError) -> Outcome {
    let evaluator = try kernel.evaluator(findsGateways: watchersOfGateways > 0)
    var queries = ask(evaluator, names)
    let judgement = NameserverJudgement(of: names?.nameservers ?? [], by: evaluator, &queries)
    let answers = try kernel.answers(to: queries)
    let nameservers = judgement.paths(by: evaluator, queries, answers)
    let defaultFinding = evaluator.finding(
      for: Watchlist.defaultRoute, queries[Watchlist.defaultRange],
      answers[Watchlist.defaultRange])
    let online = evaluator.verdict(of: defaultFinding, for: Watchlist.defaultRoute)

    let now = BootInstant.now
    let keepsBack = resumption.keepsBack(at: now)
    var news: [News] = []
    var outcome = Outcome(defaultPath: online.path)
    for position in entries.indices {
      let range = entries[position].range
      let isSettled = settled.includes(entries[position].target)
      var verdict =
        if range.isEmpty, case .host(let name) = entries[position].target.subject {
          names?[name]?.verdictWithoutAddress(hasPath: !nameservers.isEmpty) ?? .unknown
        } else if range == Watchlist.defaultRange, entries[position].target.media.isEmpty {
          evaluator.verdict(
            of: defaultFinding, for: entries[position].target,
            entries[position].machine.lastInterfaces)
        } else {
          evaluator.verdict(
            for: entries[position].target, queries: queries[range], answers: answers[range],
            lastInterfaces: entries[position].machine.lastInterfaces)
        }
      verdict.noteReturn(from: entries[position].machine.verdict)
      if entries[position].target.probe != nil {
        verdict = overlay(verdict, at: position, isSettled: isSettled, &outcome)
      }
      if keepsBack, verdict.status.isWorse(than: entries[position].machine.verdict.status) {
        continue
      }
      if entries[position].machine.wouldPublish(verdict, settled: isSettled) {
        news.append(
          News(position: position, subject: entries[position].target.subject, verdict: verdict))
      } else {
        _ = entries[position].machine.judge(verdict, settled: isSettled)
      }
    }
    kernel.fillIn(&news)
    outcome.transitions = publish(news)
    outcome.expires = answers.lazy.compactMap(\.expires).min()
    if case .all = settled { resumption.note(judgedAt: now) }
    outcome.nameservers = nameservers
    return outcome
  }

  /// Lays what the probe says over the kernel's verdict, once that counts.
  private mutating func overlay(
    _ kernel: Verdict, at position: Int, isSettled: Bool, _ outcome: inout Outcome
  ) -> Verdict {
    let id = entries[position].id
    guard var state = probed[id] else { return kernel }
    if isSettled || kernel.reason?.isLossOfLink == true || state.kernel.status == .unknown {
      if state.kernel.status == .reachable, kernel.status != .reachable { outcome.holds.append(id) }
      state.kernel = kernel
      if state.machine.note(kernel: kernel) { outcome.probes.append(id) }
      probed[id] = state
    }
    return state.machine.verdict(over: kernel)
  }

  /// Where a target's probe goes, and over which path; nil while there is none.
  func destination(of id: TargetID, names: NameResolver?) -> ProbeDestination? {
    guard let target = position(of: id).map({ entries[$0].target }), let state = probed[id],
      state.kernel.status == .reachable
    else { return nil }
    var known = ProbeDestination.Names(
      own: names?.addresses(of: target, first: state.answering) ?? [],
      nameservers: names?.nameservers ?? [])
    if case .host(let name) = target.probe?.destination, let named = names?[name] {
      known.named = named.isAnswered ? named.addresses : nil
    }
    var destination = ProbeDestination(
      of: target, over: state.kernel.path, known)
    destination?.generation = state.machine.generation
    return destination
  }

  /// The targets whose probes go to host names.
  func targets(probing names: Set<String>) -> [TargetID] {
    entries.lazy.filter {
      if case .host(let name) = $0.target.probe?.destination { names.contains(name) } else { false }
    }.map(\.id)
  }

  /// Takes note that another address of a host answers than the one that its path leads to; returns
  /// the host's name, for which a path is to be found anew, and nil where nothing is new.
  mutating func prefer(_ address: IPAddress, of id: TargetID) -> String? {
    guard let target = position(of: id).map({ entries[$0].target }),
      case .host(let name) = target.subject, target.probe?.destination == nil,
      let state = probed[id], state.kernel.path.address != address
    else { return nil }
    probed[id]?.answering = address
    return name
  }

  /// Counts what a probe found, and publishes what that changes.
  mutating func note(
    _ result: ProbeResult, of id: TargetID, generation: Int, _ kernel: inout Kernel
  ) -> [Transition] {
    probed[id]?.machine.note(result, generation: generation)
    guard let position = position(of: id), let state = probed[id] else { return [] }
    var verdict = state.machine.verdict(over: state.kernel)
    verdict.noteReturn(from: entries[position].machine.verdict)
    if resumption.keepsBack(at: .now),
      verdict.status.isWorse(than: entries[position].machine.verdict.status)
    {
      return []
    }
    guard entries[position].machine.wouldPublish(verdict, settled: true) else {
      _ = entries[position].machine.judge(verdict, settled: true)
      return []
    }
    let subject = entries[position].target.subject
    var news = [News(position: position, subject: subject, verdict: verdict)]
    kernel.fillIn(&news)
    return publish(news)
  }

  // The default route is always asked for: names are asked for again when it changes.
  private static let defaultRoute = Target(.internet)
  private static let defaultRange = 0..<2

  /// The questions about all targets, and for each entry which of them are its own.
  private mutating func ask(_ evaluator: Evaluator, _ names: NameResolver?) -> [RouteQuery] {
    var queries = evaluator.queries(for: .internet)
    queries.reserveCapacity(queries.count + entries.count)
    for position in entries.indices {
      if case .internet = entries[position].target.subject {
        entries[position].range = Watchlist.defaultRange
        continue
      }
      let start = queries.count
      let addresses =
        names?.addresses(
          of: entries[position].target, first: probed[entries[position].id]?.answering) ?? []
      queries += evaluator.queries(for: entries[position].target.subject, addresses: addresses)
      entries[position].range = start..<queries.count
    }
    return queries
  }

  /// Makes what is new stand, for the targets that it is about and those that they make up.
  private mutating func publish(_ news: [News]) -> [Transition] {
    var transitions: [Transition] = []
    let now = BootInstant.now
    let time = WallClock.seconds
    for (position, found) in news.lazy.map({ ($0.position, $0.verdict) }) {
      var verdict = found
      if resumption.end != nil { verdict.cause = .resume }
      guard let old = entries[position].machine.judge(verdict, settled: true) else { continue }
      sequence += 1
      transitions.append(
        Transition(
          target: entries[position].id, from: old, to: verdict, instant: now, time: time,
          sequence: sequence))
    }
    var combinations = Combinations()
    swap(&combinations, &self.combinations)
    defer { swap(&combinations, &self.combinations) }
    return transitions
      + combinations.judge(after: transitions, { verdict(of: $0) }) { id, old, new in
        sequence += 1
        return Transition(
          target: id, from: old, to: new, instant: now, time: time, sequence: sequence)
      }
  }
}

extension Verdict {
  /// What brings a target back is what had taken it away: its probe, or its name.
  package mutating func noteReturn(from standing: Verdict) {
    guard status == .reachable, standing.status == .unreachable || standing.status == .portal,
      standing.cause == .remote || standing.cause == .dns
    else { return }
    cause = standing.cause
  }
}

extension NameResolver {
  fileprivate func addresses(of target: Target, first: IPAddress?) -> [IPAddress] {
    guard case .host(let name) = target.subject else { return [] }
    let addresses = self[name]?.addresses ?? []
    guard let first, addresses.contains(first) else { return addresses }
    return [first] + addresses.filter { $0 != first }
  }
}

extension Target {
  /// Whether it is judged by the hardware address of a router.
  var needsGatewayMAC: Bool {
    guard case .network(let network) = subject else { return false }
    return network.gatewayMAC != nil
  }
}

extension RouteAnswer {
  fileprivate var expires: Duration? {
    guard case .route(let route) = self else { return nil }
    return route.expires
  }
}

internal import Netlink
internal import Posix

/// The targets that are watched, each with the verdict that stands for it.
struct Watchlist {
  /// Which verdicts need not wait for the kernel to be quiet.
  enum Settled {
    /// Only those on a lost link.
    case none
    /// Those on one host name, whose addresses came.
    case host(String)
    case all
  }

  /// What a pass over all targets found.
  struct Outcome {
    var transitions: [Transition] = []
    /// The path that the default route takes.
    var defaultPath = Path()
    /// When the first route runs out.
    var expires: Duration?
  }

  private struct Entry {
    let id: TargetID
    let target: Target
    var machine = StatusMachine()
  }

  private var entries: [Entry] = []
  private var lastID = 0
  private var sequence: Int64 = 0

  mutating func add(_ target: Target) -> TargetID {
    lastID += 1
    entries.append(Entry(id: TargetID(lastID), target: target))
    return TargetID(lastID)
  }

  mutating func remove(_ id: TargetID) -> Target? {
    guard let position = entries.firstIndex(where: { $0.id == id }) else { return nil }
    return entries.remove(at: position).target
  }

  func verdict(of id: TargetID) -> Verdict? { entries.first { $0.id == id }?.machine.verdict }

  /// The interfaces through which targets are reached now.
  var usedInterfaces: Set<Int32> {
    Set(entries.lazy.map(\.machine.verdict.path.interfaceIndex).filter { $0 != 0 })
  }

  /// Judges every target by what the kernel says now, and publishes what has changed.
  mutating func judge(
    _ kernel: inout Kernel, names: NameResolver?, settled: Settled
  ) throws(SystemError) -> Outcome {
    let evaluator = kernel.evaluator
    // The default route is always asked for: names are asked for again when it changes.
    let defaultRoute = Target(.internet)
    var queries = evaluator.queries(for: defaultRoute.subject)
    var ranges = [0..<queries.count]
    for entry in entries {
      let start = queries.count
      queries += evaluator.queries(
        for: entry.target.subject, addresses: names?.addresses(of: entry.target) ?? [])
      ranges.append(start..<queries.count)
    }
    let answers = try kernel.answers(to: queries)

    func verdict(_ target: Target, _ range: Range<Int>, lastInterface: Int32?) -> Verdict {
      let findings = evaluator.findings(
        for: target, queries: queries[range], answers: answers[range])
      return evaluator.verdict(of: findings, for: target, lastInterface: lastInterface)
    }
    let online = verdict(defaultRoute, ranges[0], lastInterface: nil)
    var verdicts: [Verdict] = []
    for (entry, range) in zip(entries, ranges.dropFirst()) {
      if case .host(let name) = entry.target.subject, range.isEmpty {
        verdicts.append(
          names?[name]?.verdictWithoutAddress(isOnline: online.status == .reachable) ?? .unknown)
      } else {
        verdicts.append(
          verdict(entry.target, range, lastInterface: entry.machine.lastInterface))
      }
    }
    let transitions = try publish(&verdicts, &kernel, settled)
    return Outcome(
      transitions: transitions, defaultPath: online.path,
      expires: answers.lazy.compactMap(\.expires).min())
  }

  private mutating func publish(
    _ verdicts: inout [Verdict], _ kernel: inout Kernel, _ settled: Settled
  ) throws(SystemError) -> [Transition] {
    try fillSources(&verdicts, &kernel, settled)
    var transitions: [Transition] = []
    let now = BootInstant.now
    for position in entries.indices {
      let isSettled = settled.includes(entries[position].target)
      let verdict = verdicts[position]
      guard let old = entries[position].machine.judge(verdict, settled: isSettled) else { continue }
      sequence += 1
      transitions.append(
        Transition(
          target: entries[position].id, from: old, to: verdict, instant: now,
          time: WallClock.seconds, sequence: sequence))
    }
    return transitions
  }

  /// Asks for the source address of each path that is about to be published.
  private func fillSources(
    _ verdicts: inout [Verdict], _ kernel: inout Kernel, _ settled: Settled
  ) throws(SystemError) {
    var wanted: [(position: Int, query: RouteQuery)] = []
    for (position, entry) in entries.enumerated() {
      let path = verdicts[position].path
      guard path.source == nil,
        entry.machine.wouldPublish(verdicts[position], settled: settled.includes(entry.target)),
        let query = RouteQuery(sourceOf: path, to: entry.target.subject)
      else { continue }
      wanted.append((position, query))
    }
    let answers = try kernel.answers(to: wanted.map(\.query))
    for (wanted, answer) in zip(wanted, answers) {
      guard case .route(let route) = answer else { continue }
      verdicts[wanted.position].path.source = wanted.query.source ?? route.source
    }
  }
}

extension Watchlist.Settled {
  fileprivate func includes(_ target: Target) -> Bool {
    switch self {
    case .none: false
    case .host(let name): target.subject == .host(name)
    case .all: true
    }
  }
}

extension NameTable.Entry {
  /// The verdict on a name without a known address.
  fileprivate func verdictWithoutAddress(isOnline: Bool) -> Verdict {
    guard isAnswered else { return .unknown }
    return isOnline
      ? Verdict(.unreachable, reason: .dns, cause: .dns) : Verdict(.unreachable, reason: .noRoute)
  }
}

extension NameResolver {
  fileprivate func addresses(of target: Target) -> [IPAddress] {
    guard case .host(let name) = target.subject else { return [] }
    return self[name]?.addresses ?? []
  }
}

extension RouteQuery {
  /// Asks which source address packets along a path carry; nil where there is no path.
  fileprivate init?(sourceOf path: Path, to subject: Target.Subject) {
    let anywhere = path.gateway?.family == .ipv6 ? IPAddress.anyIPv6 : Evaluator.anyIPv4
    guard path.interfaceIndex != 0 else { return nil }
    self.init(path.address ?? anywhere, form: .packet)
    if case .addressPair(let local, _) = subject { source = local }
    if destination.family == .ipv6 { interface = path.interfaceIndex }
  }
}

extension RouteAnswer {
  fileprivate var expires: Duration? {
    guard case .route(let route) = self else { return nil }
    return route.expires
  }
}

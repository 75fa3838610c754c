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
    /// The targets to which a path is new: their probes go at once.
    var probes: [TargetID] = []
  }

  private struct Entry {
    let id: TargetID
    let target: Target
    var machine = StatusMachine()
    var probe: ProbeMachine?
    /// The kernel's verdict, over which the probe's stands.
    var kernel = Verdict.unknown
    /// The address of a host that has answered, and so comes first.
    var answering: IPAddress?
    /// Which of a pass's questions are about it.
    var range = 0..<0
  }

  private var entries: [Entry] = []
  private var lastID = 0
  private var sequence: Int64 = 0

  mutating func add(_ target: Target) -> TargetID {
    lastID += 1
    var entry = Entry(id: TargetID(lastID), target: target)
    entry.probe = target.probe.map { ProbeMachine(fall: $0.fall, rise: $0.rise) }
    entries.append(entry)
    return TargetID(lastID)
  }

  mutating func remove(_ id: TargetID) -> Target? {
    guard let position = entries.firstIndex(where: { $0.id == id }) else { return nil }
    return entries.remove(at: position).target
  }

  func verdict(of id: TargetID) -> Verdict? { entries.first { $0.id == id }?.machine.verdict }

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
    let evaluator = try kernel.evaluator()
    let queries = ask(evaluator, names)
    let answers = try kernel.answers(to: queries)
    let defaultFinding = evaluator.finding(
      for: Watchlist.defaultRoute, queries[Watchlist.defaultRange],
      answers[Watchlist.defaultRange])
    let online = evaluator.verdict(of: defaultFinding, for: Watchlist.defaultRoute)

    var news: [News] = []
    var probes: [TargetID] = []
    for position in entries.indices {
      let range = entries[position].range
      let isSettled = settled.includes(entries[position].target)
      var verdict =
        if range.isEmpty, case .host(let name) = entries[position].target.subject {
          names?[name]?.verdictWithoutAddress(isOnline: online.status == .reachable) ?? .unknown
        } else if range == Watchlist.defaultRange, entries[position].target.media.isEmpty {
          evaluator.verdict(
            of: defaultFinding, for: entries[position].target,
            entries[position].machine.lastInterfaces)
        } else {
          evaluator.verdict(
            for: entries[position].target, queries: queries[range], answers: answers[range],
            lastInterfaces: entries[position].machine.lastInterfaces)
        }
      if entries[position].probe != nil {
        verdict = overlay(verdict, at: position, isSettled: isSettled, &probes)
      }
      if entries[position].machine.wouldPublish(verdict, settled: isSettled) {
        news.append(News(position: position, verdict: verdict))
      } else {
        _ = entries[position].machine.judge(verdict, settled: isSettled)
      }
    }
    // A source that cannot be told is no reason to tell nothing.
    try? fillSources(&news, &kernel)
    return Outcome(
      transitions: publish(news), defaultPath: online.path,
      expires: answers.lazy.compactMap(\.expires).min(), probes: probes)
  }

  /// Lays what the probe says over the kernel's verdict, once that counts.
  private mutating func overlay(
    _ kernel: Verdict, at position: Int, isSettled: Bool, _ probes: inout [TargetID]
  ) -> Verdict {
    let counts =
      isSettled || kernel.reason?.isLossOfLink == true
      || entries[position].kernel.status == .unknown
    if counts {
      entries[position].kernel = kernel
      if entries[position].probe?.note(kernel: kernel) == true {
        probes.append(entries[position].id)
      }
    }
    return entries[position].probe?.verdict(over: kernel) ?? kernel
  }

  /// Where a target's probe goes, and over which path; nil while there is none.
  func destination(of id: TargetID, names: NameResolver?) -> ProbeDestination? {
    guard let entry = entries.first(where: { $0.id == id }), let probe = entry.probe,
      entry.kernel.status == .reachable
    else { return nil }
    let addresses: [IPAddress] =
      switch entry.target.subject {
      case .address(let address, _): [address]
      case .host: names?.addresses(of: entry.target, first: entry.answering) ?? []
      default: []
      }
    return ProbeDestination(
      addresses: addresses, interface: entry.kernel.path.interfaceIndex,
      generation: probe.generation)
  }

  /// Takes note that another address of a host answers than the one that its path leads to; returns
  /// the host's name, for which a path is to be found anew, and nil where nothing is new.
  mutating func prefer(_ address: IPAddress, of id: TargetID) -> String? {
    guard let position = entries.firstIndex(where: { $0.id == id }),
      case .host(let name) = entries[position].target.subject,
      entries[position].kernel.path.address != address
    else { return nil }
    entries[position].answering = address
    return name
  }

  /// Counts what a probe found, and publishes what that changes.
  mutating func note(
    _ result: ProbeResult, of id: TargetID, generation: Int, _ kernel: inout Kernel
  ) -> [Transition] {
    guard let position = entries.firstIndex(where: { $0.id == id }) else { return [] }
    entries[position].probe?.note(result, generation: generation)
    guard let verdict = entries[position].probe?.verdict(over: entries[position].kernel) else {
      return []
    }
    guard entries[position].machine.wouldPublish(verdict, settled: true) else {
      _ = entries[position].machine.judge(verdict, settled: true)
      return []
    }
    var news = [News(position: position, verdict: verdict)]
    try? fillSources(&news, &kernel)
    return publish(news)
  }

  /// A verdict that is to be published.
  private struct News {
    let position: Int
    var verdict: Verdict
  }

  // The default route is always asked for: names are asked for again when it changes.
  private static let defaultRoute = Target(.internet)
  private static let defaultRange = 0..<2

  /// The questions about all targets, and for each entry which of them are its own.
  private mutating func ask(_ evaluator: Evaluator, _ names: NameResolver?) -> [RouteQuery] {
    var queries = evaluator.queries(for: .internet)
    for position in entries.indices {
      if case .internet = entries[position].target.subject {
        entries[position].range = Watchlist.defaultRange
        continue
      }
      let start = queries.count
      let addresses =
        names?.addresses(of: entries[position].target, first: entries[position].answering) ?? []
      queries += evaluator.queries(for: entries[position].target.subject, addresses: addresses)
      entries[position].range = start..<queries.count
    }
    return queries
  }

  private mutating func publish(_ news: [News]) -> [Transition] {
    var transitions: [Transition] = []
    let now = BootInstant.now
    let time = WallClock.seconds
    for (position, verdict) in news.lazy.map({ ($0.position, $0.verdict) }) {
      guard let old = entries[position].machine.judge(verdict, settled: true) else { continue }
      sequence += 1
      transitions.append(
        Transition(
          target: entries[position].id, from: old, to: verdict, instant: now, time: time,
          sequence: sequence))
    }
    return transitions
  }

  /// Asks for the source address of each path that is to be published.
  private func fillSources(_ news: inout [News], _ kernel: inout Kernel) throws(SystemError) {
    var queries: [RouteQuery] = []
    var wanted: [Int] = []
    for index in news.indices where news[index].verdict.path.source == nil {
      let subject = entries[news[index].position].target.subject
      if let query = RouteQuery(sourceOf: news[index].verdict.path, to: subject) {
        queries.append(query)
        wanted.append(index)
      }
    }
    let answers = try kernel.answers(to: queries)
    for (offset, index) in wanted.enumerated() {
      guard case .route(let route) = answers[offset] else { continue }
      news[index].verdict.path.source = queries[offset].source ?? route.source
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
  fileprivate func addresses(of target: Target, first: IPAddress?) -> [IPAddress] {
    guard case .host(let name) = target.subject else { return [] }
    let addresses = self[name]?.addresses ?? []
    guard let first, addresses.contains(first) else { return addresses }
    return [first] + addresses.filter { $0 != first }
  }
}

extension RouteQuery {
  /// Asks which source address packets along a path carry; nil where there is no path.
  fileprivate init?(sourceOf path: Path, to subject: Target.Subject) {
    let anywhere = path.gateway?.family == .ipv6 ? IPAddress.anyIPv6 : Evaluator.anyIPv4
    guard path.interfaceIndex != 0 else { return nil }
    self.init(path.address ?? anywhere, form: .packet)
    if case .addressPair(let local, _, _) = subject { source = local }
    if destination.family == .ipv6 { interface = path.interfaceIndex }
  }
}

extension RouteAnswer {
  fileprivate var expires: Duration? {
    guard case .route(let route) = self else { return nil }
    return route.expires
  }
}

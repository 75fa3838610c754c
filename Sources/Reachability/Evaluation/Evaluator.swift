public import Netlink
public import Posix

/// Judges targets by the interfaces and addresses of one moment and the kernel's route answers.
///
/// A route alone says little: the kernel keeps routes through interfaces whose cable is gone. A
/// target is reachable where a route leads to it through an interface that works.
public struct Evaluator {
  /// The interfaces and addresses.
  public let state: NetworkState
  /// What carries the tunnels, where there are any.
  var underlays = Underlays()
  /// The networks that the links are on.
  var surroundings = Surroundings()
  private let classifier: MediumClassifier
  private let known = Known()

  private final class Known {
    var classifications: [Int32: Classification] = [:]
  }

  /// An evaluator for the state that the classifier knows.
  public init(_ classifier: MediumClassifier) {
    self.state = classifier.state
    self.classifier = classifier
  }

  /// A target without media of its own.
  static let plainTarget = Target(.internet)

  /// The address that stands for IPv4's default route: 0.0.0.0 itself cannot be looked up.
  static let anyIPv4 = IPAddress(ipv4: 1)

  // MARK: Questions

  /// What the kernel must be asked to judge a subject.
  ///
  /// - Parameters:
  ///   - subject: what is judged.
  ///   - addresses: the addresses of a host, in the order of preference; else ignored.
  /// - Returns: the questions, in the order of preference.
  public func queries(for subject: Target.Subject, addresses: [IPAddress] = []) -> [RouteQuery] {
    switch subject {
    case .internet: Evaluator.defaultRoutes
    case .localWiFi, .interface, .network: Evaluator.defaultRoutes
    case .host: addresses.map { query($0) }
    case .address(let address, let zone):
      [query(address, interface: zone.flatMap { state.link(named: $0)?.index })]
    case .addressPair(let local, let remote, let zone):
      // A loopback source for a remote address is ignored, as SCNetworkReachability does.
      [
        query(
          remote, source: local.isLoopback && !remote.isLoopback ? nil : local,
          interface: zone.flatMap { state.link(named: $0)?.index })
      ]
    }
  }

  private static let defaultRoutes = [
    RouteQuery(anyIPv4), RouteQuery(IPAddress.anyIPv6),
  ]

  private func query(
    _ address: IPAddress, source: IPAddress? = nil, interface: Int32? = nil
  ) -> RouteQuery {
    let isAny = address.isUnspecified && address.family == .ipv4
    return RouteQuery(isAny ? Evaluator.anyIPv4 : address, source: source, interface: interface)
  }

  // MARK: Judgements

  /// Judges each answer for a subject.
  ///
  /// - Parameters:
  ///   - target: what is judged, with its own media.
  ///   - queries: what was asked, as `queries(for:addresses:)` gave it.
  ///   - answers: what the kernel said, in the same order.
  /// - Returns: a finding for each answer; one alone for a subject that is an interface, and for a
  ///   network that no link is on one for each link.
  public func findings(
    for target: Target, queries: ArraySlice<RouteQuery>, answers: ArraySlice<RouteAnswer>
  ) -> [Finding] {
    if let finding = findingOnLinks(for: target, queries, answers) {
      guard case .network(let network) = target.subject, !finding.isReachable else {
        return [finding]
      }
      let mismatches = mismatches(of: network, for: target)
      return mismatches.isEmpty ? [finding] : mismatches
    }
    return zip(queries, answers).map { route(query: $0, answer: $1, for: target) }
  }

  /// The verdict on a target, by the first finding that is reachable, or else by the first.
  ///
  /// - Parameters:
  ///   - target: what is judged, with its own media and policy.
  ///   - queries: what was asked; none while a name is unresolved.
  ///   - answers: what the kernel said, in the same order.
  ///   - lastInterfaces: those of the last path there was, whose loss then is the reason.
  /// - Returns: reachable or unreachable; unknown without a finding.
  public func verdict(
    for target: Target, queries: ArraySlice<RouteQuery>, answers: ArraySlice<RouteAnswer>,
    lastInterfaces: Path.Interfaces = .init()
  ) -> Verdict {
    verdict(of: finding(for: target, queries, answers), for: target, lastInterfaces)
  }

  /// The finding that decides: the first that is reachable, or else the first.
  func finding(
    for target: Target, _ queries: ArraySlice<RouteQuery>, _ answers: ArraySlice<RouteAnswer>
  ) -> Finding? {
    var first = findingOnLinks(for: target, queries, answers)
    if first == nil {
      for (query, answer) in zip(queries, answers) {
        let finding = route(query: query, answer: answer, for: target)
        if finding.isReachable { return finding }
        first = first ?? finding
      }
    }
    return first
  }

  /// What a finding amounts to for a target.
  func verdict(
    of finding: Finding?, for target: Target, _ lastInterfaces: Path.Interfaces = .init()
  ) -> Verdict {
    guard let finding else { return .unknown }
    if let reason = finding.reason {
      // Where a path was before, it went with its link, whatever is wrong with others.
      let mayBeLost = if case .network = target.subject { true } else { reason == .noRoute }
      let lost =
        mayBeLost
        ? lossOfLink(lastInterfaces.own) ?? lossOfLink(lastInterfaces.underlay) : nil
      return Verdict(.unreachable, reason: lost ?? reason)
    }
    return target.refusal(of: finding.path) ?? Verdict(.reachable, path: finding.path)
  }

  /// The finding on a subject that interfaces and addresses decide, whatever the routes.
  private func findingOnLinks(
    for target: Target, _ queries: ArraySlice<RouteQuery>, _ answers: ArraySlice<RouteAnswer>
  ) -> Finding? {
    switch target.subject {
    case .localWiFi:
      return linkFinding(candidates: state.links, wanted: .wifi, answers, for: target)
    case .interface(let name):
      let links = state.link(named: name).map { [$0] } ?? []
      return linkFinding(candidates: links, wanted: nil, answers, for: target)
    case .network(let network):
      return networkFinding(network, answers, for: target)
    case .address(_, let zone?) where state.link(named: zone) == nil:
      return finding(query: queries.first, .interfaceMissing)
    case .addressPair(_, _, let zone?) where state.link(named: zone) == nil:
      return finding(query: queries.first, .interfaceMissing)
    case .addressPair(let local, let remote, _)
    where !local.isLoopback && local != remote && !state.isAssigned(local):
      return finding(query: queries.first, .noAddress)
    default:
      return nil
    }
  }

  /// What happened to an interface that carried a path; nil where it still works, or none did.
  private func lossOfLink(_ index: Int32) -> Reason? {
    guard index != 0 else { return nil }
    guard let link = state.link(index) else { return .interfaceMissing }
    return link.isUsable ? nil : unusability(of: link)
  }

  private func unusability(of link: Link) -> Reason { link.isUp ? .noCarrier : .linkDown }

  /// The medium of an interface; found out once for all targets that have no override of their own.
  func classification(of link: Link, for target: Target) -> Classification {
    guard target.media.isEmpty else {
      var own = classifier
      own.overrides.merge(target.media) { _, targets in targets }
      return own.classify(link)
    }
    if let known = known.classifications[link.index] { return known }
    let found = classifier.classify(link)
    known.classifications[link.index] = found
    return found
  }

  private func finding(query: RouteQuery?, _ reason: Reason) -> Finding {
    var finding = Finding(query: query)
    finding.reason = reason
    return finding
  }
}

extension IPAddress {
  /// `::`, which stands for IPv6's default route.
  static let anyIPv6 = IPAddress("::") ?? IPAddress(ipv4: 0)
}

internal import Netlink
internal import Posix

extension Evaluator {
  /// What a route answer means for one destination.
  func route(query: RouteQuery, answer: RouteAnswer, for target: Target) -> Finding {
    var finding = Finding(query: query, answer: answer)
    switch answer {
    case .refused(let code):
      finding.reason = Reason(routeRefusal: code)
    case .route(let route):
      switch route.kind {
      case .local, .anycast: judgeLocal(route, &finding)
      case .unicast, .broadcast, .multicast: judgeOutward(route, &finding, target)
      default: finding.reason = .noRoute
      }
    }
    return finding
  }

  /// An address of this machine: reachable for as long as the loopback interface is up.
  private func judgeLocal(_ route: Route, _ finding: inout Finding) {
    let loopback = state.loopback
    finding.link = loopback
    guard loopback?.isUp == true else {
      finding.reason = .linkDown
      return
    }
    finding.classification = Classification(.loopback, by: .loopback)
    finding.path.flags = [.reachable, .isLocalAddress, .isDirect]
    finding.path.medium = .loopback
    finding.path.interface = loopback?.name
    finding.path.interfaceIndex = loopback?.index ?? 0
    finding.path.address = finding.query?.destination
  }

  private func judgeOutward(_ route: Route, _ finding: inout Finding, _ target: Target) {
    let destination = finding.query?.destination ?? Evaluator.anyIPv4
    // Without the loopback interface these fall to the default route, where nobody answers.
    guard !destination.isLoopback else {
      finding.reason = .linkDown
      return
    }
    guard let (hop, link) = usableHop(of: route) else {
      finding.link = state.link(route.nextHop.interface)
      finding.reason = finding.link.map { $0.isUp ? .noCarrier : .linkDown } ?? .interfaceMissing
      return
    }
    finding.link = link
    guard destination.isOnLink || state.hasSource(destination.family) else {
      finding.reason = .noAddress
      return
    }
    let classification = classification(of: link, for: target)
    finding.classification = classification
    // Broadcasts and multicasts are sent on the link, whatever route matched.
    let gateway = route.kind == .unicast ? hop.gateway : nil
    finding.path = path(through: link, classification, isDirect: gateway == nil)
    if destination.family == .ipv4, destination.isLinkLocal,
      classification.medium == .wired || classification.medium == .wifi
    {
      finding.path.flags.insert(.isDirect)
    }
    finding.path.gateway = gateway
    finding.path.address = isDefaultRoute(finding.query) ? nil : destination
    finding.path.source = route.source
    if classification.isTunnel, !lay(&finding.path, under: target) { finding.block(.noRoute) }
  }

  /// The first way out whose interface works.
  func usableHop(of route: Route) -> (Route.NextHop, Link)? {
    if let link = state.link(route.nextHop.interface), link.isUsable {
      return (route.nextHop, link)
    }
    for hop in route.otherNextHops {
      if let link = state.link(hop.interface), link.isUsable { return (hop, link) }
    }
    return nil
  }

  private func isDefaultRoute(_ query: RouteQuery?) -> Bool {
    query?.destination == Evaluator.anyIPv4 || query?.destination.isUnspecified == true
  }

  /// The flags and medium of a usable interface.
  func path(through link: Link, _ classification: Classification, isDirect: Bool) -> Path {
    var path = Path()
    path.flags = .reachable
    if isDirect, !link.isPointToPoint { path.flags.insert(.isDirect) }
    if classification.medium == .wwan { path.flags.formUnion([.isWWAN, .transientConnection]) }
    if classification.isTunnel || link.isPointToPoint { path.flags.insert(.transientConnection) }
    path.medium = classification.medium
    path.isVPN = classification.isTunnel
    path.interface = link.name
    path.interfaceIndex = link.index
    path.ssid = ssid(of: link)
    path.isMetered = isMetered(link)
    return path
  }

  /// Whether traffic through an interface is known to be paid for by volume, or through that on
  /// which it rests.
  func isMetered(_ link: Link) -> Bool? {
    guard !surroundings.managed.isEmpty else { return nil }
    if let known = surroundings.managed[link.index]?.isMetered { return known }
    let lowers = state.lowers(of: link.index).compactMap { surroundings.managed[$0]?.isMetered }
    return lowers.isEmpty ? nil : lowers.contains(true)
  }
}

extension IPAddress {
  /// Whether a link-local address is source enough to send there.
  fileprivate var isOnLink: Bool { isLinkLocal || (family == .ipv6 && isMulticast) }
}

extension Reason {
  /// What the kernel means by refusing a route lookup; ip-route(8).
  init(routeRefusal code: Int32) {
    switch code {
    case RouteAnswer.blackhole: self = .blackhole
    case RouteAnswer.prohibited: self = .prohibited
    case RouteAnswer.hostUnreachable: self = .hostUnreachable
    default: self = .noRoute
    }
  }
}

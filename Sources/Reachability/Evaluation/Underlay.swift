internal import Netlink
internal import Posix

/// What carries the tunnels of one moment.
///
/// The kernel keeps no tie between a tunnel and the interface that its packets leave through, so it
/// is asked how a packet would leave: to the tunnel's other end where that is known, and else
/// through each interface that is no tunnel.
struct Underlays: Sendable {
  /// What carries one tunnel.
  enum Underlay: Sendable {
    /// The way that its packets take.
    case way(Route.NextHop, Link)
    /// There are other interfaces, but no way out.
    case missing
    /// There is nothing but tunnels, as in a container that got one from outside.
    case outside
  }

  /// What carries the tunnels whose other end is not known; nil where there is none.
  var common: Underlay?
  /// The ways to the other ends that are known, by the tunnel's index; through another tunnel too.
  var own: [Int32: Underlay] = [:]
}

/// Where a tunnel's packets go, as far as it is known.
struct TunnelPeer: Hashable, Sendable {
  var address: IPAddress
  /// The interface that they must leave through.
  var interface: Int32?
  /// The mark that they carry.
  var mark: UInt32?

  var query: RouteQuery { RouteQuery(address, interface: interface, mark: mark) }
}

extension Evaluator {
  /// The tunnels that work.
  var tunnels: [Link] { state.links.filter { $0.isUsable && isTunnel($0) } }

  /// What the kernel must be asked to find what carries the tunnels whose other end is not known.
  var underlayQueries: [RouteQuery] {
    let addressed = Set(state.addresses.lazy.filter(\.isUsable).map(\.interface))
    return state.links
      .filter { $0.isUsable && addressed.contains($0.index) && !$0.isLoopback && !isTunnel($0) }
      .flatMap { link in
        [Evaluator.anyIPv4, IPAddress.anyIPv6].map { RouteQuery($0, interface: link.index) }
      }
  }

  /// Takes the answers to `underlayQueries` in; the lowest metric wins.
  mutating func findUnderlay(_ answers: [RouteAnswer]) {
    var best: (metric: UInt32, hop: Route.NextHop, link: Link)?
    for case .route(let route) in answers where route.kind == .unicast {
      let metric = route.metric ?? 0
      guard let (hop, link) = usableHop(of: route), !isTunnel(link), metric < best?.metric ?? .max
      else { continue }
      best = (metric, hop, link)
    }
    if let best {
      underlays.common = .way(best.hop, best.link)
    } else {
      underlays.common = hasOthersThanTunnels ? .missing : .outside
    }
  }

  /// Whether there is an interface that is neither loopback nor a tunnel.
  var hasOthersThanTunnels: Bool { state.links.contains { !$0.isLoopback && !isTunnel($0) } }

  /// The routes of those given that may lead to a tunnel's other end, kept out of the tunnel.
  ///
  /// One to a host on the link itself counts on hardware alone: containers have many of these.
  func peers(in routes: [HostRoute]) -> [TunnelPeer] {
    let possible = routes.filter { route in
      guard let link = state.link(route.nextHop.interface), link.isUsable, !link.isLoopback,
        !isTunnel(link)
      else { return false }
      return route.nextHop.gateway != nil || link.kind.isEmpty || link.isPointToPoint
    }
    return possible.prefix(Evaluator.mostPeers).map { TunnelPeer(address: $0.destination) }
  }

  private static let mostPeers = 64

  /// Takes the answers about a tunnel's peers in; the first that leads out of the tunnel decides.
  mutating func findUnderlay(of tunnel: Link, _ answers: [RouteAnswer]) {
    underlays.own[tunnel.index] = way(in: answers) { $0.index != tunnel.index } ?? .missing
  }

  /// Takes the answers about hosts in that may be the other ends of tunnels.
  mutating func findUnderlay(ofHosts answers: [RouteAnswer]) {
    if let way = way(in: answers, where: { !isTunnel($0) }) { underlays.common = way }
  }

  private func way(in answers: [RouteAnswer], where fits: (Link) -> Bool) -> Underlays.Underlay? {
    for case .route(let route) in answers where route.kind == .unicast {
      guard let (hop, link) = usableHop(of: route), fits(link) else { continue }
      return .way(hop, link)
    }
    return nil
  }

  /// What carries a tunnel, beneath all tunnels that it goes through.
  private func underlay(of index: Int32) -> Underlays.Underlay? {
    // From a namespace without other interfaces a tunnel's packets leave through another one.
    if case .outside = underlays.common { return .outside }
    var index = index
    for _ in 0..<8 {
      let lower = state.link(index)?.lower
      guard let own = underlays.own[index] ?? lower.flatMap({ underlays.own[$0] }) else {
        return underlays.common
      }
      guard case .way(_, let link) = own, isTunnel(link) else { return own }
      index = link.index
    }
    // They go through each other.
    return .missing
  }

  private func isTunnel(_ link: Link) -> Bool {
    MediumClassifier.isTunnel(kind: link.kind)
      && classification(of: link, for: Evaluator.plainTarget).isTunnel
  }

  /// Makes a path through a tunnel one through what carries it; false where nothing does.
  func lay(_ path: inout Path, under target: Target) -> Bool {
    switch underlay(of: path.interfaceIndex) {
    case nil, .outside: return true
    case .missing: return false
    case .way(let hop, let link):
      let medium = classification(of: link, for: target).medium
      path.medium = medium
      if medium == .wwan { path.flags.insert(.isWWAN) }
      path.interface = link.name
      path.underlayIndex = link.index
      path.gateway = hop.gateway
      path.ssid = ssid(of: link)
      path.isMetered = isMetered(link)
      return true
    }
  }
}

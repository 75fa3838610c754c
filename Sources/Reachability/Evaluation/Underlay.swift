internal import Netlink
internal import Posix

/// What carries the tunnels of one moment.
///
/// The kernel keeps no tie between a tunnel and the interface that its packets leave through, so it
/// is asked how a packet would leave through each interface that is none.
enum Underlay: Sendable {
  /// There is no tunnel.
  case unneeded
  /// The way that a tunnel's packets take.
  case way(Route.NextHop, Link)
  /// There are other interfaces, but no way out.
  case missing
  /// There is nothing but tunnels, as in a container that got one from outside.
  case outside
}

extension Evaluator {
  /// What the kernel must be asked to find what carries the tunnels.
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
      guard let link = state.link(route.nextHop.interface), link.isUsable, !isTunnel(link),
        metric < best?.metric ?? .max
      else { continue }
      best = (metric, route.nextHop, link)
    }
    if let best {
      underlay = .way(best.hop, best.link)
    } else {
      let hasOther = state.links.contains { !$0.isLoopback && !isTunnel($0) }
      underlay = hasOther ? .missing : .outside
    }
  }

  /// Whether there is a tunnel that works.
  var hasTunnel: Bool { state.links.contains { $0.isUsable && isTunnel($0) } }

  private func isTunnel(_ link: Link) -> Bool {
    MediumClassifier.isTunnel(kind: link.kind)
      && classification(of: link, for: Target(.internet)).isTunnel
  }

  /// Makes a path through a tunnel one through what carries it; false where nothing does.
  func lay(_ path: inout Path, under target: Target) -> Bool {
    switch underlay {
    case .unneeded, .outside: return true
    case .missing: return false
    case .way(let hop, let link):
      let medium = classification(of: link, for: target).medium
      path.medium = medium
      if medium == .wwan { path.flags.insert(.isWWAN) }
      path.interface = link.name
      path.underlayIndex = link.index
      path.gateway = hop.gateway
      return true
    }
  }
}

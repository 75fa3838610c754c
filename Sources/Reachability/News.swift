internal import Netlink
internal import Posix

/// A verdict that is to be published, on the target at a position of the watchlist.
struct News {
  let position: Int
  let subject: Target.Subject
  var verdict: Verdict
}

extension Kernel {
  /// Asks for what is told of a path though no verdict depends on it, the source address that
  /// packets carry and the router's hardware address; what cannot be had is no reason to tell
  /// nothing.
  mutating func fillIn(_ news: inout [News]) {
    var queries: [RouteQuery] = []
    var sourceless: [Int] = []
    var places: [Neighbour.Place] = []
    for index in news.indices {
      let path = news[index].verdict.path
      if path.source == nil, let query = RouteQuery(sourceOf: path, to: news[index].subject) {
        queries.append(query)
        sourceless.append(index)
      }
      // Most paths lead over one and the same.
      if let place = Neighbour.Place(gatewayOf: path), !places.contains(place) {
        places.append(place)
      }
    }
    guard !queries.isEmpty || !places.isEmpty,
      let answers = try? answers(to: queries, knowing: places)
    else { return }
    for (offset, index) in sourceless.enumerated() {
      guard case .route(let route) = answers[offset] else { continue }
      news[index].verdict.path.source = queries[offset].source ?? route.source
    }
    for index in news.indices {
      guard let place = Neighbour.Place(gatewayOf: news[index].verdict.path) else { continue }
      news[index].verdict.path.gatewayMAC = hardwareAddress(of: place)
    }
  }
}

extension Neighbour.Place {
  /// The router of a path, on the link that carries it; nil where it leads over none.
  fileprivate init?(gatewayOf path: Path) {
    let interface = path.underlayIndex == 0 ? path.interfaceIndex : path.underlayIndex
    guard let gateway = path.gateway, interface != 0 else { return nil }
    self.init(gateway, interface: interface)
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

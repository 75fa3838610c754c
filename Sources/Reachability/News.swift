internal import Netlink
internal import Posix

/// A verdict that is to be published, on the target at a position of the watchlist.
struct News {
  let position: Int
  let subject: Target.Subject
  var verdict: Verdict
}

extension Kernel {
  /// Asks for what is told of a path though no verdict depends on it; what cannot be had is no
  /// reason to tell nothing.
  mutating func fillIn(_ news: inout [News]) {
    try? fillSources(&news)
    try? fillGatewayMACs(&news)
  }

  private mutating func fillGatewayMACs(_ news: inout [News]) throws(SystemError) {
    // Most paths lead over the same router.
    var known: [Neighbour.Place: HardwareAddress?] = [:]
    for index in news.indices {
      guard let place = Neighbour.Place(gatewayOf: news[index].verdict.path) else { continue }
      if known[place] == nil { known.updateValue(try hardwareAddress(of: place), forKey: place) }
      news[index].verdict.path.gatewayMAC = known[place] ?? nil
    }
  }

  /// Asks for the source address that packets along each path carry.
  private mutating func fillSources(_ news: inout [News]) throws(SystemError) {
    var queries: [RouteQuery] = []
    var wanted: [Int] = []
    for index in news.indices where news[index].verdict.path.source == nil {
      if let query = RouteQuery(sourceOf: news[index].verdict.path, to: news[index].subject) {
        queries.append(query)
        wanted.append(index)
      }
    }
    let answers = try answers(to: queries)
    for (offset, index) in wanted.enumerated() {
      guard case .route(let route) = answers[offset] else { continue }
      news[index].verdict.path.source = queries[offset].source ?? route.source
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

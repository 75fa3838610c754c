internal import Netlink

extension Evaluator {
  /// Judges interfaces by themselves: one that works and has an address beyond link-local counts.
  ///
  /// Of several it is the default route's, else wired before WiFi before WWAN.
  func linkFinding(
    candidates: [Link], wanted: Medium?, _ answers: ArraySlice<RouteAnswer>,
    for target: Target
  ) -> Finding {
    let fitting = candidates.map { (link: $0, classification: classification(of: $0, for: target)) }
      .filter { wanted == nil || $0.classification.medium == wanted }
    let working = fitting.filter { reason(against: $0.link) == nil }
    let hops = answers.compactMap(\.nextHop)
    let best = working.min { left, right in
      rank(left.link, left.classification, hops) < rank(right.link, right.classification, hops)
    }
    var finding = Finding()
    guard let best else {
      finding.link = fitting.first?.link
      finding.reason = fitting.first.flatMap { reason(against: $0.link) } ?? .interfaceMissing
      return finding
    }
    finding.link = best.link
    finding.classification = best.classification
    finding.path = path(through: best.link, best.classification, isDirect: true)
    finding.path.source = state.address(of: best.link)
    finding.path.gateway =
      hops.first { $0.interface == best.link.index }?.gateway
      ?? surroundings.gateways[best.link.index]?.first?.address
    if best.classification.isTunnel, !lay(&finding.path, under: target) { finding.block(.noRoute) }
    return finding
  }

  /// Why an interface does not count; nil where it does.
  func reason(against link: Link) -> Reason? {
    guard link.isUsable else { return link.isUp ? .noCarrier : .linkDown }
    return link.isLoopback || state.address(of: link) != nil ? nil : .noAddress
  }

  private func rank(
    _ link: Link, _ classification: Classification, _ hops: [Route.NextHop]
  ) -> (Int, Int32) {
    if let position = hops.firstIndex(where: { $0.interface == link.index }) {
      return (position - hops.count, link.index)
    }
    let order: [Medium] = [.wired, .wifi, .wwan, .other, .loopback]
    return (order.firstIndex(of: classification.medium) ?? order.count, link.index)
  }
}

extension RouteAnswer {
  fileprivate var nextHop: Route.NextHop? {
    guard case .route(let route) = self, route.kind == .unicast else { return nil }
    return route.nextHop
  }
}

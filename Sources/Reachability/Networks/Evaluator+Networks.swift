internal import Netlink
internal import Posix

extension Evaluator {
  /// The name of the WiFi network that a link's packets go over; that of the interface beneath a
  /// VLAN, bridge or bond.
  func ssid(of link: Link) -> String? {
    // Most machines and moments have none.
    guard !surroundings.ssids.isEmpty else { return nil }
    return ssid(of: link, depth: 0)
  }

  private func ssid(of link: Link, depth: Int) -> String? {
    if let ssid = surroundings.ssids[link.index] { return ssid }
    guard depth < 8, classification(of: link, for: Evaluator.plainTarget).medium == .wifi else {
      return nil
    }
    let lower = link.lowerIsForeign ? nil : link.lower.flatMap(state.link)
    let beneath = (lower.map { [$0] } ?? []) + state.sendingPorts(of: link)
    return beneath.lazy.compactMap { ssid(of: $0, depth: depth + 1) }.first
  }

  /// Judges the links of a network: one that works and fits everything given counts.
  ///
  /// A link that works and does not fit is the reason; where none works, what is wrong with the one
  /// that comes nearest.
  func networkFinding(
    _ network: Network, _ answers: ArraySlice<RouteAnswer>, for target: Target
  ) -> Finding {
    let working = state.links.filter { !$0.isLoopback && reason(against: $0) == nil }
    let fitting = working.filter { differences(of: $0, from: network).isEmpty }
    if !fitting.isEmpty {
      return linkFinding(candidates: fitting, wanted: nil, answers, for: target)
    }
    return mismatches(of: network, for: target).first ?? missing
  }

  private var missing: Finding {
    var finding = Finding()
    finding.reason = .interfaceMissing
    return finding
  }

  /// What is wrong with each link that could be on a network, those first that come nearest.
  func mismatches(of network: Network, for target: Target) -> [Finding] {
    let nearest: [Reason] = [.networkDiffers, .noAddress, .noCarrier, .linkDown]
    let findings = state.links.filter { !$0.isLoopback }.compactMap { link -> Finding? in
      var finding = Finding()
      finding.link = link
      finding.classification = classification(of: link, for: target)
      finding.reason = reason(against: link) ?? .networkDiffers
      if finding.reason == .networkDiffers {
        finding.differences = differences(of: link, from: network)
      } else if !network.ssids.isEmpty, finding.classification?.medium != .wifi {
        // A cable that is pulled is no reason why a WiFi network is not there.
        return nil
      }
      return finding
    }
    return nearest.flatMap { reason in findings.filter { $0.reason == reason } }
  }

  /// What about a link does not fit a network; nothing where all does.
  func differences(of link: Link, from network: Network) -> [NetworkDifference] {
    var differences: [NetworkDifference] = []
    let ssid = ssid(of: link)
    if !network.ssids.isEmpty, !network.ssids.contains(where: { $0 == ssid }) {
      differences.append(.ssid(ssid))
    }
    if let wanted = network.gatewayMAC {
      let found = surroundings.gateways[link.index]?.compactMap(\.hardwareAddress) ?? []
      if !found.contains(wanted) { differences.append(.gatewayMAC(found)) }
    }
    if let subnet = network.subnet {
      let addresses = state.addresses.filter { $0.interface == link.index && $0.isUsable }
        .map(\.address)
      if !addresses.contains(where: subnet.contains) { differences.append(.subnet(addresses)) }
    }
    return differences
  }

  // MARK: Routers

  /// What the kernel must be asked to find the routers of every link that works.
  var gatewayQueries: [RouteQuery] {
    state.links.filter { !$0.isLoopback && reason(against: $0) == nil }.flatMap { link in
      [Evaluator.anyIPv4, IPAddress.anyIPv6].map { RouteQuery($0, interface: link.index) }
    }
  }

  /// The routers that the answers to `gatewayQueries` name.
  func gateways(in answers: [RouteAnswer]) -> [Neighbour.Place] {
    var places: [Neighbour.Place] = []
    for case .route(let route) in answers where route.kind == .unicast {
      for hop in [route.nextHop] + route.otherNextHops {
        guard let gateway = hop.gateway else { continue }
        let place = Neighbour.Place(gateway, interface: hop.interface)
        if !places.contains(place) { places.append(place) }
      }
    }
    return places
  }
}

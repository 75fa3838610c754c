internal import Netlink
internal import Posix

/// Asks the kernel for the truth, and remembers what does not change.
struct Kernel: ~Copyable {
  /// The interfaces and addresses of the last observation.
  private(set) var state = NetworkState.empty
  /// The WiFi networks that interfaces are on.
  private(set) var wireless = WirelessNetworks()
  private var requests: RequestSocket
  private var families = Families()
  private var gateways = KnownGateways()
  private var routers = AdvertisedRouters.unknown
  /// The neighbours on which verdicts depend, as they were last known.
  private(set) var watchedNeighbours: [Neighbour.Place: Neighbour] = [:]
  /// What services of the system say of interfaces, by their names.
  var managed: [String: ManagedInterface] = [:]
  /// Whether there ever was another interface than loopback and tunnels.
  private var knowsOthers = false
  private let facts = FactsStorage()
  private let media: [String: Medium]

  /// - Parameter media: media that are not to be found out, by interface name.
  /// - Throws: what the kernel says where a socket cannot be had.
  init(media: [String: Medium]) throws(SystemError) {
    requests = try RequestSocket()
    self.media = media
  }

  /// Looks at all interfaces and addresses, once changes in progress are finished.
  ///
  /// - Parameter changed: the interfaces that were said to have changed.
  /// - Throws: what the kernel says where it cannot be asked.
  mutating func observe(changed: Set<Int32> = []) throws(SystemError) {
    var concerned = changed
    for index in changed { concerned.formUnion(state.uppers(of: index)) }
    try requests.synchronize(Array(concerned))
    state = NetworkState(sorted: try requests.links(), addresses: try requests.addresses())
    if !changed.isEmpty || !wireless.hasLooked {
      wireless.note(changed: changed, in: state, isRadio: classifier.isRadio)
    }
    for index in changed where state.link(index)?.isUsable != true {
      gateways.forget(interface: index)
    }
  }

  /// An evaluator for the state that was last observed, which knows what carries the tunnels and
  /// which WiFi networks interfaces are on.
  ///
  /// - Parameter findsGateways: whether it is to know the routers' hardware addresses too.
  /// - Returns: an evaluator for this moment.
  /// - Throws: what the kernel says where it cannot be asked.
  mutating func evaluator(findsGateways: Bool = false) throws(SystemError) -> Evaluator {
    var evaluator = Evaluator(classifier)
    if !managed.isEmpty { evaluator.surroundings.managed = managed(in: state) }
    evaluator.surroundings.ssids = wireless.ssids(in: state) { families.wirelessInterfaces() }
    try findNeighbours(findsGateways: findsGateways, &evaluator)
    if !knowsOthers { knowsOthers = evaluator.hasOthersThanTunnels }
    let tunnels = evaluator.tunnels
    if !tunnels.isEmpty { try findUnderlays(of: tunnels, &evaluator) }
    return evaluator
  }

  /// The kernel's answers, in the order of the queries; of a VRF what its own table says.
  mutating func answers(to queries: [RouteQuery]) throws(SystemError) -> [RouteAnswer] {
    guard !queries.isEmpty else { return [] }
    return try answers(to: queries, knowing: [])
  }

  /// The kernel's answers, while it is asked for the hardware addresses of routers too.
  mutating func answers(
    to queries: [RouteQuery], knowing places: [Neighbour.Place]
  ) throws(SystemError) -> [RouteAnswer] {
    var (answers, neighbours) = try requests.ask(queries, places)
    for neighbour in neighbours { gateways.note(neighbour) }
    let inner = VRFQueries(queries, answers, in: state)
    if !inner.queries.isEmpty {
      inner.replace(in: &answers, by: try requests.routes(inner.queries))
    }
    return answers
  }

  private var classifier: MediumClassifier {
    let facts = facts
    let managed = managed
    return MediumClassifier(state: state, overrides: media) { link in
      var found = facts.cache.facts(of: link)
      if let known = managed[link.name], known.isAbout(link) {
        found.isModem = known.isModem
        found.isBluetooth = known.isBluetooth
      }
      return found
    }
  }

  private func managed(in state: NetworkState) -> [Int32: ManagedInterface] {
    var found: [Int32: ManagedInterface] = [:]
    for link in state.links {
      if let known = managed[link.name], known.isAbout(link) { found[link.index] = known }
    }
    return found
  }

  private final class FactsStorage {
    var cache = InterfaceFactsCache()
  }

  /// The routers among which IPv6 chooses by their state as neighbours.
  private enum AdvertisedRouters {
    /// Nobody asks.
    case unknown
    case stale
    case found([Neighbour.Place])
  }
}

// MARK: WiFi networks and routers

extension Kernel {
  /// Takes note that interfaces may be on other WiFi networks than they were.
  mutating func expireNetworks() { wireless.expire() }

  /// Takes note that nothing is known of what happened: any link may have failed meanwhile.
  mutating func forgetNetworks() {
    wireless.note(changed: nil, in: state, isRadio: classifier.isRadio)
    gateways.forgetAll()
  }

  /// Takes note that a link failed, be it for a moment.
  mutating func forgetGateways(on interface: Int32) { gateways.forget(interface: interface) }

  /// Takes note that routers may have begun or ceased to advertise themselves.
  mutating func expireRouters() { routers = .stale }

  /// The hardware address of a router, as it was last known.
  func hardwareAddress(of place: Neighbour.Place) -> HardwareAddress? { gateways[place] }

  /// Asks for the neighbours on which verdicts depend: routers whose hardware address matters, and
  /// those among which IPv6 chooses by whether they answer.
  private mutating func findNeighbours(
    findsGateways: Bool, _ evaluator: inout Evaluator
  ) throws(SystemError) {
    watchedNeighbours.removeAll()
    if findsGateways {
      let places = evaluator.gateways(in: try answers(to: evaluator.gatewayQueries))
      try watch(places)
      for place in places {
        evaluator.surroundings.gateways[place.interface, default: []].append(
          .init(address: place.address, hardwareAddress: gateways[place]))
      }
    }
    if case .stale = routers { routers = .found(try RequestSocket.advertisedRouters()) }
    if case .found(let places) = routers, places.count > 1 { try watch(places) }
  }

  private mutating func watch(_ places: [Neighbour.Place]) throws(SystemError) {
    for (place, neighbour) in zip(places, try requests.neighbours(places)) {
      gateways.note(neighbour)
      watchedNeighbours[place] = neighbour ?? Neighbour(place)
    }
  }
}

// MARK: Tunnels

extension Kernel {
  /// Finds what carries tunnels: the way to the other end where that is known, else any way out,
  /// else a route to one host that may be the other end.
  private mutating func findUnderlays(
    of tunnels: [Link], _ evaluator: inout Evaluator
  ) throws(SystemError) {
    var areAllKnown = true
    for tunnel in tunnels {
      let peers = peers(of: tunnel)
      if peers.isEmpty { areAllKnown = false; continue }
      evaluator.findUnderlay(of: tunnel, try answers(to: peers.map(\.query)))
    }
    evaluator.findUnderlay(try answers(to: evaluator.underlayQueries))
    // What carried a tunnel until its interface went was here, not outside.
    if knowsOthers, case .outside = evaluator.underlays.common {
      evaluator.underlays.common = .missing
    }
    if !areAllKnown, case .missing = evaluator.underlays.common {
      let routes =
        try RequestSocket.hostRoutes(of: .ipv4) + RequestSocket.hostRoutes(of: .ipv6)
      let queries = evaluator.peers(in: routes).map(\.query)
      evaluator.findUnderlay(ofHosts: try answers(to: queries))
    }
  }

  /// Where a tunnel's packets are known to go.
  private mutating func peers(of tunnel: Link) -> [TunnelPeer] {
    if tunnel.kind == "wireguard" {
      guard let device = families.wireGuardDevice(tunnel.index) else { return [] }
      return device.endpoints.map { endpoint in
        TunnelPeer(
          address: endpoint.address, interface: endpoint.scope > 0 ? endpoint.scope : nil,
          mark: device.mark == 0 ? nil : device.mark)
      }
    }
    let bound = tunnel.lowerIsForeign || tunnel.lower == tunnel.index ? nil : tunnel.lower
    return tunnel.remote.map { [TunnelPeer(address: $0, interface: bound)] } ?? []
  }
}

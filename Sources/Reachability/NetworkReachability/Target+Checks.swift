extension Target {
  /// Checks a target that was built by hand.
  func validate() throws(ReachabilityError) {
    try subject.validate()
    guard let probe else { return }
    if case .host(let name) = probe.destination { try Subject.validate(host: name) }
    guard Probe.intervals.contains(probe.every), Probe.timeouts.contains(probe.timeout),
      probe.fall > 0, probe.rise > 0, probe.kind != .tcp(port: 0)
    else { throw .invalidProbe(probe) }
  }
}

extension Target.Subject {
  /// A host by its name, or what it is where it is written as an address.
  init(host: String) throws(ReachabilityError) {
    if let address = try? Self.address(host) {
      self = address
    } else {
      guard let name = try? Self.hostName(host) else { throw .invalidHostName(host) }
      self = .host(name)
    }
  }

  /// An address, with its interface after `%` where it is given.
  init(address text: String) throws(ReachabilityError) {
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first.flatMap({ IPAddress($0) }) else { throw .invalidAddress(text) }
    self = .address(address.unmapped, zone: parts.count == 2 ? String(parts[1]) : nil)
    try validate()
  }

  /// The pair of two subjects that are addresses.
  init(local: Self, remote: Self) throws(ReachabilityError) {
    guard case .address(let from, let fromZone) = local,
      case .address(let to, let toZone) = remote
    else { throw .missingAddress }
    if let fromZone, let toZone, fromZone != toZone {
      throw .mixedInterfaces(local: fromZone, remote: toZone)
    }
    self = .addressPair(local: from, remote: to, zone: toZone ?? fromZone)
    try validate()
  }

  /// Checks a subject that was built by hand.
  func validate() throws(ReachabilityError) {
    switch self {
    case .internet, .localWiFi, .address(_, nil): return
    case .interface(let name), .address(_, let name?): try Self.validate(interface: name)
    case .addressPair(let local, let remote, let zone):
      guard local.family == remote.family else {
        throw .mixedFamilies(local: local, remote: remote)
      }
      if let zone { try Self.validate(interface: zone) }
    case .host(let name): try Self.validate(host: name)
    case .network(let network):
      if network == Network() { throw .emptyNetwork }
      for ssid in network.ssids where (try? Network.ssid(ssid)) == nil {
        throw .invalidNetworkName(ssid)
      }
    }
  }

  fileprivate static func validate(host name: String) throws(ReachabilityError) {
    guard (try? hostName(name)) != nil else { throw .invalidHostName(name) }
  }

  private static func validate(interface name: String) throws(ReachabilityError) {
    guard (try? interfaceName(name)) != nil else { throw .invalidInterface(name) }
  }
}

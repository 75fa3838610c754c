internal import Posix

/// Where a target's probe goes.
struct ProbeDestination {
  /// In the order in which they are tried; none where a name has none.
  var addresses: [IPAddress]
  /// The address from which it leaves; nil where the routes decide.
  var source: IPAddress?
  /// The interface that the kernel would send through, on which link-local addresses are meant.
  var interface: Int32 = 0
  /// The name of another interface on which a link-local address is meant.
  var zone: String?
  /// The interface through which it leaves, whatever the routes say; nil where they decide.
  var boundInterface: String?
  /// The system's name servers, where those are the addresses.
  var nameservers: [Nameserver] = []
  /// The number of the path that the result will be about.
  var generation = 0
}

extension ProbeDestination {
  /// What is known of names when a probe is sent.
  struct Names {
    /// The addresses of the target's own host, in the order in which they are tried.
    var own: [IPAddress]
    /// The addresses of the host that the probe names; nil until the first query has ended.
    var named: [IPAddress]?
    /// Whom this system asks for names.
    var nameservers: [Nameserver] = []
  }

  /// Where the probe of a target goes; nil as long as that is not known, or where it has none.
  ///
  /// - Parameters:
  ///   - target: what it is about.
  ///   - path: how the kernel would send.
  ///   - names: what is known of names.
  init?(of target: Target, over path: Path, _ names: Names) {
    guard let probe = target.probe else { return nil }
    self.init(addresses: [], interface: path.interfaceIndex)
    switch (probe.destination, target.subject) {
    case (.address(let address, let zone), _):
      addresses = [address]
      self.zone = zone
    case (.host, _):
      guard let named = names.named else { return nil }
      addresses = named
    case (nil, .host): addresses = names.own
    case (nil, .address(let address, let zone)):
      addresses = [address]
      self.zone = zone
    case (nil, .addressPair(let local, let remote, let zone)):
      addresses = [remote]
      source = local
      self.zone = zone
    case (nil, _):
      guard target.asksNameservers else { return nil }
      nameservers = names.nameservers
      addresses = nameservers.map(\.address)
    }
    switch target.subject {
    case .interface(let name): boundInterface = name
    case .network: boundInterface = path.interface
    default: break
    }
  }
}

extension Target {
  /// Whether its probe asks the name servers of the system.
  var asksNameservers: Bool {
    guard let probe, probe.destination == nil, case .dns = probe.kind else { return false }
    switch subject {
    case .host, .address, .addressPair: return false
    default: return true
    }
  }
}

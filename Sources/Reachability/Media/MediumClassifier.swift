public import Netlink

/// The medium of an interface, and how it was found.
public struct Classification: Hashable, Sendable {
  /// What told the medium, in the order in which it is asked.
  public enum Evidence: Hashable, Sendable {
    case override, loopback, modem, kind(String), deviceType(String), wireless, hardwareType(UInt16)
    case port(String), lower(String), pointToPoint, tunnel(String), tethering(String)
    case name, virtual(String), ethernet, nothing
  }

  /// What carries the packets.
  public var medium: Medium
  /// Whether the interface is a tunnel, whose packets leave through another one.
  public var isTunnel: Bool
  /// What told it.
  public var evidence: Evidence

  /// A classification, built by hand.
  public init(_ medium: Medium, isTunnel: Bool = false, by evidence: Evidence) {
    self.medium = medium
    self.isTunnel = isTunnel
    self.evidence = evidence
  }
}

/// Tells the medium of an interface from what netlink and sysfs say of it.
///
/// What cannot be known is `other`, never `wwan`: nobody's sync job stops for a guess.
public struct MediumClassifier {
  /// The interfaces among which members and lower interfaces are found.
  public var state: NetworkState
  /// Media that are given, by interface name.
  public var overrides: [String: Medium]
  /// What sysfs says of an interface.
  public var facts: (Link) -> InterfaceFacts

  /// A classifier for the interfaces of one moment.
  public init(
    state: NetworkState, overrides: [String: Medium], facts: @escaping (Link) -> InterfaceFacts
  ) {
    self.state = state
    self.overrides = overrides
    self.facts = facts
  }

  /// The medium of an interface; the first rule that fits decides.
  public func classify(_ link: Link) -> Classification { classify(link, depth: 0) }

  /// Whether nl80211 knows an interface: the driver declares it as one of WiFi, or its name does
  /// where sysfs, which may be that of another network namespace, says nothing.
  func isRadio(_ link: Link) -> Bool {
    // WiFi interfaces are hardware to the kernel, and hardware has no kind.
    guard link.kind.isEmpty, !link.isLoopback else { return false }
    let facts = facts(link)
    return facts.deviceType == "wlan" || facts.isWireless
      || HardwareType.wifi.contains(link.hardwareType)
      || (facts == InterfaceFacts() && link.name.hasPrefix("wl"))
  }

  private static let deepestStack = 8
  private static let masters: Set = ["bridge", "bond", "team"]
  private static let stacked: Set = [
    "vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec", "dsa", "hsr",
  ]
  private static let tunnels: Set = ["tun", "wireguard", "ovpn", "ipip", "sit", "xfrm", "l2tp"]
  private static let tunnelFamilies = ["gre", "ip6", "vti"]
  private static let virtuals: Set = ["veth", "netkit", "vxcan", "ifb", "vxlan", "dummy"]
  private static let wwanNames = ["ww", "rmnet", "rev_rmnet", "ccmni", "qmapmux"]

  private func classify(_ link: Link, depth: Int) -> Classification {
    guard depth <= MediumClassifier.deepestStack else {
      return Classification(.other, by: .nothing)
    }
    if let medium = overrides[link.name] { return Classification(medium, by: .override) }
    if link.isLoopback || link.hardwareType == HardwareType.loopback {
      return Classification(.loopback, by: .loopback)
    }
    let facts = facts(link)
    return declared(link, facts) ?? inherited(link, depth) ?? tunnelled(link)
      ?? guessed(link, facts)
  }

  /// What the kernel or the driver declares.
  private func declared(_ link: Link, _ facts: InterfaceFacts) -> Classification? {
    if facts.isModem { return Classification(.wwan, by: .modem) }
    if link.kind == "wwan" || link.kind == "rmnet" {
      return Classification(.wwan, by: .kind(link.kind))
    }
    if facts.deviceType == "wwan" { return Classification(.wwan, by: .deviceType("wwan")) }
    if facts.deviceType == "wlan" { return Classification(.wifi, by: .deviceType("wlan")) }
    if facts.isWireless { return Classification(.wifi, by: .wireless) }
    let evidence = Classification.Evidence.hardwareType(link.hardwareType)
    if HardwareType.wifi.contains(link.hardwareType) { return Classification(.wifi, by: evidence) }
    if HardwareType.wwan.contains(link.hardwareType) { return Classification(.wwan, by: evidence) }
    return nil
  }

  /// What the interfaces beneath say.
  private func inherited(_ link: Link, _ depth: Int) -> Classification? {
    if MediumClassifier.masters.contains(link.kind) {
      let ports = state.sendingPorts(of: link)
      let media = ports.map { (port: $0, medium: classify($0, depth: depth + 1).medium) }
      // Mixed ports: what costs least is taken to carry most.
      for medium in [Medium.wired, .wifi, .wwan] {
        if let port = media.first(where: { $0.medium == medium })?.port {
          return Classification(medium, by: .port(port.name))
        }
      }
      if let port = media.first?.port { return Classification(.other, by: .port(port.name)) }
      return Classification(.wired, by: .virtual(link.kind))
    }
    guard MediumClassifier.stacked.contains(link.kind), !link.lowerIsForeign,
      let lower = link.lower.flatMap(state.link)
    else { return nil }
    var classification = classify(lower, depth: depth + 1)
    classification.evidence = .lower(lower.name)
    return classification
  }

  /// Whether an interface of that kind is a tunnel, unless something else is known of it.
  static func isTunnel(kind: String) -> Bool {
    // Hardware has no kind; this is asked for every interface after every change.
    guard !kind.isEmpty else { return false }
    return tunnels.contains(kind) || tunnelFamilies.contains(where: kind.hasPrefix)
  }

  private func tunnelled(_ link: Link) -> Classification? {
    if link.hardwareType == HardwareType.pointToPoint || link.kind == "ppp" {
      return Classification(.other, by: .pointToPoint)
    }
    guard MediumClassifier.isTunnel(kind: link.kind) else { return nil }
    return Classification(.other, isTunnel: true, by: .tunnel(link.kind))
  }

  /// What names and the lack of anything special suggest.
  private func guessed(_ link: Link, _ facts: InterfaceFacts) -> Classification {
    if let driver = facts.driver, facts.deviceType == nil,
      ["rndis_host", "ipheth"].contains(driver)
        || (facts.isUSB && ["cdc_ether", "cdc_ncm"].contains(driver))
    {
      return Classification(.wired, by: .tethering(driver))
    }
    if facts.deviceType == "bluetooth" || facts.isBluetooth || link.name.hasPrefix("bnep") {
      return Classification(.other, by: .deviceType("bluetooth"))
    }
    if MediumClassifier.wwanNames.contains(where: link.name.hasPrefix) {
      return Classification(.wwan, by: .name)
    }
    if link.name.hasPrefix("wl") { return Classification(.wifi, by: .name) }
    if MediumClassifier.virtuals.contains(link.kind) {
      return Classification(.wired, by: .virtual(link.kind))
    }
    if link.hardwareType == HardwareType.ethernet, link.kind.isEmpty {
      return Classification(.wired, by: .ethernet)
    }
    return Classification(.other, by: .nothing)
  }
}

/// The hardware types of linux/if_arp.h that tell a medium.
enum HardwareType {
  static let ethernet: UInt16 = 1
  static let pointToPoint: UInt16 = 512
  static let loopback: UInt16 = 772
  /// Raw IP, and the number that Android's kernels used for it.
  static let wwan: [UInt16] = [519, 530]
  static let wifi: ClosedRange<UInt16> = 801...803
}

internal import CNetlink
public import Posix

/// A network interface as the kernel describes it; rtnetlink(7), RTM_NEWLINK.
public struct Link: Hashable, Sendable {
  /// The states of RFC 2863 that the kernel keeps beside the flags.
  public enum OperationalState: UInt8, Sendable {
    case unknown, notPresent, down, lowerLayerDown, testing, dormant, up
  }

  /// The kernel's number for the interface.
  public var index: Int32
  /// The interface's name: `eth0`.
  public var name: String
  /// The hardware type, ARPHRD_… in linux/if_arp.h: 1 Ethernet, 772 loopback.
  public var hardwareType: UInt16
  /// The IFF_… flags of netdevice(7).
  public var flags: UInt32
  /// RFC 2863's state; `unknown` is what many working interfaces report.
  public var operationalState: OperationalState
  /// Whether there is a carrier; true where the kernel does not say.
  public var hasCarrier: Bool
  /// The bridge, bond or VRF that this interface is a port of.
  public var master: Int32?
  /// The interface beneath a VLAN or MACVLAN; the other end of a veth pair.
  public var lower: Int32?
  /// Whether `lower` is a number of another network namespace.
  public var lowerIsForeign: Bool
  /// The kind of a virtual interface (`bridge`, `veth`, `wireguard`); empty for hardware.
  public var kind: String
  /// The hardware address, where it has one as Ethernet has.
  public var hardwareAddress: HardwareAddress?
  /// The one port that a bond sends through, where it has one.
  public var activePort: Int32?
  /// The other end of an IP or GRE tunnel, where it has one alone.
  public var remote: IPAddress?

  /// An interface, built by hand.
  public init(
    index: Int32, name: String, hardwareType: UInt16 = 1, flags: UInt32 = Link.working,
    operationalState: OperationalState = .up, hasCarrier: Bool = true, master: Int32? = nil,
    lower: Int32? = nil, lowerIsForeign: Bool = false, kind: String = "",
    activePort: Int32? = nil, remote: IPAddress? = nil
  ) {
    self.index = index
    self.name = name
    self.hardwareType = hardwareType
    self.flags = flags
    self.operationalState = operationalState
    self.hasCarrier = hasCarrier
    self.master = master
    self.lower = lower
    self.lowerIsForeign = lowerIsForeign
    self.kind = kind
    self.activePort = activePort
    self.remote = remote
  }

  /// The flags of an interface that works: up, running, carrier below.
  public static let working = UInt32(IFF_UP.rawValue | IFF_RUNNING.rawValue | IFF_LOWER_UP.rawValue)

  /// Whether an administrator has switched it on.
  public var isUp: Bool { flags & UInt32(IFF_UP.rawValue) != 0 }
  /// Whether it is the machine's own loopback.
  public var isLoopback: Bool { flags & UInt32(IFF_LOOPBACK.rawValue) != 0 }
  /// Whether it has exactly one peer, as ppp and most tunnels do.
  public var isPointToPoint: Bool { flags & UInt32(IFF_POINTOPOINT.rawValue) != 0 }
  /// Whether the cable, radio or peer beneath it is there.
  public var isLowerUp: Bool { flags & UInt32(IFF_LOWER_UP.rawValue) != 0 && hasCarrier }

  /// Whether packets can leave through it.
  ///
  /// Operational state `unknown` counts as up: tunnels, ppp, WWAN and an empty bridge never say more.
  public var isUsable: Bool {
    flags & Link.working == Link.working && hasCarrier
      && (operationalState == .up || operationalState == .unknown)
  }

  /// Reads an RTM_NEWLINK or RTM_DELLINK; nil for what is not an interface's own message.
  ///
  /// Messages of family AF_BRIDGE are about a port; their RTM_DELLINK says that it left its bridge.
  init?(_ message: Message) {
    guard let (info, attributes) = message.split(ifinfomsg.self), info.ifi_family == AF_UNSPEC
    else { return nil }
    self.init(index: info.ifi_index, name: "", hardwareType: info.ifi_type, flags: info.ifi_flags)
    operationalState = .unknown
    for attribute in attributes {
      switch attribute.type {
      case IFLA_IFNAME: name = attribute.value.text
      case IFLA_ADDRESS: hardwareAddress = attribute.value.hardwareAddress
      case IFLA_OPERSTATE:
        operationalState = attribute.load(UInt8.self).flatMap(OperationalState.init) ?? .unknown
      case IFLA_CARRIER: hasCarrier = attribute.load(UInt8.self) != 0
      case IFLA_MASTER: master = attribute.load(Int32.self)
      case IFLA_LINK: lower = attribute.load(Int32.self).flatMap { $0 > 0 ? $0 : nil }
      case IFLA_LINK_NETNSID: lowerIsForeign = true
      case IFLA_LINKINFO: readKind(Attributes(attribute.value))
      default: break
      }
    }
  }

  private mutating func readKind(_ attributes: Attributes) {
    for attribute in attributes {
      switch attribute.type {
      case IFLA_INFO_KIND: kind = attribute.value.text
      case IFLA_INFO_DATA where kind == "bond":
        for option in Attributes(attribute.value)
        where option.type == IFLA_BOND_ACTIVE_SLAVE {
          activePort = option.load(Int32.self).flatMap { $0 > 0 ? $0 : nil }
        }
      case IFLA_INFO_DATA:
        guard let number = Link.remoteNumber(kind: kind) else { continue }
        for option in Attributes(attribute.value) where option.type == number {
          remote = option.value.address.flatMap { $0.isUnspecified ? nil : $0 }
        }
      default: break
      }
    }
  }

  /// The attribute that tells a tunnel's other end; linux/if_tunnel.h.
  private static func remoteNumber(kind: String) -> Int? {
    switch kind {
    case "ipip", "sit", "ip6tnl": Int(IFLA_IPTUN_REMOTE)
    case "gre", "gretap", "ip6gre", "ip6gretap", "erspan", "ip6erspan": Int(IFLA_GRE_REMOTE)
    case "vti", "vti6": Int(IFLA_VTI_REMOTE)
    default: nil
    }
  }
}

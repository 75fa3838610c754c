public import Posix

/// What carries the packets.
public enum Medium: String, Hashable, Sendable, CaseIterable {
  case wired
  case wifi
  case wwan
  case loopback
  /// Known to be none of these, or not to be known.
  case other
}

/// How the kernel would send to a target; neither probe nor policy changes it.
///
/// Where the kernel has no usable path everything is absent and the flags are empty.
public struct Path: Hashable, Sendable {
  /// How a packet would leave.
  public var flags: Flags = []
  /// What carries it; beneath a tunnel, bridge or VLAN the medium of what lies underneath.
  public var medium: Medium?
  /// Whether it goes through a tunnel.
  public var isVPN = false
  /// Whether its traffic is paid for by volume; nil where nothing tells.
  public var isMetered: Bool?
  /// The name of the interface; of the one underneath a tunnel.
  public var interface: String?
  /// The kernel's number of the interface that packets are sent to, 0 where there is none.
  public var interfaceIndex: Int32 = 0
  /// The kernel's number of the interface that carries the tunnel, 0 where there is none.
  public var underlayIndex: Int32 = 0
  /// The remote address.
  public var address: IPAddress?
  /// The local address.
  public var source: IPAddress?
  /// The router, where there is one; of the interface underneath a tunnel.
  public var gateway: IPAddress?
  /// The router's hardware address, where the kernel knows it.
  public var gatewayMAC: HardwareAddress?
  /// The name of the WiFi network; of that underneath a tunnel.
  public var ssid: String?

  /// No path.
  public init() {}
}

extension Path {
  /// The interfaces that carry a path, by the kernel's numbers.
  public struct Interfaces: Hashable, Sendable {
    /// That which packets are sent to, 0 where there is none.
    public var own: Int32 = 0
    /// That which carries the tunnel, 0 where there is none.
    public var underlay: Int32 = 0

    /// Interfaces, named by hand.
    public init(own: Int32 = 0, underlay: Int32 = 0) {
      self.own = own
      self.underlay = underlay
    }
  }

  /// The interfaces that it takes.
  public var interfaces: Interfaces {
    Interfaces(own: interfaceIndex, underlay: underlayIndex)
  }
}

internal import CNetlink
internal import Glibc
public import Posix

/// A question to the kernel: how a packet to an address would be sent.
public struct RouteQuery: Hashable, Sendable {
  /// What the answer is to describe.
  public enum Form: Sendable {
    /// The routing table's entry that matches, with all its next hops.
    case entry
    /// The way that one packet would take, with the source address that it would carry.
    case packet
  }

  /// Where the packet goes.
  public var destination: IPAddress
  /// The source address that it carries, where that is given.
  public var source: IPAddress?
  /// The interface that it must leave through.
  public var interface: Int32?
  /// The mark that it carries, by which policy rules may send it another way.
  public var mark: UInt32?
  /// What the answer describes.
  public var form: Form

  /// A question about one destination.
  public init(
    _ destination: IPAddress, source: IPAddress? = nil, interface: Int32? = nil,
    mark: UInt32? = nil, form: Form = .entry
  ) {
    self.destination = destination
    self.source = source
    self.interface = interface
    self.mark = mark
    self.form = form
  }
}

/// The kernel's answer to a route query.
public enum RouteAnswer: Hashable, Sendable {
  /// There is a route.
  case route(Route)
  /// There is none, by this errno: ENETUNREACH, EHOSTUNREACH, EACCES, EINVAL (blackhole).
  case refused(Int32)
}

/// A route that the kernel would take.
public struct Route: Hashable, Sendable {
  /// What becomes of a packet; rtnetlink(7), rtm_type.
  public enum Kind: UInt8, Sendable {
    case unspecified, unicast, local, broadcast, anycast, multicast, blackhole, unreachable
    case prohibit, `throw`, nat, external
  }

  /// One way that a packet may leave.
  public struct NextHop: Hashable, Sendable {
    /// The interface's index.
    public var interface: Int32
    /// The router; nil where the destination is on the link itself.
    public var gateway: IPAddress?

    /// A way out, built by hand.
    public init(interface: Int32, gateway: IPAddress? = nil) {
      self.interface = interface
      self.gateway = gateway
    }
  }

  /// What becomes of a packet.
  public var kind: Kind
  /// The bits of the prefix that matched.
  public var prefixLength: UInt8
  /// The first way out.
  public var nextHop: NextHop
  /// The others, where the route has several.
  public var otherNextHops: [NextHop]
  /// The source address that packets get.
  public var source: IPAddress?
  /// The time after which the route is gone, without an event.
  public var expires: Duration?
  /// The routing table that held it; 254 is the main one.
  public var table: UInt32
  /// Its metric, where the kernel tells it; the lowest wins.
  public var metric: UInt32?

  /// A route, built by hand.
  public init(
    kind: Kind = .unicast, prefixLength: UInt8 = 0, nextHop: NextHop,
    otherNextHops: [NextHop] = [], source: IPAddress? = nil, expires: Duration? = nil,
    table: UInt32 = 254, metric: UInt32? = nil
  ) {
    self.kind = kind
    self.prefixLength = prefixLength
    self.nextHop = nextHop
    self.otherNextHops = otherNextHops
    self.source = source
    self.expires = expires
    self.table = table
    self.metric = metric
  }

  /// Reads an RTM_NEWROUTE; nil for what is none of IPv4 or IPv6.
  init?(_ message: Message) {
    guard let (info, attributes) = message.split(rtmsg.self),
      IPAddress.Family(number: info.rtm_family) != nil
    else { return nil }
    self.init(
      kind: Kind(rawValue: info.rtm_type) ?? .unspecified, prefixLength: info.rtm_dst_len,
      nextHop: NextHop(interface: 0), table: UInt32(info.rtm_table))
    for attribute in attributes {
      switch attribute.type {
      case RTA_OIF: nextHop.interface = attribute.load(Int32.self) ?? 0
      case RTA_GATEWAY, RTA_VIA: nextHop.gateway = attribute.gateway
      case RTA_PREFSRC: source = attribute.value.address
      case RTA_TABLE: table = attribute.load(UInt32.self) ?? table
      case RTA_PRIORITY: metric = attribute.load(UInt32.self)
      case RTA_MULTIPATH: readNextHops(attribute.value)
      case RTA_CACHEINFO:
        if let information = attribute.load(rta_cacheinfo.self), information.rta_expires != 0 {
          expires = .milliseconds(Int64(max(0, information.rta_expires)) * 10)
        }
      default: break
      }
    }
  }

  private mutating func readNextHops(_ bytes: Bytes) {
    var rest = bytes
    var hops: [NextHop] = []
    while let entry = rest.load(rtnexthop.self) {
      let length = Int(entry.rtnh_len)
      guard length >= MemoryLayout<rtnexthop>.size, length <= rest.count else { break }
      var hop = NextHop(interface: entry.rtnh_ifindex)
      let attributes = rest.prefix(length).dropFirst(MemoryLayout<rtnexthop>.size)
      for attribute in Attributes(attributes)
      where RTA_GATEWAY ~= attribute.type || RTA_VIA ~= attribute.type {
        hop.gateway = attribute.gateway
      }
      hops.append(hop)
      rest = rest.dropFirst(aligned(length))
    }
    guard let first = hops.first else { return }
    nextHop = first
    otherNextHops = Array(hops.dropFirst())
  }
}

extension Attribute {
  /// The router's address: bare in RTA_GATEWAY, after its family in RTA_VIA.
  fileprivate var gateway: IPAddress? {
    RTA_VIA ~= type
      ? value.dropFirst(MemoryLayout<UInt16>.size).address : value.address
  }
}

extension RouteAnswer {
  /// EINVAL: a blackhole route or rule drops it without a word.
  public static let blackhole = EINVAL
  /// EACCES: a route or rule prohibits it.
  public static let prohibited = EACCES
  /// EHOSTUNREACH: a route says that the host cannot be reached.
  public static let hostUnreachable = EHOSTUNREACH
  /// ENETUNREACH: there is no route.
  public static let noRoute = ENETUNREACH
}

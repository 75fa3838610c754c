internal import CNetlink
public import Posix

/// Hears that something changed.
///
/// What it hears is only a hint: the kernel sends many messages before the change is finished, and
/// for some changes none, so the truth is what it answers when asked.
public struct ChangeSocket: ~Copyable {
  private let socket: NetlinkSocket

  /// What a number of messages together hint at.
  public struct Hints: Equatable, Sendable {
    /// The interfaces that the messages were about, as they described them.
    public var links: [Link] = []
    /// The interfaces that were said to be gone.
    public var removedLinks: [Int32] = []
    /// Whether addresses, routes, rules or next hops changed.
    public var pathsChanged = false
    /// Whether a watched neighbour is not what it was.
    public var neighboursChanged = false
    /// Whether IPv6 default routers that advertise themselves came or went.
    public var routersChanged = false
    /// Whether messages were lost; anything may have changed.
    public var overrun = false

    /// No change at all.
    public init() {}

    /// Whether nothing changed.
    public var isEmpty: Bool {
      links.isEmpty && removedLinks.isEmpty && !pathsChanged && !neighboursChanged && !overrun
    }
  }

  private static let groups: [rtnetlink_groups] = [
    RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
    RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE, RTNLGRP_NEXTHOP,
  ]

  /// Joins the groups that tell of links, addresses, routes, rules and next hops; no privilege needed.
  public init() throws(SystemError) {
    let socket = try NetlinkSocket()
    socket.reserve(4 << 20)
    for group in ChangeSocket.groups { try socket.join(group) }
    self.socket = socket
  }

  /// Becomes readable when there are hints.
  public var descriptor: FileDescriptor {
    _read { yield socket.descriptor }
  }

  /// Begins or ceases to hear of neighbours, which change every few seconds where there are many.
  public borrowing func hearNeighbours(_ hears: Bool) throws(SystemError) {
    if hears { try socket.join(RTNLGRP_NEIGH) } else { socket.leave(RTNLGRP_NEIGH) }
  }

  /// Reads everything that has arrived, beyond an overrun too: until the queue is empty the kernel
  /// drops what is new without another word.
  ///
  /// - Parameter watched: the neighbours that matter, as they were last known; what is said of
  ///   others, or says nothing new, is no hint.
  /// - Returns: what it all amounts to.
  /// - Throws: what the kernel says where it cannot be read.
  public borrowing func drain(
    watching watched: [Neighbour.Place: Neighbour] = [:]
  ) throws(SystemError) -> Hints {
    var hints = Hints()
    while true {
      switch try socket.receive() {
      case .datagram(let bytes): hints.add(bytes, watching: watched)
      case .overrun: hints.overrun = true
      case .empty: return hints
      }
    }
  }
}

extension ChangeSocket.Hints {
  /// Adds what the messages of one datagram hint at.
  mutating func add(_ datagram: Bytes, watching watched: [Neighbour.Place: Neighbour] = [:]) {
    for message in MessageSequence(datagram) {
      switch message.type {
      case Int(RTM_NEWLINK):
        if let link = Link(message) { links.append(link) }
      case Int(RTM_DELLINK):
        if let link = Link(message) { removedLinks.append(link.index) }
      case Int(RTM_NEWNEIGH), Int(RTM_DELNEIGH):
        guard !watched.isEmpty, let neighbour = Neighbour(message),
          let known = watched[neighbour.place]
        else { continue }
        if neighbour != known { neighboursChanged = true }
      case Int(RTM_NEWROUTE), Int(RTM_DELROUTE):
        pathsChanged = true
        if message.isAdvertisedDefaultRoute { routersChanged = true }
      default:
        pathsChanged = true
      }
    }
  }
}

extension Message {
  /// Whether it is about a default route that a router advertised.
  fileprivate var isAdvertisedDefaultRoute: Bool {
    guard let info = payload.load(rtmsg.self) else { return false }
    return info.rtm_protocol == UInt8(RTPROT_RA) && info.rtm_dst_len == 0
  }
}

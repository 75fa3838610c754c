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
    /// Whether messages were lost; anything may have changed.
    public var overrun = false

    /// No change at all.
    public init() {}

    /// Whether nothing changed.
    public var isEmpty: Bool {
      links.isEmpty && removedLinks.isEmpty && !pathsChanged && !overrun
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

  /// Reads everything that has arrived, beyond an overrun too: until the queue is empty the kernel
  /// drops what is new without another word.
  public borrowing func drain() throws(SystemError) -> Hints {
    var hints = Hints()
    while true {
      switch try socket.receive() {
      case .datagram(let bytes): hints.add(bytes)
      case .overrun: hints.overrun = true
      case .empty: return hints
      }
    }
  }
}

extension ChangeSocket.Hints {
  /// Adds what the messages of one datagram hint at.
  mutating func add(_ datagram: Bytes) {
    for message in MessageSequence(datagram) {
      switch message.type {
      case Int(RTM_NEWLINK):
        if let link = Link(message) { links.append(link) }
      case Int(RTM_DELLINK):
        if let link = Link(message) { removedLinks.append(link.index) }
      default:
        pathsChanged = true
      }
    }
  }
}

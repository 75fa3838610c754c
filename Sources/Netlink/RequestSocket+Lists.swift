internal import CNetlink
public import Posix

extension RequestSocket {
  /// The routers that advertise themselves as IPv6's default routers (RFC 4861), one for each route.
  public static func advertisedRouters() throws(SystemError) -> [Neighbour.Place] {
    var routers: [Neighbour.Place] = []
    try listRoutes(of: .ipv6, origin: UInt8(RTPROT_RA)) { message in
      guard let route = Route(message), route.prefixLength == 0, route.kind == .unicast,
        let gateway = route.nextHop.gateway
      else { return }
      routers.append(Neighbour.Place(gateway, interface: route.nextHop.interface))
    }
    return routers
  }

  /// The routes of the main table that lead to one address each.
  public static func hostRoutes(of family: IPAddress.Family) throws(SystemError) -> [HostRoute] {
    var routes: [HostRoute] = []
    try listRoutes(of: family) { message in
      if let route = HostRoute(message) { routes.append(route) }
    }
    return routes
  }

  /// Reads the main table's unicast routes, those beyond the first thousands excepted.
  ///
  /// The kernel fills a dump while it is read, and says nothing of changes meanwhile. A list that is
  /// let go half-read costs no more, so it gets a socket of its own.
  private static func listRoutes(
    of family: IPAddress.Family, origin: UInt8 = UInt8(RTPROT_UNSPEC),
    _ body: (Message) -> Void
  ) throws(SystemError) {
    let socket = try NetlinkSocket()
    // Without strict checking the kernel lists every table.
    _ = socket.enable(Int32(NETLINK_GET_STRICT_CHK))
    var info = rtmsg()
    info.rtm_family = family.number
    info.rtm_table = UInt8(RT_TABLE_MAIN.rawValue)
    info.rtm_type = UInt8(RTN_UNICAST)
    info.rtm_protocol = origin
    var writer = MessageWriter()
    writer.request(Int(RTM_GETROUTE), flags: NLM_F_DUMP, sequence: 1, info)
    try socket.send(writer)
    var count = 0
    while count < mostListedRoutes, case .datagram(let bytes) = try socket.receive() {
      for message in MessageSequence(bytes) where socket.isReply(message, to: 1) {
        // ENOENT: there is no such table yet.
        if message.errorCode != nil || message.type == Int(NLMSG_DONE) { return }
        count += 1
        body(message)
      }
    }
  }

  /// A router with the whole internet in its table has no host route that is worth the wait.
  private static var mostListedRoutes: Int { 10_000 }
}

internal import CNetlink
public import Posix

/// A route to one address alone.
public struct HostRoute: Hashable, Sendable {
  /// The address.
  public var destination: IPAddress
  /// The way there.
  public var nextHop: Route.NextHop

  /// A route, built by hand.
  public init(to destination: IPAddress, _ nextHop: Route.NextHop) {
    self.destination = destination
    self.nextHop = nextHop
  }

  /// Reads an RTM_NEWROUTE; nil for what is no route that packets to one address take.
  init?(_ message: Message) {
    guard message.type == Int(RTM_NEWROUTE), let route = Route(message), route.kind == .unicast,
      let (_, attributes) = message.split(rtmsg.self),
      let destination = attributes.first(where: { RTA_DST ~= $0.type })?.value.address,
      route.prefixLength == destination.family.bitCount
    else { return nil }
    self.init(to: destination, route.nextHop)
  }
}

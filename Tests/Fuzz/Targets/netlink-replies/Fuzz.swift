internal import Fuzzing

@testable internal import Netlink

/// RTM_NEWNEIGH of linux/rtnetlink.h.
private let newNeighbour = 28

/// What the kernel answers; each message goes to every parser, whatever its type.
@main enum NetlinkReplies: Fuzzer {
  static func check(_ input: Input) {
    for message in MessageSequence(Bytes(input.bytes)) {
      if let link = Link(message) { check(link) }
      if let address = InterfaceAddress(message) {
        expect(address.isUsable || !address.isSource, "an unusable address is no source")
      }
      if let route = Route(message) { check(route) }
      _ = RouteAnswer(message)
      if let neighbour = Neighbour(message) {
        expect(
          neighbour.hardwareAddress == nil || message.type == newNeighbour,
          "what is gone has no hardware address: \(neighbour)")
      }
      _ = HostRoute(message)
    }
  }

  private static func check(_ link: Link) {
    expect((link.lower ?? 1) > 0, "a lower link has an index: \(link)")
    expect((link.activePort ?? 1) > 0, "an active port has an index: \(link)")
    expect(!link.name.utf8.contains(0), "a name ends at its NUL")
  }

  private static func check(_ route: Route) {
    expect((route.expires ?? .zero) >= .zero, "a route's time to live is not negative: \(route)")
  }
}

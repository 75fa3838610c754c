import Posix
import Testing

@testable import Netlink

@Suite struct Routes {
  // family, prefix length, table, kind
  static func info(
    family: UInt8 = 2, prefix: UInt8 = 24, table: UInt8 = 254, kind: UInt8 = 1
  ) -> [UInt8] {
    [family, prefix, 0, 0, table, 3, 0, kind] + raw(UInt32(0x2000))
  }

  // length, flags, hops, interface, then attributes
  static func hop(
    _ interface: Int32, length: UInt16? = nil, flags: UInt8 = 0, _ attributes: [UInt8] = []
  ) -> [UInt8] {
    raw(length ?? UInt16(8 + attributes.count)) + [flags, 0] + raw(interface) + attributes
  }

  static let full = message(
    24, info(),
    attribute(15, raw(UInt32(1000))), attribute(1, [198, 51, 100, 0]),
    attribute(6, raw(UInt32(50))),
    attribute(5, [192, 0, 2, 1]), attribute(4, raw(Int32(11))), attribute(7, [192, 0, 2, 2]),
    attribute(12, cacheInformation(expires: 300)))

  static let multipath = message(
    24, info(prefix: 16),
    attribute(
      9,
      hop(11, attribute(5, [192, 0, 2, 1])) + hop(12, flags: 0x11, attribute(5, [192, 0, 4, 1]))
        + hop(13)))

  private static func cacheInformation(expires: Int32) -> [UInt8] {
    [UInt8](repeating: 0, count: 8) + raw(expires) + [UInt8](repeating: 0, count: 20)
  }

  private func address(_ text: String) -> IPAddress? { IPAddress(text) }

  @Test func `every attribute is read`() {
    #expect(
      read(Routes.full, Route.init)
        == Route(
          kind: .unicast, prefixLength: 24,
          nextHop: .init(interface: 11, gateway: address("192.0.2.1")),
          source: address("192.0.2.2"), expires: .seconds(3), table: 1000, metric: 50))
  }

  @Test func `a route without attributes leads to no interface`() {
    #expect(
      read(message(24, Routes.info(kind: 2)), Route.init)
        == Route(kind: .local, prefixLength: 24, nextHop: .init(interface: 0)))
  }

  @Test(arguments: [(0, nil), (1, Duration.milliseconds(10)), (-5, .zero)] as [(Int32, Duration?)])
  func `a lifetime is in hundredths of a second, 0 is none, the past is over`(
    expires: Int32, expected: Duration?
  ) {
    let route = read(
      message(24, Routes.info(), attribute(12, Routes.cacheInformation(expires: expires))),
      Route.init)
    #expect(route != nil)
    #expect(route?.expires == expected)
  }

  @Test func `a short lifetime record is ignored`() {
    #expect(
      read(message(24, Routes.info(), attribute(12, raw(Int32(5)))), Route.init)?.expires == nil)
  }

  @Test func `next hops come in the kernel's order`() {
    let route = read(Routes.multipath, Route.init)
    #expect(route?.nextHop == .init(interface: 11, gateway: address("192.0.2.1")))
    #expect(
      route?.otherNextHops == [
        .init(interface: 12, gateway: address("192.0.4.1")), .init(interface: 13),
      ])
  }

  // Too short for itself, too long for what is there, not there.
  @Test(arguments: [0, 1, 7, 9, 65535] as [UInt16])
  func `a next hop of an impossible length ends the list`(length: UInt16) {
    let route = read(
      message(24, Routes.info(), attribute(9, Routes.hop(11) + Routes.hop(12, length: length))),
      Route.init)
    #expect(route?.nextHop == .init(interface: 11))
    #expect(route?.otherNextHops == [])
  }

  @Test func `an IPv4 route may have a router of IPv6`() {
    let via: [UInt8] = [10, 0, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    let route = read(
      message(24, Routes.info(), attribute(18, via), attribute(4, raw(Int32(11)))), Route.init)
    #expect(route?.nextHop == .init(interface: 11, gateway: address("fe80::1")))
    let several = read(
      message(24, Routes.info(), attribute(9, Routes.hop(12, attribute(18, via)))), Route.init)
    #expect(several?.nextHop == .init(interface: 12, gateway: address("fe80::1")))
  }

  @Test(arguments: [0, 1, 2, 5, 7] as [Int])
  func `a router of an impossible length is none`(count: Int) {
    let bytes = [UInt8](repeating: 2, count: count)
    for type in [5, 18] as [UInt16] {
      let route = read(message(24, Routes.info(), attribute(type, bytes)), Route.init)
      #expect(route != nil)
      #expect(route?.nextHop.gateway == nil)
    }
  }

  @Test(arguments: [0, 1, 7, 128] as [UInt8])
  func `a route of another family is none`(family: UInt8) {
    #expect(read(message(24, Routes.info(family: family)), Route.init) == nil)
  }

  @Test func `a kind beyond those known is unspecified`() {
    #expect(read(message(24, Routes.info(kind: 200)), Route.init)?.kind == .unspecified)
    #expect(read(message(24, Routes.info(kind: 6)), Route.init)?.kind == .blackhole)
  }

  @Test func `an answer is a route, a refusal, or neither`() {
    #expect(read(message(2, raw(Int32(-101))), RouteAnswer.init) == .refused(101))
    #expect(
      read(message(24, Routes.info()), RouteAnswer.init)
        == .route(Route(prefixLength: 24, nextHop: .init(interface: 0))))
    #expect(read(message(25, Routes.info()), RouteAnswer.init) == nil)
    #expect(read(message(3), RouteAnswer.init) == nil)
  }
}

@Suite struct InterfaceAddresses {
  // family, prefix length, flags, scope, interface
  static func info(
    family: UInt8 = 2, prefix: UInt8 = 24, flags: UInt8 = 0x80, scope: UInt8 = 0,
    interface: Int32 = 11
  ) -> [UInt8] {
    [family, prefix, flags, scope] + raw(interface)
  }

  static let pointToPoint = message(
    20, info(prefix: 32), attribute(1, [10, 0, 0, 2]), attribute(2, [10, 0, 0, 1]),
    attribute(8, raw(UInt32(0x280))))

  @Test func `on a point-to-point link the address is the local one, not the peer's`() {
    #expect(
      read(InterfaceAddresses.pointToPoint, InterfaceAddress.init)
        == InterfaceAddress(
          address: IPAddress(ipv4: 0x0a00_0001), interface: 11, prefixLength: 32, flags: 0x280))
  }

  @Test func `IPv6 tells the address alone`() {
    let bytes: [UInt8] = [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9]
    let address = read(
      message(20, InterfaceAddresses.info(family: 10, prefix: 64, scope: 253), attribute(1, bytes)),
      InterfaceAddress.init)
    #expect(address?.address.description == "fe80::9")
    #expect(address?.prefixLength == 64)
    #expect(address?.scope == 253)
  }

  @Test func `the long flags replace the short ones`() {
    func flags(_ attributes: [UInt8]) -> UInt32? {
      read(
        message(
          20, InterfaceAddresses.info(flags: 0x40), attribute(2, [10, 0, 0, 1]), attributes),
        InterfaceAddress.init)?.flags
    }
    #expect(flags([]) == 0x40)
    #expect(flags(attribute(8, raw(UInt32(0x180)))) == 0x180)
    #expect(flags(attribute(8, raw(UInt32(0)))) == 0)
    #expect(flags(attribute(8, [1])) == 0x40)
  }

  @Test func `an address of another family than the message is none`() {
    #expect(
      read(
        message(20, InterfaceAddresses.info(family: 10), attribute(1, [10, 0, 0, 1])),
        InterfaceAddress.init) == nil)
    #expect(read(message(20, InterfaceAddresses.info()), InterfaceAddress.init) == nil)
    #expect(
      read(message(20, InterfaceAddresses.info(), attribute(2, [1, 2, 3])), InterfaceAddress.init)
        == nil)
  }

  // TENTATIVE 0x40, DADFAILED 0x08, DEPRECATED 0x20, PERMANENT 0x80
  @Test(arguments: [
    ("192.0.2.1", 0 as UInt8, 0x80 as UInt32, true, true), ("192.0.2.1", 253, 0x80, true, true),
    ("192.0.2.1", 254, 0x80, true, false), ("2001:db8::1", 0, 0x80, true, true),
    ("2001:db8::1", 0, 0x20, true, true), ("2001:db8::1", 0, 0xc0, false, false),
    ("2001:db8::1", 0, 0x88, false, false), ("fe80::1", 253, 0x80, true, false),
    ("::1", 254, 0x80, true, false),
  ])
  func
    `an address is usable unless a duplicate is looked for, and a source beyond its link by scope`(
      text: String, scope: UInt8, flags: UInt32, isUsable: Bool, isSource: Bool
    ) throws
  {
    let address = InterfaceAddress(
      address: try #require(IPAddress(text)), interface: 1, prefixLength: 24, scope: scope,
      flags: flags)
    #expect(address.isUsable == isUsable)
    #expect(address.isSource == isSource)
  }
}

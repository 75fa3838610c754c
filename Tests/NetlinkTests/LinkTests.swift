import Testing

@testable import Netlink

@Suite struct Links {
  // family, hardware type, index, flags
  static func info(
    family: UInt8 = 0, type: UInt16 = 1, index: Int32 = 11, flags: UInt32 = 0x1_1043
  ) -> [UInt8] {
    [family, 0] + raw(type) + raw(index) + raw(flags) + raw(UInt32(0))
  }

  static let full = message(
    16, info(),
    attribute(3, Array("eth0\0".utf8)), attribute(16, [6]), attribute(33, [1]),
    attribute(10, raw(Int32(30))), attribute(5, raw(Int32(22))), attribute(37, raw(Int32(0))),
    attribute(0x8000 | 18, attribute(1, Array("veth\0".utf8)) + attribute(2, [])),
    attribute(26, [1, 2, 3]))

  @Test func `every attribute is read`() {
    #expect(
      read(Links.full, Link.init)
        == Link(
          index: 11, name: "eth0", hardwareType: 1, flags: 0x1_1043, operationalState: .up,
          hasCarrier: true, master: 30, lower: 22, lowerIsForeign: true, kind: "veth"))
  }

  @Test func `what is not told is unknown, and a carrier taken for granted`() {
    #expect(
      read(message(16, Links.info(index: 2)), Link.init)
        == Link(
          index: 2, name: "", flags: 0x1_1043, operationalState: .unknown, hasCarrier: true))
  }

  @Test func `a message of a real kernel is read as it is`() {
    // lo, as dumped: header, ifinfomsg, IFNAME, OPERSTATE, CARRIER.
    let bytes: [UInt8] = [
      60, 0, 0, 0, 16, 0, 2, 0, 5, 0, 0, 0, 9, 0, 0, 0,
      0, 0, 4, 3, 1, 0, 0, 0, 0x49, 0, 1, 0, 0, 0, 0, 0,
      7, 0, 3, 0, 0x6c, 0x6f, 0, 0,
      5, 0, 16, 0, 0, 0, 0, 0,
      5, 0, 33, 0, 1, 0, 0, 0,
      4, 0, 42, 0,
    ]
    let link = read(bytes, Link.init)
    #expect(
      link
        == Link(
          index: 1, name: "lo", hardwareType: 772, flags: 0x1_0049, operationalState: .unknown))
    #expect(link?.isLoopback == true)
    #expect(link?.isUsable == true)
  }

  @Test(arguments: [7, 10, 2, 255] as [UInt8])
  func `messages of other families are not about an interface itself`(family: UInt8) {
    #expect(read(message(16, Links.info(family: family)), Link.init) == nil)
  }

  @Test func `a bond names its active port, other kinds have none`() {
    func link(_ kind: String) -> Link? {
      read(
        message(
          16, Links.info(),
          attribute(
            18, attribute(1, Array(kind.utf8) + [0]) + attribute(2, attribute(2, raw(Int32(5)))))),
        Link.init)
    }
    #expect(link("bond")?.activePort == 5)
    #expect(link("vlan")?.activePort == nil)
  }

  @Test func `a carrier of the wrong size and a state out of range are ignored`() {
    let link = read(
      message(16, Links.info(), attribute(33, raw(UInt32(0))), attribute(16, [99])), Link.init)
    #expect(link?.hasCarrier == true)
    #expect(link?.operationalState == .unknown)
  }

  @Test func `lower number 0 is none`() {
    #expect(
      read(message(16, Links.info(), attribute(5, raw(Int32(0)))), Link.init)?.lower == nil)
  }

  // UP 1, RUNNING 0x40, LOWER_UP 0x10000
  @Test(arguments: [
    (0x1_0041 as UInt32, Link.OperationalState.up, true, true),
    (0x1_0041, .unknown, true, true),
    (0x1_0040, .up, true, false),
    (0x1_0001, .up, true, false),
    (0x0041, .up, true, false),
    (0x1_0041, .up, false, false),
    (0x1_0041, .dormant, true, false),
    (0x1_0041, .down, true, false),
    (0x1_0041, .lowerLayerDown, true, false),
    (0x1_0041, .testing, true, false),
    (0x1_0041, .notPresent, true, false),
  ])
  func `a link is usable that is up, running, has a carrier and is not known to be otherwise`(
    flags: UInt32, state: Link.OperationalState, carrier: Bool, isUsable: Bool
  ) {
    let link = Link(
      index: 1, name: "x", flags: flags, operationalState: state, hasCarrier: carrier)
    #expect(link.isUsable == isUsable)
  }
}

@Suite struct Hints {
  private func hints(_ bytes: [UInt8]) -> ChangeSocket.Hints {
    var hints = ChangeSocket.Hints()
    bytes.withUnsafeBytes { hints.add(Bytes($0)) }
    return hints
  }

  @Test func `a changed interface is described, a removed one named`() {
    let hints = hints(message(16, Links.info(index: 3)) + message(17, Links.info(index: 4)))
    #expect(hints.links.map(\.index) == [3])
    #expect(hints.removedLinks == [4])
    #expect(!hints.pathsChanged)
    #expect(!hints.isEmpty)
  }

  @Test func `a port that leaves its bridge is not removed`() {
    #expect(hints(message(17, Links.info(family: 7)) + message(16, Links.info(family: 7))).isEmpty)
  }

  // NEWADDR, DELADDR, NEWROUTE, DELROUTE, NEWRULE, DELRULE, NEWNEXTHOP, DELNEXTHOP
  @Test(arguments: [20, 21, 24, 25, 32, 33, 104, 105] as [UInt16])
  func `addresses, routes, rules and next hops change paths`(type: UInt16) {
    let hints = hints(message(type))
    #expect(hints.pathsChanged)
    #expect(hints.links.isEmpty)
  }

  @Test func `an empty datagram hints at nothing`() {
    #expect(hints([]).isEmpty)
  }
}

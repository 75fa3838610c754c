import CTestSupport
import Glibc
import Posix
import Testing

@testable import Netlink

/// What the kernel says of neighbours, built by linux/neighbour.h.
enum Neighbours {
  static let mac: [UInt8] = [2, 0, 0x5e, 0x10, 0, 1]

  /// ndmsg: family, two paddings, index, state, flags, type.
  static func info(
    family: UInt8 = 2, index: Int32 = 11, state: UInt16 = 2, flags: UInt8 = 0
  ) -> [UInt8] {
    [family, 0, 0, 0] + raw(index) + raw(state) + [flags, 1]
  }

  static let full = message(28, info(), attribute(1, [192, 0, 2, 1]), attribute(2, mac))
}

@Suite struct NeighbourMessages {
  private let place = Neighbour.Place(IPAddress(ipv4: 0xc000_0201), interface: 11)

  private func neighbour(_ bytes: [UInt8]) -> Neighbour? { read(bytes, Neighbour.init) }

  @Test func `a neighbour has a place and a hardware address`() throws {
    #expect(
      neighbour(Neighbours.full)
        == Neighbour(place, hardwareAddress: HardwareAddress("02:00:5e:10:00:01")))
  }

  @Test func `one that did not answer has failed`() {
    #expect(
      neighbour(message(28, Neighbours.info(state: 0x20), attribute(1, [192, 0, 2, 1])))
        == Neighbour(place, hasFailed: true))
  }

  @Test func `one that is forgotten is no longer known`() {
    let gone = [UInt8](Neighbours.full[..<4]) + [29] + Neighbours.full[5...]
    #expect(neighbour(gone) == Neighbour(place))
  }

  @Test(arguments: [
    message(28, Neighbours.info(family: 7), attribute(1, [192, 0, 2, 1])),  // a bridge's table
    message(28, Neighbours.info(flags: 8), attribute(1, [192, 0, 2, 1])),  // a proxy entry
    message(28, Neighbours.info(family: 10), attribute(1, [192, 0, 2, 1])),
    message(28, Neighbours.info(), attribute(1, [192, 0, 2])),
    message(28, Neighbours.info()), message(28, []),
  ])
  func `what is no neighbour of an IP family is passed over`(bytes: [UInt8]) {
    #expect(neighbour(bytes) == nil)
  }

  @Test(arguments: [[], [1, 2, 3, 4], [0, 0, 0, 0, 0, 0], [UInt8](repeating: 1, count: 20)])
  func `a hardware address that is no EUI-48 is none`(bytes: [UInt8]) {
    let found = neighbour(
      message(28, Neighbours.info(), attribute(1, [192, 0, 2, 1]), attribute(2, bytes)))
    #expect(found == Neighbour(place))
  }

  @Test func `only what is new of a watched neighbour is a hint`() {
    func hints(_ known: Neighbour?) -> ChangeSocket.Hints {
      var hints = ChangeSocket.Hints()
      let watched = known.map { [$0.place: $0] } ?? [:]
      Neighbours.full.withUnsafeBytes { hints.add(Bytes($0), watching: watched) }
      return hints
    }
    #expect(hints(nil).isEmpty)
    var other = place
    other.interface = 12
    #expect(hints(Neighbour(other)).isEmpty)
    #expect(
      hints(Neighbour(place, hardwareAddress: HardwareAddress(bytes: Neighbours.mac))).isEmpty)
    #expect(hints(Neighbour(place)).neighboursChanged)
    #expect(!hints(Neighbour(place)).isEmpty)
    #expect(!hints(Neighbour(place)).pathsChanged)
  }

  @Test func `a default route that a router advertised says that routers changed`() {
    func hints(_ origin: UInt8, _ prefix: UInt8) -> ChangeSocket.Hints {
      var hints = ChangeSocket.Hints()
      // rtmsg: family, prefixes, tos, table, protocol, scope, type, flags.
      let bytes = message(24, [10, prefix, 0, 0, 254, origin, 0, 1, 0, 0, 0, 0])
      bytes.withUnsafeBytes { hints.add(Bytes($0)) }
      return hints
    }
    #expect(hints(9, 0).routersChanged && hints(9, 0).pathsChanged)
    #expect(!hints(9, 64).routersChanged && hints(9, 64).pathsChanged)
    #expect(!hints(3, 0).routersChanged)
  }
}

@Suite struct HostRoutes {
  private func route(_ prefix: UInt8, kind: UInt8 = 1, table: UInt8 = 254) -> HostRoute? {
    read(
      message(
        24, [2, prefix, 0, 0, table, 3, 0, kind, 0, 0, 0, 0], attribute(1, [203, 0, 113, 7]),
        attribute(5, [192, 0, 2, 1]), attribute(4, raw(Int32(11)))),
      HostRoute.init)
  }

  @Test func `a route to one address has that and a way`() {
    #expect(
      route(32)
        == HostRoute(
          to: IPAddress(ipv4: 0xcb00_7107),
          .init(interface: 11, gateway: IPAddress(ipv4: 0xc000_0201))))
  }

  @Test func `routes to more, and those that drop, are none`() {
    #expect(route(24) == nil)
    #expect(route(32, kind: 6) == nil)
    #expect(route(32, kind: 2) == nil)
  }
}

/// The real kernel's answers, each test in a process and a network namespace of its own.
@Suite(.serialized, .enabled(if: support_is_privileged() != 0, "needs network namespaces"))
struct Surroundings {
  @Test func `a neighbour is told by its place, one that nobody asked for is not known`() async {
    await #expect(processExitsWith: .success) {
      try makePair()
      ip(
        "neigh add 192.0.2.1 lladdr 02:00:5e:10:00:01 dev eth0 nud reachable",
        "neigh add 192.0.2.9 dev eth0 nud failed",
        "neigh add fe80::1 lladdr 02:00:5e:10:00:02 dev eth0 nud stale")
      let places = try ["192.0.2.1", "192.0.2.2", "192.0.2.9", "fe80::1"].map {
        Neighbour.Place(try #require(IPAddress($0)), interface: 11)
      }
      var requests = try RequestSocket()
      let found = try requests.neighbours(places)
      #expect(
        found.map { $0?.hardwareAddress?.description } == [
          "02:00:5e:10:00:01", nil, nil, "02:00:5e:10:00:02",
        ])
      #expect(found.map { $0 != nil } == [true, false, true, true])
      #expect(found[2]?.hasFailed == true)
      let elsewhere = Neighbour.Place(places[0].address, interface: 22)
      #expect(try requests.neighbours([elsewhere]) == [nil])
      #expect(try requests.neighbours([]) == [])
    }
  }

  @Test func `neighbours are heard from when that is wanted`() async {
    await #expect(processExitsWith: .success) {
      try makePair()
      let place = Neighbour.Place(IPAddress(ipv4: 0xc000_0201), interface: 11)
      let watched = [place: Neighbour(place)]
      let changes = try ChangeSocket()
      ip("neigh add 192.0.2.1 lladdr 02:00:5e:10:00:01 dev eth0 nud reachable")
      #expect(try !changes.drain(watching: watched).neighboursChanged)
      try changes.hearNeighbours(true)
      ip("neigh replace 192.0.2.1 lladdr 02:00:5e:10:00:03 dev eth0 nud reachable")
      #expect(try changes.drain(watching: watched).neighboursChanged)
      ip("neigh add 192.0.2.77 lladdr 02:00:5e:10:00:01 dev eth0 nud reachable")
      #expect(try changes.drain(watching: watched).isEmpty)
      try changes.hearNeighbours(false)
      ip("neigh replace 192.0.2.1 lladdr 02:00:5e:10:00:04 dev eth0 nud reachable")
      #expect(try changes.drain(watching: watched).isEmpty)
    }
  }

  @Test func `the main table's routes to one address are listed, by family`() async {
    await #expect(processExitsWith: .success) {
      try makePair()
      ip(
        "route add 203.0.113.7 via 192.0.2.1", "route add 203.0.113.0/28 via 192.0.2.1",
        "route add 203.0.113.8 dev eth0", "route add 203.0.113.9 via 192.0.2.1 table 77",
        "route add blackhole 203.0.113.10", "-6 route add 2001:db8:7::1 via 2001:db8:1::1")
      #expect(
        try RequestSocket.hostRoutes(of: .ipv4).map { "\($0.destination) \($0.nextHop.interface)" }
          == ["203.0.113.7 11", "203.0.113.8 11"])
      #expect(
        try RequestSocket.hostRoutes(of: .ipv6).map(\.destination.description) == ["2001:db8:7::1"])
    }
  }

  @Test func `a table of a hundred thousand routes is read in part`() async {
    await #expect(processExitsWith: .success) {
      try makePair()
      #expect(
        support_run(
          "(for i in $(seq 0 199); do for j in $(seq 0 249); do "
            + "echo route add 10.$i.$j.1/32 dev eth0; done; done) | ip -batch -") == 0)
      let count = try RequestSocket.hostRoutes(of: .ipv4).count
      #expect((10_000..<11_000).contains(count))
    }
  }

  @Test func `routers that advertise themselves are told, others are not`() async {
    await #expect(processExitsWith: .success) {
      try makePair()
      ip(
        "-6 route add default via 2001:db8:1::1 metric 2000",
        "-6 route add default via fe80::9 dev eth0 proto ra expires 100",
        "-6 route add 2001:db8:9::/48 via fe80::8 dev eth0 proto ra")
      #expect(
        try RequestSocket.advertisedRouters().map { "\($0.address) \($0.interface)" }
          == ["fe80::9 11"])
    }
  }

  @Test func `a mark sends a packet another way`() async {
    await #expect(processExitsWith: .success) {
      try makePair()
      ip(
        "route add default via 192.0.2.1", "route add default dev b0 table 77",
        "rule add not fwmark 51820 table 77", "rule add table main suppress_prefixlength 0")
      let far = IPAddress(ipv4: 0xcb00_7107)
      var requests = try RequestSocket()
      let answers = try requests.routes([RouteQuery(far), RouteQuery(far, mark: 51820)])
      #expect(answers.map(\.interface) == [22, 11])
    }
  }
}

extension RouteAnswer {
  fileprivate var interface: Int32? {
    guard case .route(let route) = self else { return nil }
    return route.nextHop.interface
  }
}

import Netlink
import Posix
import Testing

@testable import Reachability

/// One machine of interfaces and addresses, judged by given route answers.
private struct Machine {
  var interfaces = [
    Interface(1, "lo", type: 772, flags: Link.working | 8, state: .unknown), Interface(11, "eth0"),
  ]
  var addresses = [
    InterfaceAddress(address: "127.0.0.1", interface: 1, prefixLength: 8, scope: 254),
    InterfaceAddress(address: "::1", interface: 1, prefixLength: 128, scope: 254),
    InterfaceAddress(address: "192.0.2.2", interface: 11, prefixLength: 24),
    InterfaceAddress(address: "2001:db8:1::2", interface: 11, prefixLength: 64),
  ]
  var media: [String: Medium] = [:]

  var evaluator: Evaluator {
    Evaluator(MediumClassifier(interfaces, addresses: addresses, overrides: media))
  }

  func queries(_ subject: String, addresses: [IPAddress] = []) throws -> [RouteQuery] {
    evaluator.queries(for: try Target.Subject(parsing: subject), addresses: addresses)
  }

  func judge(
    _ subject: String, _ answers: RouteAnswer..., at addresses: [IPAddress] = [],
    last: Int32 = 0, change: (inout Target) -> Void = { _ in }
  ) throws -> Verdict {
    var target = Target(try Target.Subject(parsing: subject))
    change(&target)
    let queries = evaluator.queries(for: target.subject, addresses: addresses)
    #expect(queries.count == answers.count)
    return evaluator.verdict(
      for: target, queries: queries[...], answers: answers[...],
      lastInterfaces: Path.Interfaces(own: last))
  }
}

extension RouteAnswer {
  /// A route by its kind, interface and router.
  fileprivate static func to(
    _ interface: Int32, via gateway: IPAddress? = nil, _ kind: Route.Kind = .unicast,
    others: [Route.NextHop] = []
  ) -> RouteAnswer {
    .route(
      Route(
        kind: kind, nextHop: .init(interface: interface, gateway: gateway), otherNextHops: others))
  }
}

extension Verdict {
  /// `0x00000002 wired`, or `no-route`.
  fileprivate var short: String {
    if let reason { return reason.rawValue }
    let hex = String(path.flags.rawValue, radix: 16)
    return "0x\(String(repeating: "0", count: 8 - hex.count))\(hex) \(path.medium?.rawValue ?? "-")"
  }
}

@Suite struct Evaluators {
  @Test(
    arguments: [
      ("198.51.100.1", .to(11, via: "192.0.2.1"), "0x00000002 wired"),
      ("192.0.2.1", .to(11), "0x00020002 wired"),
      ("192.0.2.2", .to(11, .local), "0x00030002 loopback"),
      ("127.0.0.1", .to(1, .local), "0x00030002 loopback"),
      ("::1", .to(1, .local), "0x00030002 loopback"),
      ("2001:db8:1::", .to(11, .anycast), "0x00030002 loopback"),
      // The default route's router may be in the answer, but nobody sends these to it.
      ("255.255.255.255", .to(11, via: "192.0.2.1", .broadcast), "0x00020002 wired"),
      ("224.0.0.1", .to(11, via: "192.0.2.1", .multicast), "0x00020002 wired"),
      ("203.0.113.1", .refused(22), "blackhole"),
      ("203.0.113.1", .refused(113), "host-unreachable"),
      ("203.0.113.1", .refused(13), "prohibited"),
      ("203.0.113.1", .refused(101), "no-route"),
      // Not local: they have fallen to the default route, since the loopback is down.
      ("127.0.0.1", .to(11, via: "192.0.2.1"), "link-down"),
      ("::1", .to(11, via: "fe80::1"), "link-down"),
      ("198.51.100.1", .to(99, via: "192.0.2.1"), "interface-missing"),
      ("203.0.113.1", .to(11, via: "fe80::9"), "0x00000002 wired"),
      ("2001:db8:ffff::1", .to(11, via: "fe80::9"), "0x00000002 wired"),
      ("fe80::1", .to(11), "0x00020002 wired"),
      ("169.254.0.0", .to(11, via: "192.0.2.1"), "0x00020002 wired"),
      ("0.0.0.0", .to(11, via: "192.0.2.1"), "0x00000002 wired"),
      ("0.0.0.0", .to(11), "0x00020002 wired"),
      ("::", .to(11, via: "fe80::9"), "0x00000002 wired"),
      ("198.51.100.1", .to(11, .blackhole), "no-route"),
      ("198.51.100.1", .to(11, .throw), "no-route"),
      ("198.51.100.1", .to(11, .unspecified), "no-route"),
    ] as [(String, RouteAnswer, String)])
  func `an answer of the kernel means`(
    subject: String, answer: RouteAnswer, expected: String
  ) throws {
    #expect(try Machine().judge(subject, answer).short == expected)
  }

  @Test func `a path says where it leads`() throws {
    let path = try Machine().judge("198.51.100.1", .to(11, via: "192.0.2.1")).path
    #expect(path.interface == "eth0")
    #expect(path.interfaceIndex == 11)
    #expect(path.gateway == "192.0.2.1")
    #expect(path.address == "198.51.100.1")
    #expect(!path.isVPN)
    #expect(try Machine().judge("192.0.2.1", .to(11)).path.gateway == nil)
    #expect(
      try Machine().judge("224.0.0.1", .to(11, via: "192.0.2.1", .multicast)).path.gateway == nil)
    #expect(
      try Machine().judge("203.0.113.1", .to(11, via: "fe80::9")).path.gateway == "fe80::9")
    #expect(try Machine().judge("0.0.0.0", .to(11, via: "192.0.2.1")).path.address == nil)
    #expect(try Machine().judge("198.51.100.1", .refused(101)).path == Path())
  }

  @Test func `an address of this machine is as reachable as the loopback`() throws {
    var machine = Machine()
    machine.interfaces[1].link.flags = 0
    #expect(try machine.judge("192.0.2.2", .to(11, .local)).short == "0x00030002 loopback")
    machine = Machine()
    machine.interfaces[0].link.flags = 8
    #expect(try machine.judge("192.0.2.2", .to(11, .local)).short == "link-down")
    machine.interfaces.removeFirst()
    #expect(try machine.judge("192.0.2.2", .to(11, .local)).short == "link-down")
  }

  @Test(
    arguments: [
      (Link.working, .up, true, "0x00000002 wired"),
      (Link.working, .unknown, true, "0x00000002 wired"),
      (0, .down, false, "link-down"), (0x1, .down, false, "no-carrier"),
      (0x1, .lowerLayerDown, true, "no-carrier"), (0x1_0001, .dormant, true, "no-carrier"),
      (Link.working, .up, false, "no-carrier"), (Link.working, .down, true, "no-carrier"),
    ] as [(UInt32, Link.OperationalState, Bool, String)])
  func `a route counts when its interface works`(
    flags: UInt32, state: Link.OperationalState, carrier: Bool, expected: String
  ) throws {
    var machine = Machine()
    machine.interfaces[1] = Interface(11, "eth0", flags: flags, state: state, carrier: carrier)
    #expect(try machine.judge("198.51.100.1", .to(11, via: "192.0.2.1")).short == expected)
  }

  @Test func `of several next hops one that works is enough`() throws {
    var machine = Machine()
    machine.interfaces.append(Interface(12, "wlan0", device: "wlan"))
    let answer = RouteAnswer.to(
      11, via: "192.0.2.1",
      others: [.init(interface: 99), .init(interface: 12, gateway: "192.0.4.1")])
    #expect(try machine.judge("10.60.1.1", answer).path.interface == "eth0")
    machine.interfaces[1].link.hasCarrier = false
    let verdict = try machine.judge("10.60.1.1", answer)
    #expect(verdict.short == "0x00000002 wifi")
    #expect(verdict.path.gateway == "192.0.4.1")
    machine.interfaces[2].link.operationalState = .down
    #expect(try machine.judge("10.60.1.1", answer).short == "no-carrier")
  }

  @Test func `a family without a source address reaches nothing beyond the link`() throws {
    var machine = Machine()
    machine.addresses[2].scope = 254
    #expect(try machine.judge("198.51.100.1", .to(11, via: "192.0.2.1")).short == "no-address")
    #expect(
      try machine.judge("2001:db8:ffff::1", .to(11, via: "fe80::9")).short == "0x00000002 wired")
    machine.addresses[2].scope = 253
    #expect(
      try machine.judge("198.51.100.1", .to(11, via: "192.0.2.1")).short == "0x00000002 wired")
    // Tentative, duplicate, link-local.
    for (flags, scope) in [(0x40, 0), (0x08, 0), (0, 253)] as [(UInt32, UInt8)] {
      machine.addresses[3].flags = flags
      machine.addresses[3].scope = scope
      #expect(
        try machine.judge("2001:db8:ffff::1", .to(11, via: "fe80::9")).short == "no-address")
      #expect(try machine.judge("fe80::1%eth0", .to(11)).short == "0x00020002 wired")
    }
  }

  @Test(
    arguments: [
      (Interface(11, "x", device: "wwan"), "192.0.2.1", "0x00040003 wwan", false),
      (Interface(11, "x", device: "wwan"), nil, "0x00060003 wwan", false),
      (
        Interface(11, "x", type: 65534, device: "wwan", flags: Link.working | 0x10), nil,
        "0x00040003 wwan", false
      ),
      (Interface(11, "x", device: "wlan"), "192.0.2.1", "0x00000002 wifi", false),
      (
        Interface(11, "x", "ppp", type: 512, flags: Link.working | 0x10), nil, "0x00000003 other",
        false
      ),
      (
        Interface(11, "x", "wireguard", type: 65534, flags: Link.working | 0x10), nil,
        "0x00000003 other", true
      ),
      (Interface(11, "x", "tun"), "192.0.2.1", "0x00000003 other", true),
      (Interface(11, "x", "tun"), nil, "0x00020003 other", true),
    ] as [(Interface, IPAddress?, String, Bool)])
  func `flags tell of mobile networks, tunnels and peers`(
    interface: Interface, gateway: IPAddress?, expected: String, isVPN: Bool
  ) throws {
    var machine = Machine()
    machine.interfaces[1] = interface
    let verdict = try machine.judge("198.51.100.1", .to(11, via: gateway))
    #expect(verdict.short == expected)
    #expect(verdict.path.isVPN == isVPN)
  }

  @Test func `link-local is direct on wired and WiFi even through a router, not elsewhere`() throws
  {
    var machine = Machine()
    let answer = RouteAnswer.to(11, via: "192.0.2.1")
    machine.interfaces[1] = Interface(11, "x", device: "wlan")
    #expect(try machine.judge("169.254.9.9", answer).short == "0x00020002 wifi")
    machine.interfaces[1] = Interface(11, "x", device: "wwan")
    #expect(try machine.judge("169.254.9.9", answer).short == "0x00040003 wwan")
  }

  // MARK: Questions

  @Test func `0.0.0.0 is asked for as 0.0.0.1, the internet by both families`() throws {
    #expect(try Machine().queries("0.0.0.0") == [RouteQuery("0.0.0.1")])
    #expect(try Machine().queries("::") == [RouteQuery("::")])
    let both: [RouteQuery] = [RouteQuery("0.0.0.1"), RouteQuery("::")]
    for subject in ["internet", "local_wifi", "interface:eth0"] {
      #expect(try Machine().queries(subject) == both)
    }
    #expect(try Machine().queries("::ffff:198.51.100.1") == [RouteQuery("198.51.100.1")])
  }

  @Test func `a zone is an interface to leave through`() throws {
    #expect(try Machine().queries("fe80::1%eth0") == [RouteQuery("fe80::1", interface: 11)])
    #expect(try Machine().judge("fe80::1%eth0", .to(11)).short == "0x00020002 wired")
    #expect(try Machine().judge("fe80::1%eth9", .to(11)).short == "interface-missing")
  }

  @Test func `a host is asked for at each of its addresses`() throws {
    #expect(try Machine().queries("example.org") == [])
    #expect(
      try Machine().queries("example.org", addresses: ["192.0.2.1", "2001:db8::1"])
        == [RouteQuery("192.0.2.1"), RouteQuery("2001:db8::1")])
  }

  // MARK: Subjects

  @Test func `the internet is either family's default route`() throws {
    let machine = Machine()
    #expect(
      try machine.judge("internet", .to(11, via: "192.0.2.1"), .refused(101)).short
        == "0x00000002 wired")
    let six = try machine.judge("internet", .refused(101), .to(11, via: "fe80::9"))
    #expect(six.short == "0x00000002 wired")
    #expect(six.path.gateway == "fe80::9")
    #expect(six.path.address == nil)
    #expect(try machine.judge("internet", .refused(13), .refused(101)).short == "prohibited")
  }

  @Test func `a host is as reachable as the first of its addresses that is`() throws {
    let machine = Machine()
    #expect(
      try machine.judge("example.org", .refused(101), .to(11), at: ["10.0.0.1", "192.0.2.9"])
        .path.address == "192.0.2.9")
    #expect(
      try machine.judge("example.org", .refused(13), .refused(101), at: ["10.0.0.1", "10.0.0.2"])
        .short == "prohibited")
    #expect(try machine.judge("example.org") == .unknown)
  }

  @Test func `a pair needs its local address`() throws {
    var machine = Machine()
    let answer = RouteAnswer.to(11, via: "fe80::9")
    let pair = "2001:db8:1::2,2001:db8:ffff::1"
    #expect(
      try machine.queries(pair) == [RouteQuery("2001:db8:ffff::1", source: "2001:db8:1::2")])
    #expect(try machine.judge(pair, answer).short == "0x00000002 wired")
    machine.addresses[3].flags = 0x40
    #expect(try machine.judge(pair, answer).short == "no-address")
    #expect(
      try machine.judge("2001:db8:dead::1,2001:db8:ffff::1", answer).short == "no-address")
    #expect(try machine.judge("10.9.9.9,198.51.100.1", .refused(101)).short == "no-address")
    #expect(
      try machine.judge("192.0.2.2,192.0.2.2", .to(11, .local)).short == "0x00030002 loopback")
  }

  @Test func `a loopback source counts for loopback alone`() throws {
    let machine = Machine()
    #expect(try machine.queries("127.0.0.1,198.51.100.1") == [RouteQuery("198.51.100.1")])
    #expect(try machine.queries("::1,2001:db8::1") == [RouteQuery("2001:db8::1")])
    #expect(
      try machine.queries("127.0.0.1,127.0.0.2") == [RouteQuery("127.0.0.2", source: "127.0.0.1")])
    #expect(
      try machine.judge("127.0.0.1,198.51.100.1", .to(11, via: "192.0.2.1")).short
        == "0x00000002 wired")
  }

  @Test func `an interface counts that works and has an address beyond its link`() throws {
    var machine = Machine()
    let (none, far) = (RouteAnswer.refused(101), RouteAnswer.to(11, via: "192.0.2.1"))
    let verdict = try machine.judge("interface:eth0", far, none)
    #expect(verdict.short == "0x00020002 wired")
    #expect(verdict.path.source == "192.0.2.2")
    #expect(verdict.path.gateway == "192.0.2.1")
    #expect(try machine.judge("interface:eth0", none, none).path.gateway == nil)
    #expect(try machine.judge("interface:lo", none, none).short == "0x00020002 loopback")
    #expect(try machine.judge("interface:eth9", far, none).short == "interface-missing")
    machine.interfaces[1].link.hasCarrier = false
    #expect(try machine.judge("interface:eth0", far, none).short == "no-carrier")
    machine.interfaces[1].link.flags = 0
    #expect(try machine.judge("interface:eth0", far, none).short == "link-down")
    machine = Machine()
    machine.addresses = [
      InterfaceAddress(address: "169.254.3.4", interface: 11, prefixLength: 16),
      InterfaceAddress(address: "fe80::3", interface: 11, prefixLength: 64, scope: 253),
      InterfaceAddress(address: "192.0.2.2", interface: 1, prefixLength: 24),
    ]
    #expect(try machine.judge("interface:eth0", none, none).short == "no-address")
  }

  @Test func `local WiFi is a WiFi interface that works, the default route's before others`() throws
  {
    var machine = Machine()
    let none = RouteAnswer.refused(101)
    #expect(try machine.judge("local_wifi", none, none).short == "interface-missing")
    machine.interfaces += [
      Interface(12, "wlan0", device: "wlan"), Interface(13, "wlan1", device: "wlan"),
    ]
    #expect(try machine.judge("local_wifi", none, none).short == "no-address")
    machine.addresses += [
      InterfaceAddress(address: "10.0.0.2", interface: 13, prefixLength: 24)
    ]
    #expect(try machine.judge("local_wifi", none, none).path.interface == "wlan1")
    machine.addresses += [
      InterfaceAddress(address: "10.0.1.2", interface: 12, prefixLength: 24)
    ]
    #expect(try machine.judge("local_wifi", none, none).path.interface == "wlan0")
    let verdict = try machine.judge("local_wifi", .to(13, via: "10.0.0.1"), none)
    #expect(verdict.path.interface == "wlan1")
    #expect(verdict.short == "0x00020002 wifi")
    // IPv4's default route before IPv6's.
    #expect(
      try machine.judge("local_wifi", .to(13, via: "10.0.0.1"), .to(12, via: "fe80::1"))
        .path.interface == "wlan1")
    machine.interfaces[2].link.flags = 0
    machine.interfaces[3].link.flags = 0
    #expect(try machine.judge("local_wifi", none, none).short == "link-down")
  }

  // MARK: Policy and reasons

  @Test func `a target may refuse mobile networks, and still tells the path`() throws {
    var machine = Machine()
    machine.media = ["eth0": .wwan]
    let verdict = try machine.judge("198.51.100.1", .to(11, via: "192.0.2.1")) {
      $0.allowsWWAN = false
    }
    #expect(verdict.status == .unreachable)
    #expect(verdict.short == "wwan-not-allowed")
    #expect(verdict.path.flags.rawValue == 0x40003)
    #expect(verdict.via == nil)
  }

  @Test func `a target's own media go before the command's`() throws {
    var machine = Machine()
    machine.media = ["eth0": .wwan]
    let answer = RouteAnswer.to(11, via: "192.0.2.1")
    #expect(
      try machine.judge("198.51.100.1", answer) { $0.media = ["eth0": .wifi] }.short
        == "0x00000002 wifi")
    #expect(
      try machine.judge("198.51.100.1", answer) { $0.media = ["eth1": .wifi] }.short
        == "0x00040003 wwan")
  }

  @Test func `a route that went with its link is missed for the link's sake`() throws {
    var machine = Machine()
    #expect(try machine.judge("198.51.100.1", .refused(101), last: 11).short == "no-route")
    #expect(try machine.judge("198.51.100.1", .refused(101), last: 99).short == "interface-missing")
    machine.interfaces[1].link.hasCarrier = false
    #expect(try machine.judge("198.51.100.1", .refused(101), last: 11).short == "no-carrier")
    machine.interfaces[1].link.flags = 0
    #expect(try machine.judge("198.51.100.1", .refused(101), last: 11).short == "link-down")
    #expect(try machine.judge("198.51.100.1", .refused(22), last: 11).short == "blackhole")
  }
}

@Suite struct FlagValues {
  @Test func `flags have the raw values of SCNetworkReachability`() {
    #expect(
      Flags.named.map { "\($0.name) \($0.flag.rawValue)" } == [
        "transient_connection 1", "reachable 2", "connection_required 4",
        "connection_on_traffic 8", "intervention_required 16", "connection_on_demand 32",
        "is_local_address 65536", "is_direct 131072", "is_wwan 262144",
      ])
  }
}

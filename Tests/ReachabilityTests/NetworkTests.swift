import Netlink
import Posix
import Testing

@testable import Reachability

private let home = HardwareAddress("02:00:5e:10:00:01")
private let cafe = HardwareAddress("02:00:5e:10:00:02")

/// A machine with a cable and WiFi, on the networks that it is told.
private struct Machine {
  var interfaces = [
    Interface(1, "lo", type: 772, flags: Link.working | 8, state: .unknown),
    Interface(11, "eth0"), Interface(12, "wlan0", device: "wlan"),
  ]
  var addresses: [InterfaceAddress] = [
    InterfaceAddress(address: "127.0.0.1", interface: 1, prefixLength: 8, scope: 254),
    InterfaceAddress(address: "192.0.2.2", interface: 11, prefixLength: 24),
    InterfaceAddress(address: "fe80::11", interface: 11, prefixLength: 64, scope: 253),
    InterfaceAddress(address: "192.168.1.7", interface: 12, prefixLength: 24),
    InterfaceAddress(address: "2001:db8:1::7", interface: 12, prefixLength: 64),
  ]
  var ssids: [Int32: String] = [12: "Home"]
  var gateways: [Int32: HardwareAddress] = [:]
  /// The interface of IPv4's default route, and its router.
  var defaultRoute: Int32 = 12

  var evaluator: Evaluator {
    var evaluator = Evaluator(MediumClassifier(interfaces, addresses: addresses))
    evaluator.surroundings.ssids = ssids
    for (index, address) in gateways {
      evaluator.surroundings.gateways[index] = [
        .init(address: "192.168.1.1", hardwareAddress: address)
      ]
    }
    return evaluator
  }

  private var answers: [RouteAnswer] {
    let gateway: IPAddress = "192.168.1.1"
    return [
      .route(Route(nextHop: .init(interface: defaultRoute, gateway: gateway))), .refused(101),
    ]
  }

  func verdict(_ network: Network, last: Path.Interfaces = .init()) -> Verdict {
    verdict(.network(network), last: last)
  }

  func verdict(_ subject: Target.Subject, last: Path.Interfaces = .init()) -> Verdict {
    let evaluator = evaluator
    return evaluator.verdict(
      for: Target(subject), queries: evaluator.queries(for: subject)[...], answers: answers[...],
      lastInterfaces: last)
  }

  func findings(_ network: Network) -> [Finding] {
    let evaluator = evaluator
    let target = Target(.network(network))
    return evaluator.findings(
      for: target, queries: evaluator.queries(for: target.subject)[...], answers: answers[...])
  }
}

private func subnet(_ text: String) throws -> Subnet { try Network.subnet(text) }

@Suite struct Networks {
  @Test func `a link is on a network whose name is one of those given`() {
    let verdict = Machine().verdict(Network(ssids: ["Home 5G", "Home"]))
    #expect(verdict.status == .reachable)
    #expect(verdict.via == .wifi)
    #expect(verdict.path.ssid == "Home")
    #expect(verdict.path.interface == "wlan0")
    #expect(verdict.path.gateway == "192.168.1.1")
    #expect(verdict.path.flags == [.reachable, .isDirect])
    let other = Machine().verdict(Network(ssids: ["home"]))
    #expect(other.status == .unreachable)
    #expect(other.reason == .networkDiffers)
    #expect(other.path == Path())
  }

  @Test func `everything that is given must fit`() throws {
    var machine = Machine()
    machine.gateways = [12: home].compactMapValues(\.self)
    let all = Network(ssids: ["Home"], gatewayMAC: home, subnet: try subnet("192.168.1.0/24"))
    #expect(machine.verdict(all).status == .reachable)
    for change in [
      { $0.ssids = ["Cafe"] }, { $0.gatewayMAC = cafe },
      { $0.subnet = Subnet(around: "192.168.2.0", prefixLength: 24) },
    ] as [(inout Network) -> Void] {
      var network = all
      change(&network)
      #expect(machine.verdict(network).reason == .networkDiffers)
    }
  }

  @Test(arguments: [
    ("192.168.1.0/24", "wlan0"), ("192.168.0.0/16", "wlan0"), ("192.0.2.0/24", "eth0"),
    ("2001:db8:1::/64", "wlan0"), ("2001:db8::/32", "wlan0"), ("192.0.2.2/32", "eth0"),
    ("fe80::/64", "eth0"), ("127.0.0.0/8", nil), ("10.0.0.0/8", nil), ("2001:db8:2::/64", nil),
  ])
  func `a subnet is that of a link with an address in it`(text: String, interface: String?) throws {
    let verdict = Machine().verdict(Network(subnet: try subnet(text)))
    #expect(verdict.path.interface == interface)
    #expect(verdict.reason == (interface == nil ? .networkDiffers : nil))
  }

  @Test func `a router that is not known fits no hardware address`() {
    #expect(Machine().verdict(Network(gatewayMAC: home)).reason == .networkDiffers)
  }

  @Test func `where no link works, the nearest says why`() {
    var machine = Machine()
    machine.ssids = [:]
    machine.interfaces[1] = Interface(11, "eth0", flags: 0)
    machine.interfaces[2] = Interface(12, "wlan0", device: "wlan", flags: 1)
    #expect(machine.verdict(Network(ssids: ["Home"])).reason == .noCarrier)
    #expect(machine.verdict(Network(gatewayMAC: home)).reason == .noCarrier)
    machine.interfaces[2].link.flags = Link.working
    machine.addresses.removeAll { $0.interface == 12 }
    #expect(machine.verdict(Network(ssids: ["Home"])).reason == .noAddress)
    machine.interfaces.remove(at: 2)
    #expect(machine.verdict(Network(ssids: ["Home"])).reason == .interfaceMissing)
    #expect(machine.verdict(Network(gatewayMAC: home)).reason == .linkDown)
  }

  @Test func `a network that went with its link says so, though another link works`() {
    var machine = Machine()
    machine.ssids = [:]
    machine.interfaces[2] = Interface(12, "wlan0", device: "wlan", flags: 1)
    #expect(machine.verdict(Network(ssids: ["Home"]), last: .init(own: 12)).reason == .noCarrier)
    #expect(machine.verdict(Network(ssids: ["Home"])).reason == .networkDiffers)
  }

  @Test func `of several links that fit it is the default route's`() throws {
    var machine = Machine()
    machine.addresses.append(
      InterfaceAddress(address: "192.168.1.8", interface: 11, prefixLength: 24))
    let network = Network(subnet: try subnet("192.168.1.0/24"))
    #expect(machine.verdict(network).path.interface == "wlan0")
    machine.defaultRoute = 11
    #expect(machine.verdict(network).path.interface == "eth0")
    #expect(machine.verdict(network).path.ssid == nil)
  }

  @Test func `each link that could be it says what differs`() throws {
    var machine = Machine()
    machine.gateways = [12: cafe].compactMapValues(\.self)
    machine.interfaces.append(Interface(13, "wlan1", device: "wlan", flags: 1))
    let findings = machine.findings(
      Network(ssids: ["Cafe"], gatewayMAC: home, subnet: try subnet("192.0.2.0/24")))
    #expect(findings.map { $0.link?.name } == ["eth0", "wlan0", "wlan1"])
    #expect(findings.map(\.reason) == [.networkDiffers, .networkDiffers, .noCarrier])
    #expect(findings[0].differences == [.ssid(nil), .gatewayMAC([])])
    #expect(
      findings[1].differences == [
        .ssid("Home"), .gatewayMAC([cafe].compactMap(\.self)),
        .subnet(["192.168.1.7", "2001:db8:1::7"]),
      ])
    #expect(machine.findings(Network(ssids: ["Home"])).map { $0.link?.name } == ["wlan0"])
  }

  @Test func `a path over WiFi tells the network, one over a cable none`() {
    var machine = Machine()
    #expect(machine.verdict(.internet).path.ssid == "Home")
    #expect(machine.verdict(.localWiFi).path.ssid == "Home")
    #expect(machine.verdict(.interface("wlan0")).path.ssid == "Home")
    machine.defaultRoute = 11
    #expect(machine.verdict(.internet).path.ssid == nil)
    #expect(machine.verdict(.interface("eth0")).path.ssid == nil)
  }

  @Test func `what stands on WiFi is on its network`() {
    var machine = Machine()
    func ssid(_ interface: Interface, _ index: Int32 = 20) -> String? {
      var machine = machine
      machine.interfaces.append(interface)
      machine.addresses.append(
        InterfaceAddress(address: "10.0.0.2", interface: index, prefixLength: 24))
      return machine.verdict(.interface(interface.link.name)).path.ssid
    }
    #expect(ssid(Interface(20, "mv0", "macvlan", lower: 12)) == "Home")
    #expect(ssid(Interface(20, "mv0", "macvlan", lower: 12, foreign: true)) == nil)
    #expect(ssid(Interface(20, "veth0", "veth", lower: 12)) == nil)
    #expect(ssid(Interface(20, "vlan5", "vlan", lower: 11)) == nil)
    machine.interfaces[1].link.master = 20
    machine.interfaces[2].link.master = 20
    #expect(ssid(Interface(20, "bond0", "bond", active: 12)) == "Home")
    #expect(ssid(Interface(20, "bond0", "bond", active: 11)) == nil)
    // Until the bond has chosen another port than the one that failed.
    machine.interfaces[1].link.hasCarrier = false
    #expect(ssid(Interface(20, "bond0", "bond", active: 11)) == "Home")
  }

  @Test func `another network is a change, and a target of the first one is lost`() {
    // Home, then suspended, then in a cafe: WiFi works in both.
    var machine = Machine()
    var internet = StatusMachine()
    var network = StatusMachine()
    _ = internet.judge(machine.verdict(.internet), settled: true)
    _ = network.judge(machine.verdict(Network(ssids: ["Home"])), settled: true)
    machine.ssids = [12: "Cafe"]
    let roamed = machine.verdict(.internet)
    #expect(!internet.wouldPublish(roamed, settled: false))
    let before = internet.judge(roamed, settled: true)
    #expect(before?.path.ssid == "Home")
    #expect(before.map { roamed.changes(from: $0) } == .ssid)
    #expect(internet.judge(roamed, settled: true) == nil)
    let lost = machine.verdict(Network(ssids: ["Home"]), last: network.lastInterfaces)
    #expect(lost.reason == .networkDiffers)
    #expect(network.judge(lost, settled: true)?.status == .reachable)
  }
}

@Suite struct WirelessNetworkTables {
  private let family = GenericFamily(id: 30)

  private func state(_ up: Bool = true, radios: Int32...) -> NetworkState {
    NetworkState(
      links: [Link(index: 2, name: "eth0")]
        + radios.map { Link(index: $0, name: "wlan\($0)", flags: up ? Link.working : 1) },
      addresses: [])
  }

  /// The names after a change, and how often the kernel was asked.
  private func ask(
    _ networks: inout WirelessNetworks, _ state: NetworkState, changed: Set<Int32>?,
    _ interfaces: [WirelessInterface]? = []
  ) -> (ssids: [Int32: String], count: Int) {
    var count = 0
    networks.note(changed: changed, in: state) { $0.name.hasPrefix("wlan") }
    let ssids = networks.ssids(in: state) {
      count += 1
      return interfaces.map { (family, $0) }
    }
    return (ssids, count)
  }

  private func station(_ index: Int32, _ name: String) -> WirelessInterface {
    WirelessInterface(index: index, mode: .station, ssid: Array(name.utf8))
  }

  @Test func `without WiFi nothing is asked`() {
    var networks = WirelessNetworks()
    for changed in [[], [2], nil] as [Set<Int32>?] {
      #expect(ask(&networks, state(), changed: changed).count == 0)
    }
    #expect(networks.family == nil)
  }

  @Test func `the kernel is asked once, and again when a WiFi interface changed`() {
    var networks = WirelessNetworks()
    let on = state(radios: 3)
    let home = [station(3, "Home")]
    #expect(ask(&networks, on, changed: [], home) == ([3: "Home"], 1))
    #expect(networks.family == family)
    #expect(ask(&networks, on, changed: [], home) == ([3: "Home"], 0))
    #expect(ask(&networks, on, changed: [2], home) == ([3: "Home"], 0))
    #expect(ask(&networks, on, changed: [3], [station(3, "Cafe")]) == ([3: "Cafe"], 1))
    networks.expire()
    #expect(ask(&networks, on, changed: [], home) == ([3: "Home"], 1))
    #expect(ask(&networks, on, changed: nil, home) == ([3: "Home"], 1))
  }

  @Test func `one that does not work is on no network, and is asked about when it works again`() {
    var networks = WirelessNetworks()
    #expect(
      ask(&networks, state(radios: 3), changed: [], [station(3, "Home")]).ssids == [3: "Home"])
    #expect(ask(&networks, state(false, radios: 3), changed: [3]) == ([:], 0))
    #expect(ask(&networks, state(false, radios: 3), changed: []) == ([:], 0))
    #expect(
      ask(&networks, state(radios: 3), changed: [3], [station(3, "Home")]) == ([3: "Home"], 1))
    #expect(ask(&networks, state(), changed: [3]) == ([:], 0))
  }

  @Test func `an access point and a name that is no text tell nothing`() {
    var networks = WirelessNetworks()
    let interfaces = [
      WirelessInterface(index: 3, mode: .accessPoint, ssid: Array("Mine".utf8)),
      WirelessInterface(index: 4, mode: .station, ssid: [0xff, 0x41]), station(5, "Home"),
      station(9, "Elsewhere"),
    ]
    #expect(ask(&networks, state(radios: 3, 4, 5), changed: [], interfaces) == ([5: "Home"], 1))
  }

  @Test func `a kernel without nl80211 tells nothing`() {
    var networks = WirelessNetworks()
    #expect(ask(&networks, state(radios: 3), changed: [], nil) == ([:], 1))
    #expect(ask(&networks, state(radios: 3), changed: [], nil) == ([:], 0))
    #expect(networks.family == nil)
  }
}

@Suite struct GatewayTables {
  private let place = Neighbour.Place("192.168.1.1", interface: 12)

  @Test func `what was known of a router stands until it is known better or its link fails`() {
    var gateways = KnownGateways()
    gateways.note(nil)
    #expect(gateways[place] == nil)
    gateways.note(Neighbour(place, hardwareAddress: home))
    gateways.note(Neighbour(place, hasFailed: true))
    gateways.note(nil)
    #expect(gateways[place] == home)
    gateways.forget(interface: 11)
    #expect(gateways[place] == home)
    gateways.note(Neighbour(place, hardwareAddress: cafe))
    #expect(gateways[place] == cafe)
    gateways.forget(interface: 12)
    #expect(gateways[place] == nil)
  }
}

@Suite struct NetworkTexts {
  @Test(arguments: [
    "Home", "Café del Mar", "\u{301}combined", "Home 5G", " ", "家", "🏠", "👨‍👩‍👧", "a:b,c|d",
    "//1::/9", "a://b", String(repeating: "x", count: 32),
  ])
  func `printable UTF-8 is a name`(text: String) throws {
    #expect(String(ssid: Array(text.utf8)) == text)
    #expect(try Network.ssid(text) == text)
    #expect(try Target.Subject(parsing: "network:\(text)") == .network(Network(ssids: [text])))
    #expect(try Target.Subject(parsing: "network:\(text)").description == "network:\(text)")
    #expect(try Target(parsing: "network:\(text)").probe == nil)
  }

  @Test(
    arguments: [
      [], [0], [0, 0, 0, 0], Array("Home\0".utf8), Array("a\u{1b}[2J".utf8), Array("a\nb".utf8),
      [0x7f], [0xc2, 0x9b], [0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80],
      Array("\u{202e}emoH".utf8), Array("\u{2028}".utf8), Array("\u{feff}".utf8),
      Array("\u{e000}".utf8), [UInt8](repeating: 0x41, count: 33),
    ] as [[UInt8]])
  func `anything else is none`(bytes: [UInt8]) {
    #expect(String(ssid: bytes) == nil)
  }

  @Test(arguments: ["network:", "network:\u{7}", "network:\(String(repeating: "ä", count: 17))"])
  func `a network by a name that none can have is refused`(text: String) {
    #expect(throws: TargetError.self) { try Target(parsing: text) }
  }

  @Test func `a name may look like a port`() throws {
    let target = try Target(parsing: "network:80")
    #expect(target.subject == .network(Network(ssids: ["80"])))
    #expect(target.name == "network:80")
    #expect(try Target(parsing: "network.:80").subject == .host("network"))
  }

  @Test(arguments: [
    ("192.168.1.5/24", "192.168.1.5/24 has bits beyond its prefix; did you mean 192.168.1.0/24?"),
    ("2001:db8::1/64", "2001:db8::1/64 has bits beyond its prefix; did you mean 2001:db8::/64?"),
    ("192.168.1.0", "\"192.168.1.0\" is no subnet, as in 192.168.1.0/24"),
    ("192.168.1.0/33", "\"192.168.1.0/33\" is no subnet, as in 192.168.1.0/24"),
    ("192.168.1.0/", "\"192.168.1.0/\" is no subnet, as in 192.168.1.0/24"),
    ("192.168.1.0/+8", "\"192.168.1.0/+8\" is no subnet, as in 192.168.1.0/24"),
    ("192.168.1.0/256", "\"192.168.1.0/256\" is no subnet, as in 192.168.1.0/24"),
    (
      "192.168.1.0/255.255.255.0",
      "\"192.168.1.0/255.255.255.0\" is no subnet, as in 192.168.1.0/24"
    ),
    ("home/24", "\"home/24\" is no subnet, as in 192.168.1.0/24"),
    ("::ffff:192.168.1.0/120", "\"::ffff:192.168.1.0/120\" is no subnet, as in 192.168.1.0/24"),
    ("", "\"\" is no subnet, as in 192.168.1.0/24"),
  ])
  func `what is no subnet is refused with its reason`(text: String, message: String) {
    #expect(throws: TargetError(message)) { try Network.subnet(text) }
  }

  @Test func `a network is called by all that tells it`() throws {
    let network = Network(
      ssids: ["Home", "Home 5G"], gatewayMAC: home, subnet: try Network.subnet("192.168.1.0/24"))
    #expect(
      Target(.network(network)).name
        == "network:Home or Home 5G in 192.168.1.0/24 behind 02:00:5e:10:00:01")
    #expect(Target(.network(Network(gatewayMAC: home))).name == "network:behind 02:00:5e:10:00:01")
  }
}

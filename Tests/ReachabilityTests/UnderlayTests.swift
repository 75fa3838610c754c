import Netlink
import Posix
import Testing

@testable import Reachability

/// A machine with a tunnel as its default route, whose other interfaces are judged by given answers.
private struct Tunnelled {
  var interfaces = [
    Interface(1, "lo", type: 772, flags: Link.working | 8, state: .unknown),
    Interface(11, "wlan0"), Interface(12, "wwan0"),
    Interface(20, "wg0", "wireguard", type: 65534, flags: Link.working | 0x10, state: .unknown),
  ]
  var addresses = [
    InterfaceAddress(address: "192.0.2.2", interface: 11, prefixLength: 24),
    InterfaceAddress(address: "198.51.100.2", interface: 12, prefixLength: 24),
    InterfaceAddress(address: "10.8.0.2", interface: 20, prefixLength: 32),
  ]

  // `peers` are answers about other ends that are known, by the tunnel's index; `hosts` are those
  // about hosts that may be other ends.
  func verdict(
    beneath answers: [RouteAnswer], peers: [Int32: [RouteAnswer]] = [:], hosts: [RouteAnswer] = [],
    last: Path.Interfaces = .init()
  ) -> Verdict {
    let media: [String: Medium] = ["wlan0": .wifi, "wwan0": .wwan]
    var evaluator = Evaluator(
      MediumClassifier(interfaces, addresses: addresses, overrides: media))
    if !evaluator.tunnels.isEmpty { evaluator.findUnderlay(answers) }
    for tunnel in evaluator.tunnels {
      if let answers = peers[tunnel.index] { evaluator.findUnderlay(of: tunnel, answers) }
    }
    if !hosts.isEmpty { evaluator.findUnderlay(ofHosts: hosts) }
    let throughTunnel = RouteAnswer.route(Route(nextHop: .init(interface: 20)))
    return evaluator.verdict(
      for: Target(.internet), queries: evaluator.queries(for: .internet)[...],
      answers: [throughTunnel, .refused(101)], lastInterfaces: last)
  }
}

private func way(_ interface: Int32, metric: UInt32? = nil) -> RouteAnswer {
  .route(
    Route(
      nextHop: .init(interface: interface, gateway: IPAddress("192.0.2.1")), metric: metric))
}

@Suite struct Underlays {
  @Test func `each other interface that works and has an address is asked for both families`() {
    let machine = Tunnelled()
    let evaluator = Evaluator(
      MediumClassifier(machine.interfaces, addresses: machine.addresses, overrides: [:]))
    #expect(evaluator.tunnels.map(\.name) == ["wg0"])
    #expect(evaluator.underlayQueries.map(\.interface) == [11, 11, 12, 12])
    #expect(
      evaluator.underlayQueries.map(\.destination.description) == [
        "0.0.0.1", "::", "0.0.0.1", "::",
      ])
  }

  @Test func `a tunnel is reached by the medium that carries it`() {
    let verdict = Tunnelled().verdict(beneath: [way(11), .refused(101), .refused(101)])
    #expect(verdict.status == .reachable)
    #expect(verdict.via == .wifi)
    #expect(verdict.path.isVPN)
    #expect(verdict.path.interface == "wlan0")
    #expect(verdict.path.interfaceIndex == 20)
    #expect(verdict.path.underlayIndex == 11)
    #expect(verdict.path.gateway == IPAddress("192.0.2.1"))
    #expect(verdict.path.flags == [.reachable, .transientConnection])
  }

  @Test func `the lowest metric wins, and mobile data is told`() {
    let verdict = Tunnelled().verdict(beneath: [way(11, metric: 600), way(12, metric: 50)])
    #expect(verdict.via == .wwan)
    #expect(verdict.path.flags.rawValue == 0x40003)
  }

  @Test func `a tunnel that nothing carries leads nowhere`() {
    let verdict = Tunnelled().verdict(beneath: [.refused(113), .refused(101)])
    #expect(verdict.status == .unreachable)
    #expect(verdict.reason == .noRoute)
    #expect(verdict.path == Path())
  }

  @Test func `what carried it and failed is the reason`() {
    var machine = Tunnelled()
    machine.interfaces[1] = Interface(11, "wlan0", flags: 1)
    let verdict = machine.verdict(beneath: [.refused(113)], last: .init(own: 20, underlay: 11))
    #expect(verdict.reason == .noCarrier)
  }

  @Test func `among nothing but tunnels one is reached by a medium that nobody knows`() {
    var machine = Tunnelled()
    machine.interfaces.removeAll { $0.link.index == 11 || $0.link.index == 12 }
    let verdict = machine.verdict(beneath: [])
    #expect(verdict.status == .reachable)
    #expect(verdict.via == .other)
    #expect(verdict.path.isVPN)
  }

  // MARK: The other end

  @Test func `the way to the other end decides, whatever the default routes are`() {
    let verdict = Tunnelled().verdict(
      beneath: [way(11, metric: 50)], peers: [20: [.refused(101), way(20), way(12)]])
    #expect(verdict.path.interface == "wwan0")
    #expect(verdict.path.flags.rawValue == 0x40003)
  }

  @Test func `another end without a way is no-route, though there is a default route`() {
    let verdict = Tunnelled().verdict(beneath: [way(11)], peers: [20: [.refused(101)]])
    #expect(verdict.reason == .noRoute)
    #expect(Tunnelled().verdict(beneath: [way(11)], peers: [20: [way(20)]]).reason == .noRoute)
  }

  @Test func `a tunnel through a tunnel is carried by what carries that`() {
    var machine = Tunnelled()
    machine.interfaces.append(
      Interface(21, "tun0", "tun", type: 65534, flags: Link.working | 0x10, state: .unknown))
    #expect(machine.verdict(beneath: [way(11)], peers: [20: [way(21)]]).path.interface == "wlan0")
    let known = machine.verdict(beneath: [way(11)], peers: [20: [way(21)], 21: [way(12)]])
    #expect(known.path.interface == "wwan0")
    // Each through the other.
    let round = machine.verdict(beneath: [way(11)], peers: [20: [way(21)], 21: [way(20)]])
    #expect(round.reason == .noRoute)
  }

  @Test func `among nothing but tunnels the other end is reached from outside`() {
    var machine = Tunnelled()
    machine.interfaces.removeAll { $0.link.index == 11 || $0.link.index == 12 }
    #expect(machine.verdict(beneath: [], peers: [20: [.refused(101)]]).via == .other)
  }

  @Test func `where no way leads out, that to a host which may be the other end counts`() {
    let verdict = Tunnelled().verdict(
      beneath: [.refused(113), .refused(101)], hosts: [way(20), .refused(101), way(11)])
    #expect(verdict.status == .reachable)
    #expect(verdict.path.interface == "wlan0")
    #expect(verdict.path.gateway == IPAddress("192.0.2.1"))
    #expect(Tunnelled().verdict(beneath: [.refused(113)], hosts: [way(20)]).reason == .noRoute)
  }

  @Test func `routes to hosts lead to another end where they leave over a router or hardware`() {
    var machine = Tunnelled()
    machine.interfaces.append(Interface(30, "cali1", "veth"))
    machine.interfaces.append(Interface(31, "usb9", flags: 1))
    machine.interfaces.append(
      Interface(32, "ppp0", "ppp", type: 512, flags: Link.working | 0x10, state: .unknown))
    let evaluator = Evaluator(
      MediumClassifier(machine.interfaces, addresses: machine.addresses, overrides: [:]))
    func route(_ last: UInt32, _ interface: Int32, _ gateway: String? = nil) -> HostRoute {
      HostRoute(
        to: IPAddress(ipv4: 0xcb00_7100 + last),
        .init(interface: interface, gateway: gateway.flatMap { IPAddress($0) }))
    }
    let peers = evaluator.peers(in: [
      route(1, 11, "192.0.2.1"), route(2, 11), route(3, 20), route(4, 1), route(5, 30),
      route(6, 30, "192.0.2.9"), route(7, 31, "192.0.2.1"), route(8, 32), route(9, 99, "192.0.2.1"),
    ])
    #expect(
      peers.map(\.address.description) == [
        "203.0.113.1", "203.0.113.2", "203.0.113.6", "203.0.113.8",
      ])
    let many = (0..<200).map { route($0, 11, "192.0.2.1") }
    #expect(evaluator.peers(in: many).count == 64)
  }

  @Test func `a path beneath a tunnel tells the network that carries it`() {
    let machine = Tunnelled()
    var evaluator = Evaluator(
      MediumClassifier(
        machine.interfaces, addresses: machine.addresses, overrides: ["wlan0": .wifi]))
    evaluator.surroundings.ssids = [11: "Home"]
    evaluator.findUnderlay([way(11)])
    for subject in [Target.Subject.internet, .interface("wg0")] {
      let verdict = evaluator.verdict(
        for: Target(subject), queries: evaluator.queries(for: subject)[...],
        answers: [.route(Route(nextHop: .init(interface: 20))), .refused(101)])
      #expect(verdict.path.ssid == "Home")
      #expect(verdict.path.interface == "wlan0")
      #expect(verdict.path.isVPN)
    }
  }
}

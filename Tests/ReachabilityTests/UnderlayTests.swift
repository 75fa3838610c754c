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

  func verdict(beneath answers: [RouteAnswer], last: [Int32] = []) -> Verdict {
    let media: [String: Medium] = ["wlan0": .wifi, "wwan0": .wwan]
    var evaluator = Evaluator(
      MediumClassifier(interfaces, addresses: addresses, overrides: media))
    if evaluator.hasTunnel { evaluator.findUnderlay(answers) }
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
    #expect(evaluator.hasTunnel)
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
    let verdict = machine.verdict(beneath: [.refused(113)], last: [20, 11])
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
}

import CTestSupport
import Glibc
@testable import Posix
import TestSupport
import Testing

@testable import Netlink

/// Runs commands of ip(8) where the calling thread is.
func ip(_ commands: String...) {
  for command in commands { #expect(support_run("ip \(command)") == 0, "ip \(command)") }
}

/// A veth pair whose ends, eth0 (11) and b0 (22), are up and have addresses.
func makePair() throws {
  #expect(support_enter_namespace() == 0)
  #expect(support_run("sysctl -qw net.ipv6.conf.default.accept_dad=0") == 0)
  ip(
    "link add eth0 index 11 type veth peer name b0 index 22", "link set eth0 up", "link set b0 up",
    "addr add 192.0.2.2/24 dev eth0", "addr add 2001:db8:1::2/64 dev eth0 nodad")
}

/// The real kernel's answers, each test in a process and a network namespace of its own.
@Suite(.serialized, .enabled(if: support_is_privileged() != 0, "needs network namespaces"))
struct RequestSockets {
  @Test func `interfaces come by index with their kinds and what they rest on`() async {
    await #expect(processExitsWith: .success) {
      try makePair()
      ip(
        "link add br0 index 30 type bridge", "link set eth0 master br0",
        "link add mv0 index 5 link b0 type macvlan")
      var requests = try RequestSocket()
      try requests.synchronize([11])
      let links = try requests.links()
      #expect(links.map(\.index) == [1, 5, 11, 22, 30])
      #expect(links.map(\.name) == ["lo", "mv0", "eth0", "b0", "br0"])
      #expect(links.map(\.kind) == ["", "macvlan", "veth", "veth", "bridge"])
      #expect(links.map(\.master) == [nil, nil, 30, nil, nil])
      #expect(links.map(\.lower) == [nil, 22, 22, 11, nil])
      #expect(links.map(\.isUp) == [true, false, true, true, false])
      #expect(links.map(\.isLoopback) == [true, false, false, false, false])
      #expect(links[2].isUsable)
    }
  }

  @Test func `a peer in another namespace is foreign`() async {
    await #expect(processExitsWith: .success) {
      #expect(support_enter_namespace() == 0)
      #expect(
        support_run(
          """
          unshare -n sleep 1 & P=$!; sleep 0.2
          ip link add eth0 index 11 type veth peer name b0 index 22 netns $P
          """) == 0)
      var requests = try RequestSocket()
      let link = try requests.links().last
      #expect(link?.name == "eth0")
      #expect(link?.lowerIsForeign == true)
    }
  }

  @Test func `a carrier that goes is seen at once or within the second that the kernel takes`()
    async
  {
    await #expect(processExitsWith: .success) {
      try makePair()
      var requests = try RequestSocket()
      usleep(1_300_000)
      #expect(try requests.links().first { $0.index == 11 }?.isUsable == true)
      ip("link set b0 down")
      try requests.synchronize([11])
      #expect(try requests.links().first { $0.index == 11 }?.isUsable == false)
      usleep(1_300_000)
      #expect(try requests.links().first { $0.index == 11 }?.operationalState == .lowerLayerDown)
    }
  }

  @Test func `asking for interfaces that are not there does no harm`() async {
    await #expect(processExitsWith: .success) {
      try makePair()
      var requests = try RequestSocket()
      try requests.synchronize(Array(1...1000))
      try requests.synchronize([-1, 0, .max])
      #expect(try requests.links().count == 3)
    }
  }

  @Test func `addresses tell their interface, prefix, scope and flags`() async {
    await #expect(processExitsWith: .success) {
      try makePair()
      ip("addr add 10.0.0.1 peer 10.0.0.2/32 dev eth0", "addr add 10.9.0.1/16 dev b0 scope link")
      #expect(support_run("sysctl -qw net.ipv6.conf.b0.accept_dad=1") == 0)
      ip("addr add 2001:db8:2::1/64 dev b0")
      var requests = try RequestSocket()
      let addresses = try requests.addresses()
      func text(_ interface: Int32) -> [String] {
        addresses.filter { $0.interface == interface && !$0.address.isLinkLocal }
          .map { "\($0.address)/\($0.prefixLength) \($0.scope) \($0.isUsable) \($0.isSource)" }
          .sorted()
      }
      #expect(text(1) == ["127.0.0.1/8 254 true false", "::1/128 254 true false"])
      #expect(
        text(11) == [
          "10.0.0.1/32 0 true true", "192.0.2.2/24 0 true true", "2001:db8:1::2/64 0 true true",
        ])
      #expect(text(22) == ["10.9.0.1/16 253 true true", "2001:db8:2::1/64 0 false false"])
    }
  }

  @Test func `routes say what becomes of a packet`() async {
    await #expect(processExitsWith: .success) {
      try makePair()
      ip(
        "route add default via 192.0.2.1 metric 7", "-6 route add default via 2001:db8:1::1",
        "route add blackhole 203.0.113.1", "route add unreachable 203.0.113.2",
        "route add prohibit 203.0.113.3", "route add throw 203.0.113.4",
        "route add 203.0.113.5 via inet6 fe80::9 dev eth0",
        "-6 route add 2001:db8:9::/48 via 2001:db8:1::1 expires 100",
        "route add 10.60.0.0/16 nexthop via 192.0.2.7 nexthop dev b0")
      var requests = try RequestSocket()
      func ask(_ text: String, _ form: RouteQuery.Form = .entry) throws -> RouteAnswer {
        try requests.routes([RouteQuery(try #require(IPAddress(text)), form: form)])[0]
      }
      func route(_ text: String, _ form: RouteQuery.Form = .entry) throws -> Route {
        guard case .route(let route) = try ask(text, form) else {
          throw SystemError("find a route to \(text)", code: 0)
        }
        return route
      }
      let far = try route("198.51.100.1")
      #expect(far.kind == .unicast)
      #expect(far.nextHop == .init(interface: 11, gateway: IPAddress("192.0.2.1")))
      #expect(far.prefixLength == 0)
      #expect(far.metric == 7)
      #expect(far.table == 254)
      #expect(try route("198.51.100.1", .packet).source == IPAddress("192.0.2.2"))
      #expect(try route("192.0.2.1").nextHop == .init(interface: 11))
      #expect(try route("192.0.2.1").prefixLength == 24)
      #expect(try route("192.0.2.2").kind == .local)
      #expect(try route("127.0.0.1").kind == .local)
      #expect(try route("192.0.2.255").kind == .broadcast)
      #expect(try route("224.0.0.1").kind == .multicast)
      #expect(try ask("203.0.113.1") == .refused(RouteAnswer.blackhole))
      #expect(try ask("203.0.113.2") == .refused(RouteAnswer.hostUnreachable))
      #expect(try ask("203.0.113.3") == .refused(RouteAnswer.prohibited))
      #expect(try ask("203.0.113.4") == .refused(RouteAnswer.noRoute))
      #expect(
        try route("203.0.113.5").nextHop == .init(interface: 11, gateway: IPAddress("fe80::9")))
      let several = try route("10.60.1.1")
      #expect(several.nextHop == .init(interface: 11, gateway: IPAddress("192.0.2.7")))
      #expect(several.otherNextHops == [.init(interface: 22)])
      let six = try route("2001:db8:ffff::1")
      #expect(six.nextHop == .init(interface: 11, gateway: IPAddress("2001:db8:1::1")))
      #expect(six.metric == 1024)
      #expect(six.expires == nil)
      let expires = try #require(try route("2001:db8:9::1").expires)
      #expect(expires > .seconds(98) && expires <= .seconds(100))
      #expect(try route("::").nextHop.gateway == IPAddress("2001:db8:1::1"))
      ip("route del default", "-6 route del default")
      #expect(try ask("198.51.100.1") == .refused(RouteAnswer.noRoute))
      #expect(try ask("2001:db8:ffff::1") == .refused(RouteAnswer.noRoute))
    }
  }

  @Test func `a source and an interface are part of the question`() async {
    await #expect(processExitsWith: .success) {
      try makePair()
      ip(
        "addr add 192.0.4.2/24 dev b0", "route add default via 192.0.2.1",
        "route add default via 192.0.4.1 table 44", "rule add from 192.0.4.2 table 44",
        "-6 route add default via 2001:db8:1::1")
      var requests = try RequestSocket()
      let far = try #require(IPAddress("198.51.100.1"))
      let loopback = try #require(IPAddress("127.0.0.1"))
      let answers = try requests.routes([
        RouteQuery(far, source: IPAddress("192.0.4.2")),
        RouteQuery(far, source: IPAddress("192.0.2.2")),
        RouteQuery(far, source: IPAddress("10.9.9.9")),
        RouteQuery(loopback, source: loopback),
        RouteQuery(try #require(IPAddress("2001:db8:ffff::1")), interface: 22),
      ])
      func interface(_ answer: RouteAnswer) -> Int32? {
        if case .route(let route) = answer { route.nextHop.interface } else { nil }
      }
      #expect(answers.map(interface) == [22, 11, nil, 1, nil])
      guard case .route(let route) = answers[0] else { return #expect(Bool(false)) }
      #expect(route.table == 44)
    }
  }

  @Test func `ten thousand questions are answered in their order`() async {
    await #expect(processExitsWith: .success) {
      try makePair()
      ip(
        "route add 10.0.0.0/10 via 192.0.2.3", "route add 10.64.0.0/10 via 192.0.2.4",
        "route add blackhole 10.128.0.0/10", "-6 route add 2001:db8:9::/48 via 2001:db8:1::9")
      var requests = try RequestSocket()
      var random = Seeded(10)
      let queries = try (0..<10_000).map { number in
        let six = number % 7 == 0
        return RouteQuery(
          six
            ? try #require(IPAddress("2001:db8:\(number % 2 == 0 ? 9 : 8)::\(number)"))
            : IPAddress(ipv4: 0x0a00_0000 + UInt32(random.below(1 << 24))))
      }
      let answers = try requests.routes(queries)
      #expect(answers.count == 10_000)
      var wrong = 0
      for (query, answer) in zip(queries, answers) {
        let text = "\(query.destination)"
        let expected: RouteAnswer.Short
        if query.destination.family == .ipv6 {
          expected = text.hasPrefix("2001:db8:9:") ? .via("2001:db8:1::9") : .refused(101)
        } else {
          let second = Int(text.split(separator: ".")[1]) ?? 0
          expected =
            [.via("192.0.2.3"), .via("192.0.2.4"), .refused(22), .refused(101)][second / 64]
        }
        if answer.short != expected { wrong += 1 }
      }
      #expect(wrong == 0)
      #expect(try requests.routes([]) == [])
    }
  }

  @Test func `an answer too long for a batch is complete too`() async {
    await #expect(processExitsWith: .success) {
      try makePair()
      // More than the 2,048 bytes of a slot; from some 230 on the kernel itself refuses to answer.
      let hops = (11...160).map { "nexthop via 192.0.2.\($0)" }
      ip(
        "route add 10.0.0.0/8 \(hops.joined(separator: " "))", "route add 11.0.0.0/8 via 192.0.2.1")
      var requests = try RequestSocket()
      let answers = try requests.routes(
        (0..<300).map { RouteQuery(IPAddress(ipv4: ($0 % 100 == 0 ? 10 : 11) << 24 + 1)) })
      #expect(answers.count == 300)
      for (number, answer) in answers.enumerated() {
        guard case .route(let route) = answer else { return #expect(Bool(false)) }
        #expect(route.otherNextHops.count == (number % 100 == 0 ? 149 : 0))
      }
    }
  }

  @Test func `a way out is told where the kernel names a next hop object alone`() async {
    await #expect(processExitsWith: .success) {
      try makePair()
      #expect(support_run("sysctl -qw net.ipv4.nexthop_compat_mode=0") == 0)
      ip(
        "nexthop add id 10 via 192.0.2.9 dev eth0", "route add 10.0.0.0/8 nhid 10",
        "nexthop add id 11 via 2001:db8:1::9 dev eth0", "-6 route add 2001:db8:9::/48 nhid 11",
        "nexthop add id 12 blackhole", "route add 11.0.0.0/8 nhid 12")
      var requests = try RequestSocket()
      let answers = try requests.routes(
        ["10.0.0.1", "2001:db8:9::1", "11.0.0.1"].compactMap { IPAddress($0) }
          .map { RouteQuery($0) })
      #expect(answers.map(\.short) == [.via("192.0.2.9"), .via("2001:db8:1::9"), .refused(22)])
      guard case .route(let route) = answers[0] else { return #expect(Bool(false)) }
      #expect(route.nextHop.interface == 11)
    }
  }

  @Test func `a way out is told where the route has more than the kernel can list`() async {
    await #expect(processExitsWith: .success) {
      try makePair()
      let hops = (3...252).map { "nexthop via 192.0.2.\($0)" }
      ip("route add 10.0.0.0/8 \(hops.joined(separator: " "))")
      var requests = try RequestSocket()
      let answers = try requests.routes([RouteQuery(IPAddress(ipv4: 0x0a00_0001))])
      guard case .route(let route) = answers[0] else { return #expect(Bool(false)) }
      #expect(route.nextHop.interface == 11)
      #expect(route.nextHop.gateway != nil)
    }
  }

  @Test func `lists under concurrent change miss nothing that stays`() async {
    await #expect(processExitsWith: .success) {
      try makePair()
      // Enough for a list that the kernel sends in several parts.
      let stay =
        "for i in $(seq 250); do echo addr add 10.1.$i.1/32 dev eth0; "
        + "echo addr add 10.2.$i.1/32 dev b0; echo addr add 10.3.$i.1/32 dev eth0; "
        + "echo addr add 10.4.$i.1/32 dev b0; done"
      #expect(support_run("(\(stay)) | ip -batch -") == 0)
      final class Flag: Sendable {
        let isSet = Lock(false)
      }
      let enough = Flag()
      try Thread.start(named: "change") {
        let change =
          "for n in $(seq 2000); do echo addr add 10.9.0.1/32 dev eth0; "
          + "echo addr del 10.9.0.1/32 dev eth0; done"
        while !enough.isSet.withLock({ $0 }) { _ = support_run("(\(change)) | ip -batch -") }
      }
      var requests = try RequestSocket()
      for _ in 0..<6 {
        let addresses = try requests.addresses().map(\.address)
        let staying = addresses.filter { !"\($0)".hasPrefix("10.9.") && "\($0)".hasPrefix("10.") }
        #expect(staying.count == 1000)
        #expect(Set(staying).count == 1000)
      }
      enough.isSet.withLock { $0 = true }
    }
  }
}

extension RouteAnswer {
  enum Short: Equatable {
    case via(String), refused(Int32), other
  }

  var short: Short {
    switch self {
    case .refused(let code): .refused(code)
    case .route(let route): route.nextHop.gateway.map { .via("\($0)") } ?? .other
    }
  }
}

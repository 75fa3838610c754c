import CTestSupport
import Glibc
import Posix
import TestSupport
import Testing

@testable import Reachability

/// Networks and routers on the real kernel, each test in a process and a namespace of its own.
@Suite(.serialized, .enabled(if: support_is_privileged() != 0, "needs network namespaces"))
struct NetworkMonitors {
  fileprivate static let mac = HardwareAddress("02:00:5e:10:00:01")

  @Test func `a path that is told has its router's hardware address, where the kernel knows it`()
    async
  {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.ip(
        "neigh add 192.0.2.1 lladdr 02:00:5e:10:00:01 dev eth0 nud stale",
        "neigh add 2001:db8:1::1 lladdr 02:00:5e:10:00:02 dev eth0 nud stale",
        "route add 10.0.0.0/8 via 192.0.2.9")
      scene.onLoop { monitor in
        let ids = ["198.51.100.1", "2001:db8:ffff::1", "10.0.0.1", "192.0.2.1", "internet"].map {
          (try? Target.Subject(parsing: $0)).map { monitor.add(Target($0)) }
        }
        try monitor.start(delivering: { _ in }, reporting: { Issue.record("\($0)") })
        #expect(
          ids.map { $0.flatMap(monitor.verdict)?.path.gatewayMAC?.description } == [
            "02:00:5e:10:00:01", "02:00:5e:10:00:02", nil, nil, "02:00:5e:10:00:01",
          ])
      }
    }
  }

  @Test func `a network by its subnet comes and goes with the address`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.add(Network(subnet: try Network.subnet("192.0.2.0/24")), called: "home")
      scene.start()
      #expect(scene.news() == ["home reachable 20002 wired"])
      scene.ip("addr del 192.0.2.2/24 dev eth0")
      #expect(scene.news(after: 300) == ["home unreachable network-differs"])
      scene.ip("addr add 192.0.2.7/24 dev eth0")
      #expect(scene.news(after: 300) == ["home reachable 20002 wired"])
      scene.ip("link set eth0 down")
      #expect(scene.news(after: 300) == ["home unreachable link-down"])
    }
  }

  @Test func `a network by its router is noticed once that is known, and stays when it is not`()
    async
  {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.add(Network(gatewayMAC: NetworkMonitors.mac), called: "home")
      scene.start()
      #expect(scene.news(after: 100) == ["home unreachable network-differs"])
      scene.ip("neigh add 192.0.2.77 lladdr 02:00:5e:10:00:01 dev eth0 nud reachable")
      #expect(scene.news(after: 300) == [])
      scene.ip("neigh add 192.0.2.1 lladdr 02:00:5e:10:00:01 dev eth0 nud reachable")
      #expect(scene.news(after: 300) == ["home reachable 20002 wired"])
      // Forgotten, and silent for a moment: the network is the same.
      scene.ip("neigh del 192.0.2.1 dev eth0")
      #expect(scene.news(after: 300) == [])
      scene.ip("neigh replace 192.0.2.1 lladdr 02:00:5e:10:00:09 dev eth0 nud reachable")
      #expect(scene.news(after: 300) == ["home unreachable network-differs"])
    }
  }

  @Test func `a router that was known before its link failed is not believed`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.ip("neigh add 192.0.2.1 lladdr 02:00:5e:10:00:01 dev eth0 nud reachable")
      scene.add(Network(gatewayMAC: NetworkMonitors.mac), called: "home")
      scene.start()
      #expect(scene.news() == ["home reachable 20002 wired"])
      scene.ip("link set eth0 down")
      #expect(scene.news(after: 300) == ["home unreachable link-down"])
      scene.ip("link set eth0 up", "route replace default via 192.0.2.1")
      #expect(scene.news(after: 1500) == [])
      scene.ip("neigh replace 192.0.2.1 lladdr 02:00:5e:10:00:01 dev eth0 nud reachable")
      #expect(scene.news(after: 300) == ["home reachable 20002 wired"])
    }
  }

  @Test func `the router of a link counts, though the default route leads through another`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.ip(
        "link add eth1 index 12 type veth peer name b1 index 23", "link set b1 up",
        "addr add 192.0.4.2/24 dev eth1", "link set eth1 up",
        "route add default via 192.0.4.1 metric 500",
        "neigh add 192.0.4.1 lladdr 02:00:5e:10:00:01 dev eth1 nud reachable")
      usleep(1_300_000)
      scene.onLoop { monitor in
        let id = monitor.add(Target(.network(Network(gatewayMAC: NetworkMonitors.mac))))
        try monitor.start(delivering: { _ in }, reporting: { Issue.record("\($0)") })
        let path = monitor.verdict(of: id)?.path
        #expect(path?.interface == "eth1")
        #expect(path?.gateway == "192.0.4.1")
        #expect(path?.gatewayMAC == NetworkMonitors.mac)
      }
    }
  }

  @Test func `of two routers that advertise themselves IPv6 leaves one that does not answer`() async
  {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.ip("-6 route del default")
      scene.run(
        """
        sysctl -qw net.ipv6.conf.eth0.accept_ra=1 net.ipv6.conf.eth0.router_solicitations=0 \
          net.ipv6.conf.b0.forwarding=1 net.ipv6.conf.b0.accept_ra=0
        ip -6 addr flush dev b0
        """)
      // A sysfs of this namespace, where it finds the hardware address.
      let advertise =
        "unshare --mount sh -c 'mount -t sysfs sysfs /sys && "
        + "exec python3 \(Tests.folder)/Conformance/ra.py b0 600 prf=$0' "
      scene.ip("-6 addr add fe80::a/64 dev b0 nodad")
      scene.run(advertise + "high")
      scene.ip("-6 addr add fe80::b/64 dev b0 nodad", "-6 addr del fe80::a/64 dev b0")
      scene.run(advertise + "low")
      usleep(300_000)
      scene.add("2001:db8:ffff::1")
      scene.startTellingGateways()
      #expect(scene.news(after: 300) == ["2001:db8:ffff::1 fe80::a"])
      // Nothing but the neighbour's own message tells.
      scene.ip("-6 neigh replace fe80::a dev eth0 nud failed")
      #expect(scene.news(after: 300) == ["2001:db8:ffff::1 fe80::b"])
    }
  }
}

/// Where the tests lie.
private enum Tests {
  static let folder = #filePath.replacing("/ReachabilityTests/NetworkMonitorTests.swift", with: "")
}

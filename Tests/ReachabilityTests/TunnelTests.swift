import CTestSupport
import Posix
import TestSupport
import Testing

@testable import Reachability

/// Tunnels on the real kernel, each test in a process and a network namespace of its own.
///
/// tun0 is one as a VPN's daemon has it; what it sends nobody reads.
@Suite(.serialized, .enabled(if: support_is_privileged() != 0, "needs network namespaces"))
struct Tunnels {
  /// Adds tun0 with an address to the namespace that a scene has made.
  private static func scene(_ commands: String...) throws -> Scene {
    let scene = try Scene(media: ["eth0": .wifi])
    #expect(support_make_tunnel("tun0") == 0)
    scene.ip("addr add 10.8.0.2/24 dev tun0", "link set tun0 up")
    for command in commands { scene.ip(command) }
    return scene
  }

  @Test func `a VPN that replaces the default route is carried by the route to its server`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Tunnels.scene(
        "route del default", "-6 route del default", "route add 203.0.113.7 via 192.0.2.1",
        "route add default dev tun0")
      scene.add("198.51.100.1", "internet", "interface:tun0")
      scene.start()
      #expect(
        scene.news() == [
          "198.51.100.1 reachable 3 wifi", "internet reachable 3 wifi",
          "interface:tun0 reachable 3 wifi",
        ])
      scene.ip("link set eth0 down")
      #expect(
        scene.news(after: 300) == [
          "198.51.100.1 unreachable link-down", "internet unreachable link-down",
          "interface:tun0 unreachable link-down",
        ])
    }
  }

  @Test func `a server reached over IPv6 carries as well, one whose route goes no more`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Tunnels.scene(
        "route del default", "-6 route del default",
        "-6 route add 2001:db8:7::1 via 2001:db8:1::1", "route add default dev tun0")
      scene.add("internet")
      scene.start()
      #expect(scene.news() == ["internet reachable 3 wifi"])
      scene.ip("-6 route del 2001:db8:7::1")
      #expect(scene.news(after: 300) == ["internet unreachable no-route"])
      scene.ip("route add 203.0.113.7 via 192.0.2.1")
      #expect(scene.news(after: 300) == ["internet reachable 3 wifi"])
    }
  }

  @Test func `routes into the tunnel and to hosts on a container's link carry nothing`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Tunnels.scene(
        "route del default", "-6 route del default", "route add default dev tun0",
        "route add 203.0.113.7 dev tun0", "route add 203.0.113.8 dev eth0",
        "route add 203.0.113.0/28 via 192.0.2.1")
      scene.add("internet")
      scene.start()
      #expect(scene.news() == ["internet unreachable no-route"])
    }
  }

  @Test func `the rules of wg-quick are followed to what carries the tunnel`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Tunnels.scene(
        "route add default dev tun0 table 51820", "rule add not fwmark 51820 table 51820",
        "rule add table main suppress_prefixlength 0")
      scene.add("198.51.100.1", "192.0.2.1")
      scene.start()
      #expect(scene.news() == ["198.51.100.1 reachable 3 wifi", "192.0.2.1 reachable 20002 wifi"])
      scene.ip("route del default", "-6 route del default")
      #expect(scene.news(after: 300) == ["198.51.100.1 unreachable no-route"])
      // A server for which the administrator has set a route alone.
      scene.ip("route add 203.0.113.7 via 192.0.2.1")
      #expect(scene.news(after: 300) == ["198.51.100.1 reachable 3 wifi"])
    }
  }

  @Test func `an event beneath a tunnel has the router of what carries it`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Tunnels.scene(
        "route del default", "-6 route del default", "route add 203.0.113.7 via 192.0.2.1",
        "route add default dev tun0",
        "neigh add 192.0.2.1 lladdr 02:00:5e:10:00:01 dev eth0 nud reachable")
      scene.onLoop { monitor in
        let id = monitor.add(Target(.internet))
        try monitor.start(delivering: { _ in }, reporting: { Issue.record("\($0)") })
        let path = monitor.verdict(of: id)?.path
        #expect(path?.isVPN == true)
        #expect(path?.interface == "eth0")
        #expect(path?.gateway == "192.0.2.1")
        #expect(path?.gatewayMAC?.description == "02:00:5e:10:00:01")
      }
    }
  }
}

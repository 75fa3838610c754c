import CTestSupport
import Glibc
import Testing

@testable import Netlink

@Suite(.serialized, .enabled(if: support_is_privileged() != 0, "needs network namespaces"))
struct ChangeSockets {
  @Test func `an unchanged kernel hints at nothing`() async {
    await #expect(processExitsWith: .success) {
      #expect(support_enter_namespace() == 0)
      let changes = try ChangeSocket()
      #expect(try changes.drain().isEmpty)
    }
  }

  @Test func `each change is heard as what it is about`() async {
    await #expect(processExitsWith: .success) {
      #expect(support_enter_namespace() == 0)
      let changes = try ChangeSocket()
      ip("link add eth0 index 11 type veth peer name b0 index 22")
      var hints = try changes.drain()
      #expect(Set(hints.links.map(\.index)) == [11, 22])
      ip("addr add 192.0.2.2/24 dev eth0")
      hints = try changes.drain()
      #expect(hints.pathsChanged && hints.links.isEmpty)
      ip("link set b0 up", "link set eth0 up")
      hints = try changes.drain()
      #expect(hints.links.contains { $0.index == 11 && $0.isUp })
      for command in [
        "route add 10.0.0.0/8 dev eth0", "rule add to 10.0.0.1 prohibit",
        "nexthop add id 10 dev eth0", "-6 rule add to 2001:db8::1 prohibit",
      ] {
        ip(command)
        #expect(try changes.drain().pathsChanged, "\(command)")
      }
      ip("link del eth0")
      hints = try changes.drain()
      #expect(Set(hints.removedLinks) == [11, 22])
      #expect(!hints.overrun)
    }
  }

  @Test func `a port that leaves its bridge is not said to be gone`() async {
    await #expect(processExitsWith: .success) {
      #expect(support_enter_namespace() == 0)
      ip(
        "link add eth0 index 11 type veth peer name b0 index 22", "link add br0 type bridge",
        "link set eth0 master br0")
      let changes = try ChangeSocket()
      ip("link set eth0 nomaster")
      let hints = try changes.drain()
      #expect(hints.removedLinks == [])
      #expect(hints.links.last { $0.index == 11 }?.master == nil)
    }
  }

  @Test func `more changes than there is room for are an overrun, after which all is heard again`()
    async
  {
    await #expect(processExitsWith: .success) {
      #expect(support_enter_namespace() == 0)
      ip("link add eth0 type veth peer name b0", "link set eth0 up")
      let changes = try ChangeSocket()
      let routes =
        "for i in $(seq 0 79); do for j in $(seq 0 249); do echo route add 10.$i.$j.1/32 dev eth0; "
        + "done; done"
      #expect(support_run("(\(routes)) | ip -batch -") == 0)
      let hints = try changes.drain()
      #expect(hints.overrun)
      #expect(hints.pathsChanged)
      #expect(try changes.drain().isEmpty)
      ip("route add 10.99.0.0/16 dev eth0")
      let later = try changes.drain()
      #expect(later.pathsChanged)
      #expect(!later.overrun)
    }
  }
}

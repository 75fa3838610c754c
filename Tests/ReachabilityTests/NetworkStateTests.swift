import Netlink
import Posix
import Testing

@testable import Reachability

@Suite struct NetworkStates {
  // eth0 is a port of br0, on which a VLAN stands; wlan0 stands alone; mv0's lower is elsewhere.
  private let state = NetworkState(
    links: [
      Link(index: 9, name: "br0.5", lower: 7, kind: "vlan"),
      Link(index: 3, name: "eth0", master: 7), Link(index: 7, name: "br0", kind: "bridge"),
      Link(index: 4, name: "wlan0"), Link(index: 5, name: "mv0", lower: 3, lowerIsForeign: true),
    ], addresses: [])

  @Test func `an interface is found by its index or name`() {
    for link in state.links { #expect(state.link(link.index)?.name == link.name) }
    for index in [-1, 0, 6, 8, 10, .max] as [Int32] { #expect(state.link(index) == nil) }
    #expect(state.link(named: "br0.5")?.index == 9)
    #expect(state.link(named: "") == nil)
    #expect(NetworkState.empty.link(1) == nil)
  }

  @Test func `what rests on an interface is found through all levels, and what it rests on`() {
    #expect(state.uppers(of: 3) == [7, 9])
    #expect(state.uppers(of: 9) == [])
    #expect(state.lowers(of: 9) == [7, 3])
    #expect(state.lowers(of: 5) == [])
    #expect(state.uppers(of: 99) == [])
  }

  @Test(arguments: ["bond", "team"])
  func `without a port that works a bond has no carrier, whatever it says`(kind: String) {
    func isUsable(_ ports: Link...) -> Bool? {
      NetworkState(links: ports + [Link(index: 7, name: "up", kind: kind)], addresses: [])
        .link(7)?.isUsable
    }
    let works = Link(index: 3, name: "eth0", master: 7)
    let failed = Link(index: 4, name: "wlan0", hasCarrier: false, master: 7)
    #expect(isUsable(failed) == false)
    #expect(isUsable(works, failed) == true)
    #expect(isUsable() == true)
  }

  @Test func `a bridge is an end of its own, whatever its ports do`() {
    let failed = Link(index: 4, name: "tap0", hasCarrier: false, master: 7)
    let state = NetworkState(
      links: [failed, Link(index: 7, name: "br0", kind: "bridge")], addresses: [])
    #expect(state.link(7)?.isUsable == true)
  }

  @Test func `the two ends of a veth pair rest on each other, without end or themselves`() {
    let pair = NetworkState(
      links: [
        Link(index: 2, name: "a", lower: 3, kind: "veth"),
        Link(index: 3, name: "b", lower: 2, kind: "veth"),
      ], addresses: [])
    #expect(pair.uppers(of: 2) == [3])
    #expect(pair.lowers(of: 2) == [3])
  }

  @Test func `the lowest address beyond link-local speaks for an interface`() {
    let link = Link(index: 3, name: "eth0")
    func address(_ texts: (address: String, scope: UInt8, interface: Int32)...) -> String? {
      NetworkState(
        links: [link],
        addresses: texts.compactMap { text in
          IPAddress(text.address).map {
            InterfaceAddress(
              address: $0, interface: text.interface, prefixLength: 24, scope: text.scope)
          }
        }
      ).address(of: link)?.description
    }
    #expect(address(("2001:db8::1", 0, 3), ("192.0.2.9", 0, 3), ("192.0.2.3", 0, 3)) == "192.0.2.3")
    #expect(address(("fe80::1", 253, 3), ("2001:db8::1", 0, 3)) == "2001:db8::1")
    #expect(address(("169.254.0.1", 253, 3), ("192.0.2.9", 0, 4), ("fe80::1", 253, 3)) == nil)
  }
}

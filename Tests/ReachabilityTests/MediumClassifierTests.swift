import Netlink
import Testing

@testable import Reachability

/// An interface as netlink and sysfs describe it.
struct Interface: CustomTestStringConvertible, Sendable {
  var link: Link
  var facts: InterfaceFacts
  var testDescription: String { "\(link.name) \(link.kind)" }

  init(
    _ index: Int32, _ name: String, _ kind: String = "", type: UInt16 = 1, device: String? = nil,
    wireless: Bool = false, driver: String? = nil, usb: Bool = false, flags: UInt32 = Link.working,
    state: Link.OperationalState = .up, carrier: Bool = true, master: Int32? = nil,
    lower: Int32? = nil, foreign: Bool = false, active: Int32? = nil
  ) {
    link = Link(
      index: index, name: name, hardwareType: type, flags: flags, operationalState: state,
      hasCarrier: carrier, master: master, lower: lower, lowerIsForeign: foreign, kind: kind,
      activePort: active)
    facts = InterfaceFacts(deviceType: device, isWireless: wireless, driver: driver, isUSB: usb)
  }
}

extension MediumClassifier {
  init(
    _ interfaces: [Interface], addresses: [InterfaceAddress] = [], overrides: [String: Medium] = [:]
  ) {
    let facts = Dictionary(
      interfaces.map { ($0.link.index, $0.facts) }, uniquingKeysWith: { first, _ in first })
    self.init(
      state: NetworkState(links: interfaces.map(\.link), addresses: addresses),
      overrides: overrides
    ) { facts[$0.index] ?? InterfaceFacts() }
  }
}

@Suite struct MediumClassifiers {
  private func classify(_ interfaces: Interface..., media: [String: Medium] = [:])
    -> Classification
  {
    MediumClassifier(interfaces, overrides: media).classify(interfaces[0].link)
  }

  // POINTOPOINT 0x10, NOARP 0x80
  private static let raw = Link.working | 0x90

  // The table of measured interfaces, each with the medium that it is.
  @Test(
    arguments: [
      (
        Interface(2, "wlan0", device: "wlan", wireless: true, driver: "mac80211_hwsim"), .wifi,
        false
      ),
      (Interface(2, "mon0", type: 803, device: "wlan", wireless: true), .wifi, false),
      (Interface(2, "hwsim0", type: 803), .wifi, false),
      (Interface(2, "usb0", device: "wwan", driver: "cdc_ether", usb: true), .wwan, false),
      (Interface(2, "usb0", driver: "cdc_ether", usb: true), .wired, false),
      (Interface(2, "usb0", device: "gadget"), .wired, false),
      (Interface(2, "wwan0", device: "wwan", driver: "qmi_wwan", state: .unknown), .wwan, false),
      (Interface(2, "x0", type: 65534, device: "wwan", flags: raw, state: .unknown), .wwan, false),
      (Interface(2, "x0", device: "wwan", driver: "cdc_mbim", state: .unknown), .wwan, false),
      (Interface(2, "x0", "wwan", type: 65534, device: "wwan", state: .unknown), .wwan, false),
      (Interface(2, "ppp0", "ppp", type: 512, device: "ppp", state: .unknown), .other, false),
      (
        Interface(
          2, "wg0", "wireguard", type: 65534, device: "wireguard", flags: raw, state: .unknown),
        .other, true
      ),
      (Interface(2, "tun0", "tun", type: 65534), .other, true),
      (Interface(2, "tap0", "tun"), .other, true),
      (Interface(2, "ipsec0", "xfrm", type: 65534), .other, true),
      (Interface(2, "red", "vrf"), .other, false),
      (Interface(2, "bond0", "bond", device: "bond"), .wired, false),
      (Interface(2, "dummy0", "dummy", state: .unknown), .wired, false),
      (Interface(2, "eth0", "veth", lower: 3), .wired, false),
      (Interface(2, "br0", "bridge", device: "bridge", state: .unknown), .wired, false),
      (Interface(2, "vxlan0", "vxlan", device: "vxlan"), .wired, false),
      (Interface(2, "geneve0", "geneve", device: "geneve"), .other, false),
      (Interface(2, "ifb0", "ifb"), .wired, false),
      (Interface(2, "team0", "team"), .wired, false),
      (Interface(2, "gretap0", "gretap"), .other, true),
      (Interface(2, "gre0", "gre", type: 778), .other, true),
      (Interface(2, "tunl0", "ipip", type: 768), .other, true),
      (Interface(2, "ip_vti0", "vti", type: 768), .other, true),
      (Interface(2, "sit0", "sit", type: 776), .other, true),
      (Interface(2, "ip6tnl0", "ip6tnl", type: 769), .other, true),
      (Interface(2, "nlmon0", "nlmon", type: 824), .other, false),
      (Interface(2, "vcan0", "vcan", type: 280), .other, false),
      (Interface(2, "ens3", driver: "e1000"), .wired, false),
      (Interface(2, "eni1np1", driver: "netdevsim", state: .unknown), .wired, false),
    ] as [(Interface, Medium, Bool)])
  func `an interface is what it was measured to be`(
    interface: Interface, medium: Medium, isTunnel: Bool
  ) {
    let classification = classify(interface)
    #expect(classification.medium == medium)
    #expect(classification.isTunnel == isTunnel)
  }

  @Test func `a given medium goes before everything, the loopback too`() {
    let loopback = Interface(1, "lo", type: 772, flags: Link.working | 8)
    #expect(classify(loopback, media: ["lo": .wwan]) == Classification(.wwan, by: .override))
    #expect(
      classify(Interface(2, "wlan0", device: "wlan"), media: ["wlan0": .wired])
        == Classification(.wired, by: .override))
  }

  @Test func `loopback is told by its flag or its type`() {
    let expected = Classification(.loopback, by: .loopback)
    #expect(classify(Interface(1, "lo", flags: Link.working | 8)) == expected)
    #expect(classify(Interface(1, "x", type: 772)) == expected)
  }

  @Test(
    arguments: [
      (Interface(2, "x", "rmnet", device: "wlan"), .wwan, .kind("rmnet")),
      (Interface(2, "wlan0", device: "wwan", wireless: true), .wwan, .deviceType("wwan")),
      (Interface(2, "x", device: "wlan", wireless: true), .wifi, .deviceType("wlan")),
      (Interface(2, "x", type: 519, wireless: true), .wifi, .wireless),
      // A tun may be of any type.
      (Interface(2, "x", "tun", type: 801), .wifi, .hardwareType(801)),
      (Interface(2, "x", "tun", type: 519), .wwan, .hardwareType(519)),
      (Interface(2, "x", "tun", type: 530), .wwan, .hardwareType(530)),
      (Interface(2, "x", "tun", type: 512), .other, .pointToPoint),
      (Interface(2, "wwan0", "ppp"), .other, .pointToPoint),
      (Interface(2, "wlan0", "wireguard"), .other, .tunnel("wireguard")),
      (Interface(2, "wwan0", driver: "rndis_host"), .wired, .tethering("rndis_host")),
      (Interface(2, "eth1", driver: "ipheth", usb: true), .wired, .tethering("ipheth")),
      (Interface(2, "eth1", driver: "cdc_ncm", usb: true), .wired, .tethering("cdc_ncm")),
      (Interface(2, "bnep0"), .other, .deviceType("bluetooth")),
      (Interface(2, "wwbt", device: "bluetooth"), .other, .deviceType("bluetooth")),
      (Interface(2, "wwan0", "veth"), .wwan, .name), (Interface(2, "wwp0s20u4"), .wwan, .name),
      (Interface(2, "rmnet_data0"), .wwan, .name), (Interface(2, "rev_rmnet1"), .wwan, .name),
      (Interface(2, "ccmni0"), .wwan, .name), (Interface(2, "qmapmux0.0"), .wwan, .name),
      (Interface(2, "wlp3s0"), .wifi, .name), (Interface(2, "wl0", "dummy"), .wifi, .name),
      (Interface(2, "x", "netkit"), .wired, .virtual("netkit")),
      (Interface(2, "x", "vxcan"), .wired, .virtual("vxcan")),
      (Interface(2, "eth0"), .wired, .ethernet),
      (Interface(2, "x", type: 65534), .other, .nothing),
    ] as [(Interface, Medium, Classification.Evidence)])
  func `the first rule that fits decides`(
    interface: Interface, medium: Medium, evidence: Classification.Evidence
  ) {
    let classification = classify(interface)
    #expect(classification.medium == medium)
    #expect(classification.evidence == evidence)
  }

  private static let wired = Interface(3, "eth0", master: 2)
  private static let wifi = Interface(4, "wlan0", device: "wlan", master: 2)
  private static let wwan = Interface(5, "wwan0", device: "wwan", master: 2)

  @Test(arguments: ["bridge", "bond", "team"])
  func `a master is what its working ports are, mixed ones what costs least`(kind: String) {
    let master = Interface(2, "m0", kind)
    let (wired, wifi, wwan) = (
      MediumClassifiers.wired, MediumClassifiers.wifi, MediumClassifiers.wwan
    )
    #expect(classify(master, wifi) == Classification(.wifi, by: .port("wlan0")))
    #expect(classify(master, wwan) == Classification(.wwan, by: .port("wwan0")))
    #expect(classify(master, wwan, wifi) == Classification(.wifi, by: .port("wlan0")))
    #expect(classify(master, wwan, wifi, wired) == Classification(.wired, by: .port("eth0")))
    var dead = wired
    dead.link.operationalState = .down
    #expect(classify(master, wwan, dead) == Classification(.wwan, by: .port("wwan0")))
    #expect(classify(master, dead) == Classification(.wired, by: .virtual(kind)))
    let tunnel = Interface(6, "tap0", "tun", master: 2)
    #expect(classify(master, tunnel) == Classification(.other, by: .port("tap0")))
  }

  @Test func `a bond with an active port is what that port is`() {
    #expect(
      classify(
        Interface(2, "bond0", "bond", active: 5), MediumClassifiers.wired, MediumClassifiers.wwan)
        == Classification(.wwan, by: .port("wwan0")))
  }

  @Test func `a bond whose active port has failed is what its other ports are`() {
    var dead = MediumClassifiers.wifi
    dead.link.operationalState = .down
    #expect(
      classify(Interface(2, "bond0", "bond", active: 4), dead, MediumClassifiers.wwan)
        == Classification(.wwan, by: .port("wwan0")))
  }

  @Test(arguments: ["vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec", "dsa", "hsr"])
  func `what is stacked is what lies beneath it`(kind: String) {
    let upper = Interface(2, "x", kind, lower: 4)
    #expect(classify(upper, MediumClassifiers.wifi) == Classification(.wifi, by: .lower("wlan0")))
    #expect(
      classify(Interface(2, "x", kind, lower: 4, foreign: true), MediumClassifiers.wifi).medium
        == .other)
    #expect(classify(Interface(2, "x", kind, lower: 9), MediumClassifiers.wifi).medium == .other)
    #expect(
      classify(upper, Interface(4, "wg0", "wireguard"))
        == Classification(.other, isTunnel: true, by: .lower("wg0")))
  }

  @Test func `the other end of a veth pair is not beneath it`() {
    #expect(
      classify(Interface(2, "x", "veth", lower: 4), MediumClassifiers.wifi)
        == Classification(.wired, by: .virtual("veth")))
  }

  @Test func `a session of a mobile modem is a VLAN on it`() {
    #expect(
      classify(
        Interface(2, "mbim.9", "vlan", device: "vlan", lower: 5), MediumClassifiers.wwan
      ).medium == .wwan)
  }

  @Test func `eight levels are looked through, and no circle for ever`() {
    func stack(_ levels: Int32) -> Medium {
      var interfaces = (0..<levels).map {
        Interface(2 + $0, "m\($0)", "macvlan", lower: 3 + $0)
      }
      interfaces.append(Interface(2 + levels, "wlan0", device: "wlan"))
      return MediumClassifier(interfaces).classify(interfaces[0].link).medium
    }
    #expect(stack(8) == .wifi)
    #expect(stack(9) == .other)
    #expect(
      classify(Interface(2, "a", "vlan", lower: 3), Interface(3, "b", "vlan", lower: 2)).medium
        == .other)
    #expect(
      classify(Interface(2, "a", "bridge", master: 3), Interface(3, "b", "bridge", master: 2))
        .medium == .other)
  }

  @Test func `a given medium of what lies beneath is inherited`() {
    #expect(
      classify(
        Interface(2, "x", "macvlan", lower: 3), Interface(3, "eth0"), media: ["eth0": .wifi]
      ).medium == .wifi)
  }
}

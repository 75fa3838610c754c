import DBus
import Netlink
import Posix
import Testing

@testable import Reachability

@Suite struct NetworkServiceReaders {
  private func device(
    _ interface: String, ip: String = "", type: Int64 = 1, metered: Int64 = 0, address: String = ""
  ) -> (String, ManagedInterface)? {
    NetworkManager.interface(of: [
      "Interface": .string(interface), "IpInterface": .string(ip), "DeviceType": .integer(type),
      "Metered": .integer(metered), "HwAddress": .string(address), "Udi": .array([]),
    ])
  }

  @Test(arguments: [
    (Int64(0), Bool?.none), (1, true), (2, false), (3, true), (4, false), (5, nil), (-1, nil),
  ])
  func `NetworkManager's word on metered counts, and so do its guesses`(
    value: Int64, isMetered: Bool?
  ) {
    #expect(device("eth0", metered: value)?.1.isMetered == isMetered)
  }

  @Test func `a modem's device is known by the interface that carries its packets`() {
    let modem = device("cdc-wdm0", ip: "wwan0", type: 8, address: "02:00:00:00:00:01")
    #expect(modem?.0 == "wwan0")
    #expect(modem?.1 == ManagedInterface(isModem: true))
    #expect(device("ttyUSB2", ip: "ppp0", type: 8)?.0 == "ppp0")
    #expect(device("AA:BB:CC:DD:EE:FF", ip: "bnep0", type: 5)?.1.isBluetooth == true)
  }

  @Test func `a device without an interface, and one that is described wrongly, is none`() {
    #expect(device("") == nil)
    #expect(NetworkManager.interface(of: [:]) == nil)
    #expect(NetworkManager.interface(of: ["Interface": .integer(5)]) == nil)
    let odd = NetworkManager.interface(of: [
      "Interface": .string("eth0"), "Metered": .string("yes"), "DeviceType": .array([]),
    ])
    #expect(odd?.1 == ManagedInterface())
  }

  @Test func `another interface of the same name is not it`() {
    var link = Link(index: 2, name: "eth0")
    link.hardwareAddress = HardwareAddress("02:00:00:00:00:01")
    #expect(device("eth0", address: "02:00:00:00:00:01")?.1.isAbout(link) == true)
    #expect(device("eth0", address: "02:00:00:00:00:02")?.1.isAbout(link) == false)
    #expect(device("eth0")?.1.isAbout(link) == true)
  }

  @Test func `ModemManager's bearers are found in its objects`() {
    let modem = BusValue.dictionary([
      "org.freedesktop.ModemManager1.Modem": .dictionary([
        "Bearers": .array([.string("/b/1"), .string("/b/0")])
      ])
    ])
    let objects = BusValue.dictionary(["/m/0": modem, "/m/1": .dictionary([:])])
    #expect(ModemManager.bearers(in: [objects]) == ["/b/0", "/b/1"])
    #expect(ModemManager.bearers(in: []) == [])
    #expect(ModemManager.bearers(in: [.string("x")]) == [])
    #expect(ModemManager.interface(of: ["Interface": .string("wwan0")])?.0 == "wwan0")
    #expect(ModemManager.interface(of: ["Interface": .string("")]) == nil)
  }

  @Test func `only properties that matter are news`() {
    func message(_ names: [String], invalidated: [String] = []) -> [BusValue] {
      [
        .string("org.freedesktop.NetworkManager.Device"),
        .dictionary(Dictionary(uniqueKeysWithValues: names.map { ($0, .integer(1)) })),
        .array(invalidated.map { .string($0) }),
      ]
    }
    #expect(NetworkManager.isNews(message(["State", "Metered"])))
    #expect(!NetworkManager.isNews(message(["State", "StateReason"])))
    #expect(NetworkManager.isNews(message([], invalidated: ["IpInterface"])))
    #expect(!ModemManager.isNews(message(["SignalQuality"])))
    #expect(NetworkManager.isNews([.string("/a/device")]))
  }
}

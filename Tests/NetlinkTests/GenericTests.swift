import CTestSupport
import Posix
import Testing

@testable import Netlink

/// What families of generic netlink say, built by the kernel's headers: no machine that runs these
/// tests has them all.
enum Generic {
  /// A message of a family: command, version, attributes.
  static func reply(_ command: UInt8, family: UInt16 = 30, _ attributes: [UInt8]...) -> [UInt8] {
    message(family, [command, 1, 0, 0], Array(attributes.joined()))
  }

  static let nl80211 = reply(
    1, family: 16, attribute(2, Array("nl80211".utf8) + [0]), attribute(1, raw(UInt16(30))),
    attribute(3, raw(UInt32(1))),
    attribute(
      7,
      attribute(1, attribute(2, raw(UInt32(7))) + attribute(1, Array("config".utf8) + [0]))
        + attribute(2, attribute(2, raw(UInt32(10))) + attribute(1, Array("mlme".utf8) + [0]))))

  /// NL80211_CMD_NEW_INTERFACE with IFINDEX, IFNAME, IFTYPE, MAC, SSID.
  static func station(type: UInt32 = 2, index: Int32 = 4, ssid: [UInt8] = Array("Home".utf8))
    -> [UInt8]
  {
    reply(
      7, attribute(3, raw(index)), attribute(4, Array("wlan0".utf8) + [0]),
      attribute(1, raw(UInt32(0))), attribute(5, raw(type)),
      attribute(6, [2, 0, 0, 0, 0, 0]), attribute(52, ssid))
  }

  /// NL80211_CMD_NEW_SCAN_RESULTS of the network that was joined.
  static let scan = reply(
    34, attribute(3, raw(Int32(4))),
    attribute(
      0x802f,
      attribute(6, [0, 4] + Array("Home".utf8) + [1, 1, 0x82]) + attribute(9, raw(UInt32(1)))))

  /// A peer: public key, last handshake, endpoint, allowed addresses.
  static func peer(_ endpoint: [UInt8]?, handshake: Int64 = 0) -> [UInt8] {
    attribute(
      0x8000,
      attribute(1, [UInt8](repeating: 7, count: 32))
        + attribute(6, raw(handshake) + raw(Int64(0)))
        + (endpoint.map { attribute(4, $0) } ?? [])
        + attribute(0x8009, attribute(0x8000, attribute(1, raw(UInt16(2))))))
  }

  static func endpoint(_ bytes: [UInt8]) -> [UInt8] {
    raw(UInt16(2)) + [0xca, 0x6c] + bytes + [UInt8](repeating: 0, count: 8)
  }

  static func endpoint6(_ bytes: [UInt8], scope: Int32 = 0) -> [UInt8] {
    raw(UInt16(10)) + [0xca, 0x6c] + raw(UInt32(0)) + bytes + raw(scope)
  }

  static func device(mark: UInt32 = 51820, _ peers: [UInt8]...) -> [UInt8] {
    reply(
      0, attribute(6, raw(UInt16(51820))), attribute(7, raw(mark)), attribute(1, raw(Int32(9))),
      attribute(3, [UInt8](repeating: 9, count: 32)),
      attribute(0x8008, Array(peers.joined())))
  }
}

@Suite struct GenericMessages {
  @Test func `a family has a number, and groups by their names`() {
    #expect(
      read(Generic.nl80211, GenericFamily.init)
        == GenericFamily(id: 30, groups: ["config": 7, "mlme": 10]))
  }

  @Test(arguments: [
    Generic.reply(1, family: 16), Generic.reply(3, family: 16, attribute(1, raw(UInt16(30)))),
    Generic.reply(1, family: 17, attribute(1, raw(UInt16(30)))),
    Generic.reply(1, family: 16, attribute(1, raw(UInt16(2)))),
    Generic.reply(1, family: 16, attribute(1, raw(UInt32(30)))), message(16),
  ])
  func `what names no family is none`(bytes: [UInt8]) {
    #expect(read(bytes, GenericFamily.init) == nil)
  }

  @Test func `a station tells its network`() {
    #expect(
      read(Generic.station(), WirelessInterface.init)
        == WirelessInterface(index: 4, mode: .station, ssid: Array("Home".utf8)))
    let alone = Generic.reply(7, attribute(3, raw(Int32(4))), attribute(5, raw(UInt32(2))))
    #expect(read(alone, WirelessInterface.init) == WirelessInterface(index: 4, mode: .station))
  }

  @Test(
    arguments: [
      (1, .station), (2, .station), (8, .station), (3, .accessPoint), (4, .accessPoint),
      (9, .accessPoint), (0, .other), (6, .other), (7, .other), (10, .other), (99, .other),
    ] as [(UInt32, WirelessInterface.Mode)])
  func `an interface joins a network, makes one or does something else`(
    type: UInt32, mode: WirelessInterface.Mode
  ) {
    #expect(read(Generic.station(type: type), WirelessInterface.init)?.mode == mode)
  }

  @Test func `a network's name is bytes, and no more than 32`() {
    let most = [UInt8](repeating: 0xff, count: 32)
    #expect(read(Generic.station(ssid: most), WirelessInterface.init)?.ssid == most)
    #expect(read(Generic.station(ssid: most + [1]), WirelessInterface.init)?.ssid == [])
  }

  private func scanned(
    _ status: UInt32?, answer: [UInt8], beacon: [UInt8] = []
  ) -> ScannedNetwork? {
    let bytes = Generic.reply(
      34, attribute(3, raw(Int32(4))),
      attribute(
        0x802f,
        attribute(1, [2, 0, 0, 0, 1, 0]) + attribute(6, answer) + attribute(11, beacon)
          + (status.map { attribute(9, raw($0)) } ?? [])))
    return read(bytes, ScannedNetwork.init)
  }

  @Test func `the network that was joined is known from the scan`() {
    let home: [UInt8] = [0, 4] + Array("Home".utf8) + [1, 1, 0x82]
    let joined = scanned(1, answer: home)
    #expect(joined?.isJoined == true && joined?.ssid == Array("Home".utf8))
    #expect(scanned(2, answer: home)?.isJoined == true)
    for status in [nil, 0, 3] as [UInt32?] {
      #expect(scanned(status, answer: home)?.isJoined == false)
    }
    #expect(scanned(1, answer: [1, 1, 0x82] + home)?.ssid == Array("Home".utf8))
  }

  @Test func `a network that hides its name tells it in what it answers`() {
    let home: [UInt8] = [0, 4] + Array("Home".utf8)
    let hidden: [UInt8] = [0, 4, 0, 0, 0, 0]
    #expect(scanned(1, answer: home, beacon: hidden)?.ssid == Array("Home".utf8))
    #expect(scanned(1, answer: [], beacon: home)?.ssid == Array("Home".utf8))
    #expect(scanned(1, answer: hidden, beacon: hidden)?.ssid == [0, 0, 0, 0])
  }

  @Test(arguments: [[], [0], [0, 5, 0x41], [1], [1, 200, 3], [0, 33]] as [[UInt8]])
  func `elements that end too soon hold no name`(elements: [UInt8]) {
    #expect(scanned(1, answer: elements)?.ssid == [])
  }

  @Test func `a WiFi device without an interface is passed over`() {
    #expect(read(Generic.reply(7, attribute(5, raw(UInt32(10)))), WirelessInterface.init) == nil)
    #expect(read(Generic.station(index: -1), WirelessInterface.init) == nil)
    #expect(read(Generic.reply(34, attribute(3, raw(Int32(4)))), WirelessInterface.init) == nil)
  }

  @Test(arguments: [(46, true), (47, true), (48, true), (19, false), (64, false), (34, false)])
  func `associations are heard of, not each frame`(command: UInt8, tells: Bool) {
    let bytes = Generic.reply(command, attribute(3, raw(Int32(4))))
    bytes.withUnsafeBytes {
      #expect(WirelessChangeSocket.tellsOfAssociation(Bytes($0), family: 30) == tells)
      #expect(!WirelessChangeSocket.tellsOfAssociation(Bytes($0), family: 31))
    }
  }

  private func device(_ messages: [UInt8]...) -> WireGuardDevice {
    var device = WireGuardDevice()
    for bytes in messages { _ = read(bytes) { device.add($0) } }
    return device
  }

  @Test func `a WireGuard interface has a mark and its peers' endpoints, that heard last first`() {
    let linkLocal: [UInt8] = [0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
    let device = device(
      Generic.device(
        Generic.peer(Generic.endpoint([203, 0, 113, 7]), handshake: 100), Generic.peer(nil),
        Generic.peer(Generic.endpoint6(linkLocal, scope: 11), handshake: 300)))
    #expect(device.mark == 51820)
    #expect(
      device.endpoints == [
        .init(IPAddress("fe80::1") ?? IPAddress(ipv4: 0), scope: 11, lastHandshake: 300),
        .init(IPAddress(ipv4: 0xcb00_7107), lastHandshake: 100),
      ])
  }

  @Test func `peers of several messages are taken together, and no more than eight`() {
    let many = (0..<20).map { Generic.peer(Generic.endpoint([10, 0, 0, $0]), handshake: 1) }
    let first = Generic.reply(0, attribute(8, Array(many[..<10].joined())))
    let second = Generic.reply(
      0,
      attribute(
        8,
        Array(many[10...].joined()) + Generic.peer(Generic.endpoint([10, 0, 1, 0]), handshake: 9)))
    let addresses = device(first, second).endpoints.map(\.address.description)
    #expect(addresses == ["10.0.1.0"] + (0..<7).map { "10.0.0.\($0)" })
  }

  @Test(arguments: [
    [], [2], raw(UInt16(2)) + [0, 0, 1], raw(UInt16(10)) + [UInt8](repeating: 1, count: 10),
    raw(UInt16(1)) + [UInt8](repeating: 1, count: 26),
    [0xff, 0xff] + [UInt8](repeating: 1, count: 26),
  ])
  func `an endpoint that is no address is none`(bytes: [UInt8]) {
    #expect(device(Generic.device(Generic.peer(bytes))).endpoints == [])
  }
}

@Suite struct GenericSockets {
  @Test func `a family is found by its name, and none is no error`() throws {
    var socket = try GenericSocket()
    let control = try socket.family(named: "nlctrl")
    #expect(control?.id == 16)
    #expect(control?.groups["notify"] != nil)
    #expect(try socket.family(named: "no such family") == nil)
    #expect(try socket.family(named: "") == nil)
  }

  @Test func `a family that has gone throws, and the socket is good for more`() throws {
    var socket = try GenericSocket()
    #expect(throws: SystemError.self) { try socket.wirelessInterfaces(GenericFamily(id: 1000)) }
    #expect(throws: SystemError.self) { try socket.wireGuardDevice(1, GenericFamily(id: 1000)) }
    #expect(try socket.family(named: "nlctrl")?.id == 16)
  }

  @Test func `a family without the group of associations has none to join`() throws {
    let isJoined = try WirelessChangeSocket(GenericFamily(id: 30)) != nil
    #expect(!isJoined)
  }
}

internal import Glibc
internal import Posix
import Testing

@testable import Netlink

/// The fuzzers' seeds, which this kernel once sent, and what once failed.
@Suite struct RecordedInput {
  /// The folders whose inputs are netlink's, below Tests/Fuzz.
  private static let folders = [
    "seeds/netlink-hints", "seeds/netlink-replies", "seeds/generic-replies",
    "findings/netlink-hints", "findings/netlink-replies", "findings/generic-replies",
  ]
  private static let files = folders.flatMap { folder in
    names(in: root + folder).map { "\(folder)/\($0)" }
  }

  @Test(arguments: files)
  func `every input goes through every parser`(file: String) throws {
    let bytes = try RecordedInput.read(file)
    var messages = 0
    bytes.withUnsafeBytes { bytes in
      var hints = ChangeSocket.Hints()
      hints.add(Bytes(bytes))
      for message in MessageSequence(Bytes(bytes)) {
        messages += 1
        _ = Link(message)
        _ = InterfaceAddress(message)
        _ = Route(message)
        _ = RouteAnswer(message)
        _ = Neighbour(message)
        _ = HostRoute(message)
        _ = GenericFamily(message)
        _ = WirelessInterface(message)
        _ = ScannedNetwork(message)
        var device = WireGuardDevice()
        device.add(message)
      }
    }
    if file.hasPrefix("seeds/") { #expect(messages > 0) }
  }

  @Test func `a bond tells its active port`() throws {
    let link = try #require(try RecordedInput.hints("bond").links.first)
    #expect(link.name == "bond0" && link.kind == "bond" && link.activePort == 2)
  }

  @Test func `a link that is gone is told by its number`() throws {
    #expect(try RecordedInput.hints("removal-19").removedLinks.count == 1)
  }

  @Test func `a recorded neighbour has its hardware address until it is gone`() throws {
    let found = try ["neighbour-0", "neighbour-1", "neighbour-2"].map { name in
      try RecordedInput.read("seeds/netlink-hints/\(name)").withUnsafeBytes { bytes in
        MessageSequence(Bytes(bytes)).compactMap(Neighbour.init).first
      }
    }
    #expect(found.allSatisfy { $0?.place.address.description == "192.0.2.2" })
    #expect(
      found.map { $0?.hardwareAddress?.description } == ["02:00:5e:10:00:01", nil, nil])
    #expect(found.map { $0?.hasFailed } == [false, true, false])
  }

  /// What Linux 6.1 answered and sent where there was WiFi and WireGuard.
  @Test func `a real kernel's WiFi and WireGuard are understood`() throws {
    let family = try #require(try RecordedInput.generic("real-nl80211", GenericFamily.init).first)
    #expect(family.id == 32 && family.groups["mlme"] != nil)
    // Its station was associated, which only the scan tells; a device for WiFi Direct is no interface.
    #expect(
      try RecordedInput.generic("real-interfaces", WirelessInterface.init) == [
        WirelessInterface(index: 2, mode: .station)
      ])
    let scan = try RecordedInput.generic("real-scan", ScannedNetwork.init)
    #expect(Set(scan.map(\.ssid)) == [Array("Home".utf8), Array("Cafe".utf8)])
    #expect(scan.filter(\.isJoined).map(\.ssid) == [Array("Home".utf8)])
    #expect(
      try RecordedInput.generic("real-access-point", WirelessInterface.init) == [
        WirelessInterface(index: 2, mode: .accessPoint, ssid: Array("Mine".utf8))
      ])
    var device = WireGuardDevice()
    _ = try RecordedInput.generic("real-wireguard") { device.add($0) }
    #expect(device.mark == 51820)
    #expect(device.endpoints.map(\.address.description) == ["203.0.113.7"])
    #expect(device.endpoints.allSatisfy { $0.lastHandshake > 1_700_000_000 })
  }

  @Test(arguments: [
    ("real-connect", true), ("real-disconnect", true), ("real-authentication", false),
  ])
  func `a recorded message tells of an association or not`(name: String, tells: Bool) throws {
    try RecordedInput.read("seeds/generic-replies/\(name)").withUnsafeBytes { bytes in
      #expect(WirelessChangeSocket.tellsOfAssociation(Bytes(bytes), family: 32) == tells)
    }
  }

  @Test func `a recorded family has a number`() throws {
    let family = try RecordedInput.generic("family", GenericFamily.init).first
    #expect(family?.groups.keys.contains("monitor") == true)
  }

  @Test func `a message about a bridge's port is not about a link`() throws {
    #expect(try RecordedInput.hints("unport-2").isEmpty)
  }

  @Test(arguments: [
    ("entry-default", ["192.0.2.2"]), ("entry-group", ["192.0.2.3", "192.0.2.4"]),
    ("entry-multipath", ["192.0.2.5", "192.0.2.6"]),
    ("entry-multipath6", ["2001:db8::5", "2001:db8::6"]), ("entry-via", ["2001:db8::7"]),
    ("entry-expires", ["2001:db8::8"]), ("packet-default", ["192.0.2.2"]),
  ])
  func `a recorded route leads over its routers`(name: String, gateways: [String]) throws {
    let route = try RecordedInput.route(name)
    let hops = [route.nextHop] + route.otherNextHops
    #expect(Set(hops.compactMap { $0.gateway?.description }) == Set(gateways))
  }

  // MARK: -

  private static let root =
    #filePath.replacing("NetlinkTests/RecordedInputTests.swift", with: "Fuzz/")

  private static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  private static func read(_ file: String) throws -> [UInt8] {
    try FileDescriptor(opening: root + file, flags: O_RDONLY).readAll(limit: 1 << 20)
  }

  private static func generic<Value>(
    _ name: String, _ body: (Message) -> Value?
  ) throws -> [Value] {
    try read("seeds/generic-replies/\(name)").withUnsafeBytes { bytes in
      MessageSequence(Bytes(bytes)).compactMap(body)
    }
  }

  private static func hints(_ name: String) throws -> ChangeSocket.Hints {
    var hints = ChangeSocket.Hints()
    try read("seeds/netlink-hints/\(name)").withUnsafeBytes { hints.add(Bytes($0)) }
    return hints
  }

  private static func route(_ name: String) throws -> Route {
    let answers = try read("seeds/netlink-replies/\(name)").withUnsafeBytes { bytes in
      MessageSequence(Bytes(bytes)).compactMap { RouteAnswer($0) }
    }
    guard case .route(let route) = answers.first else { throw NoRoute() }
    return route
  }

  private struct NoRoute: Error {}
}

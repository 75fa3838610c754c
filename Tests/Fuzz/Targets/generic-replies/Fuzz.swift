internal import Fuzzing
@testable internal import Netlink
@testable internal import Reachability

/// What families of generic netlink answer and send unasked; each message goes to every parser.
@main enum GenericReplies: Fuzzer {
  static func check(_ input: Input) {
    _ = WirelessChangeSocket.tellsOfAssociation(Bytes(input.bytes), family: 30)
    var device = WireGuardDevice()
    for message in MessageSequence(Bytes(input.bytes)) {
      if let family = GenericFamily(message) {
        expect(family.id >= 16, "a family's number is no control message's: \(family)")
      }
      if let interface = WirelessInterface(message) { check(interface) }
      if let network = ScannedNetwork(message) {
        expect(network.ssid.count <= 32, "a network's name has at most 32 bytes")
      }
      device.add(message)
    }
    check(device)
  }

  private static func check(_ interface: WirelessInterface) {
    expect(interface.index > 0, "an interface has an index: \(interface)")
    expect(interface.ssid.count <= 32, "a network's name has at most 32 bytes")
    guard let name = String(ssid: interface.ssid) else { return }
    expect(Array(name.utf8) == interface.ssid, "a name is the bytes that it was: \(name)")
    expect(
      !name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f },
      "a name has no control characters")
  }

  private static func check(_ device: WireGuardDevice) {
    expect(device.endpoints.count <= 8, "no more endpoints than are asked about")
    let times = device.endpoints.map(\.lastHandshake)
    expect(times == times.sorted(by: >), "the peer that was heard last comes first: \(times)")
  }
}

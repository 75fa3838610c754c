internal import Netlink
public import Posix

/// A network, by what tells it from others; a link is on it that fits everything given.
public struct Network: Hashable, Sendable {
  /// The names of a WiFi network, of which one must be that of the link.
  public var ssids: [String]
  /// The hardware address of a router that a default route on the link leads to.
  public var gatewayMAC: HardwareAddress?
  /// What an address of the link lies in.
  public var subnet: Subnet?

  /// A network, of which at least one thing should be given.
  public init(ssids: [String] = [], gatewayMAC: HardwareAddress? = nil, subnet: Subnet? = nil) {
    self.ssids = ssids
    self.gatewayMAC = gatewayMAC
    self.subnet = subnet
  }
}

extension Network: CustomStringConvertible {
  /// `Home or Home 5G in 192.168.1.0/24 behind 02:00:5e:10:00:01`.
  public var description: String {
    var words = ssids.isEmpty ? [] : [ssids.joined(separator: " or ")]
    if let subnet { words.append("in \(subnet)") }
    if let gatewayMAC { words.append("behind \(gatewayMAC)") }
    return words.joined(separator: " ")
  }
}

extension Network {
  /// Checks a name that a WiFi network can have and events can tell: 1 to 32 bytes of printable
  /// UTF-8.
  public static func ssid(_ text: String) throws(TargetError) -> String {
    guard let name = String(ssid: Array(text.utf8)) else {
      throw TargetError(
        "\"\(text)\" is no SSID that events tell: 1 to \(WirelessInterface.longestSSID) bytes of "
          + "printable UTF-8")
    }
    return name
  }

  /// Reads a hardware address: `02:00:5e:10:00:01`, in either case.
  public static func hardwareAddress(_ text: String) throws(TargetError) -> HardwareAddress {
    guard let address = HardwareAddress(text) else {
      throw TargetError("\"\(text)\" is no hardware address, as in 02:00:5e:10:00:01")
    }
    return address
  }

  /// Reads a subnet: `192.168.1.0/24` or `2001:db8::/64`.
  ///
  /// Bits of the address beyond the prefix are refused: they are more likely a slip than meant.
  public static func subnet(_ text: String) throws(TargetError) -> Subnet {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let address = IPAddress(parts[0]),
      parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let length = UInt8(parts[1]), let subnet = Subnet(around: address, prefixLength: length),
      address.unmapped.family == address.family
    else { throw TargetError("\"\(text)\" is no subnet, as in 192.168.1.0/24") }
    guard subnet.address == address else {
      throw TargetError("\(text) has bits beyond its prefix; did you mean \(subnet)?")
    }
    return subnet
  }
}

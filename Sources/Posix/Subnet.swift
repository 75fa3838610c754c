/// The addresses that share a prefix: `192.168.1.0/24`.
public struct Subnet: Hashable, Sendable, CustomStringConvertible {
  /// The first of the addresses.
  public let address: IPAddress
  /// The bits that they share.
  public let prefixLength: UInt8

  /// The subnet that an address lies in, by the bits of its prefix; nil where the family has fewer.
  public init?(around address: IPAddress, prefixLength: UInt8) {
    guard prefixLength <= address.family.bitCount else { return nil }
    self.address = address.masked(to: prefixLength)
    self.prefixLength = prefixLength
  }

  /// Whether an address lies in it.
  public func contains(_ other: IPAddress) -> Bool {
    other.family == address.family && other.masked(to: prefixLength) == address
  }

  /// `192.168.1.0/24`.
  public var description: String { "\(address)/\(prefixLength)" }
}

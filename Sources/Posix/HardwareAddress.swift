/// A hardware address of six bytes, as Ethernet and WiFi have it (EUI-48).
public struct HardwareAddress: Hashable, Sendable, CustomStringConvertible {
  // In the host's order, the first byte the highest.
  private let value: UInt64

  /// An address from its six bytes; nil for any other number, and for the address of zeros, which
  /// the kernel shows where there is none.
  public init?(networkBytes bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 6 else { return nil }
    var value: UInt64 = 0
    for byte in bytes { value = value << 8 | UInt64(byte) }
    guard value != 0 else { return nil }
    self.value = value
  }

  /// An address from its six bytes.
  public init?(bytes: [UInt8]) {
    guard let address = bytes.withUnsafeBytes({ HardwareAddress(networkBytes: $0) }) else {
      return nil
    }
    self = address
  }

  /// Reads six pairs of hexadecimal digits in either case, with colons or hyphens between them.
  public init?(_ text: some StringProtocol) {
    let separator: Character = text.contains("-") ? "-" : ":"
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    var bytes: [UInt8] = []
    for part in parts {
      let isPair = part.utf8.count == 2 && part.utf8.first.map(HardwareAddress.isDigit) == true
      guard isPair, let byte = UInt8(part, radix: 16) else { return nil }
      bytes.append(byte)
    }
    self.init(bytes: bytes)
  }

  // A sign would pass for a digit.
  private static func isDigit(_ byte: UInt8) -> Bool {
    byte != UInt8(ascii: "+") && byte != UInt8(ascii: "-")
  }

  /// `02:00:5e:10:00:01`, in lower case.
  public var description: String {
    String(unsafeUninitializedCapacity: 17) { buffer in
      for place in 0..<6 {
        let byte = UInt8(truncatingIfNeeded: value >> UInt64(40 - 8 * place))
        buffer[3 * place] = HardwareAddress.digit(byte >> 4)
        buffer[3 * place + 1] = HardwareAddress.digit(byte & 0xf)
        if place < 5 { buffer[3 * place + 2] = UInt8(ascii: ":") }
      }
      return 17
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}

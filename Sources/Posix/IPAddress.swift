public import Glibc

/// An IPv4 or IPv6 address, without a zone.
public struct IPAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The two families that carry addresses.
  public enum Family: UInt8, Comparable, Sendable {
    case ipv4, ipv6

    /// The kernel's number, AF_INET or AF_INET6.
    public var number: UInt8 { UInt8(self == .ipv4 ? AF_INET : AF_INET6) }

    /// The family with that number of the kernel's.
    public init?(number: UInt8) {
      switch Int32(number) {
      case AF_INET: self = .ipv4
      case AF_INET6: self = .ipv6
      default: return nil
      }
    }

    /// The bits of an address: 32 or 128.
    public var bitCount: UInt8 { self == .ipv4 ? 32 : 128 }

    public static func < (left: Family, right: Family) -> Bool { left.rawValue < right.rawValue }
  }

  /// The address's family.
  public let family: Family
  // Both halves in the host's order; an IPv4 address is the lower half's lower half.
  private let high: UInt64
  private let low: UInt64

  private init(family: Family, high: UInt64, low: UInt64) {
    self.family = family
    self.high = high
    self.low = low
  }

  /// An IPv4 address from its number in the host's order: `0x7f000001` is 127.0.0.1.
  public init(ipv4 value: UInt32) { self.init(family: .ipv4, high: 0, low: UInt64(value)) }

  /// An address from its bytes in network order: 4 of IPv4 or 16 of IPv6.
  public init?(networkBytes bytes: UnsafeRawBufferPointer) {
    switch bytes.count {
    case 4: self.init(ipv4: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
    case 16:
      self.init(
        family: .ipv6, high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    default: return nil
    }
  }

  /// Reads what inet_pton(3) reads: `192.0.2.1` or `2001:db8::1`.
  public init?(_ text: some StringProtocol) {
    var bytes: (UInt64, UInt64) = (0, 0)
    let text = String(text)
    // In C a NUL would end the text, and what follows it would not be looked at.
    guard !text.utf8.contains(0) else { return nil }
    let address = withUnsafeMutableBytes(of: &bytes) { buffer -> IPAddress? in
      if inet_pton(AF_INET, text, buffer.baseAddress) == 1 {
        return IPAddress(networkBytes: UnsafeRawBufferPointer(rebasing: buffer[..<4]))
      }
      if inet_pton(AF_INET6, text, buffer.baseAddress) == 1 {
        return IPAddress(networkBytes: UnsafeRawBufferPointer(buffer))
      }
      return nil
    }
    guard let address else { return nil }
    self = address
  }

  /// Reads the address from a socket address of either family; nil for any other.
  public init?(socketAddress: UnsafePointer<sockaddr>) {
    let raw = UnsafeRawPointer(socketAddress)
    let address: IPAddress?
    switch Int32(socketAddress.pointee.sa_family) {
    case AF_INET:
      address = withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) {
        IPAddress(networkBytes: $0)
      }
    case AF_INET6:
      address = withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) {
        IPAddress(networkBytes: $0)
      }
    default: address = nil
    }
    guard let address else { return nil }
    self = address
  }

  /// Appends the address in network order: 4 bytes or 16.
  public func append(to bytes: inout [UInt8]) {
    if family == .ipv6 { withUnsafeBytes(of: high.bigEndian) { bytes.append(contentsOf: $0) } }
    let low = low.bigEndian
    withUnsafeBytes(of: low) { bytes.append(contentsOf: family == .ipv6 ? $0[...] : $0[4...]) }
  }

  /// 0.0.0.0 or ::, which stand for any address.
  public var isUnspecified: Bool { high == 0 && low == 0 }

  /// 127.0.0.0/8 or ::1.
  public var isLoopback: Bool {
    family == .ipv4 ? low >> 24 == 127 : high == 0 && low == 1
  }

  /// 169.254.0.0/16 or fe80::/10.
  public var isLinkLocal: Bool {
    family == .ipv4 ? low >> 16 == 0xa9fe : high >> 54 == 0x3fa
  }

  /// 224.0.0.0/4 or ff00::/8.
  public var isMulticast: Bool {
    family == .ipv4 ? low >> 28 == 0xe : high >> 56 == 0xff
  }

  /// The IPv4 address within ::ffff:0:0/96, else the address itself.
  public var unmapped: IPAddress {
    guard family == .ipv6, high == 0, low >> 32 == 0xffff else { return self }
    return IPAddress(ipv4: UInt32(truncatingIfNeeded: low))
  }

  /// `192.0.2.1` or `2001:db8::1`, as inet_ntop(3) writes it.
  public var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
      let number = Int32(family.number)
      guard let base = text.baseAddress,
        inet_ntop(number, bytes, base, socklen_t(text.count)) != nil
      else { return "" }
      return String(cString: base)
    }
  }

  public static func < (left: IPAddress, right: IPAddress) -> Bool {
    (left.family, left.high, left.low) < (right.family, right.high, right.low)
  }
}

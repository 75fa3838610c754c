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
    // inet_pton would take the text to end there.
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
    switch Int32(socketAddress.pointee.sa_family) {
    case AF_INET:
      var address = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
      self.init(networkBytes: withUnsafeBytes(of: &address) { UnsafeRawBufferPointer($0) })
    case AF_INET6:
      var address = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      self.init(networkBytes: withUnsafeBytes(of: &address) { UnsafeRawBufferPointer($0) })
    default: return nil
    }
  }

  /// Calls `body` with the address and a port as a socket address, and its size in bytes; `scope` is
  /// the interface on which a link-local IPv6 address is meant.
  public func withSocketAddress<Result>(
    port: UInt16, scope: Int32 = 0, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var storage = sockaddr_in6()
    var size = MemoryLayout<sockaddr_in6>.size
    withUnsafeMutableBytes(of: &storage) { raw in
      if family == .ipv6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        if isLinkLocal { address.sin6_scope_id = UInt32(bitPattern: scope) }
        withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in
          bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
          bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        raw.storeBytes(of: address, as: sockaddr_in6.self)
      } else {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(truncatingIfNeeded: low).bigEndian
        raw.storeBytes(of: address, as: sockaddr_in.self)
        size = MemoryLayout<sockaddr_in>.size
      }
    }
    return withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
    }
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

  /// The address with the bits after the first `length` cleared.
  public func masked(to length: UInt8) -> IPAddress {
    // IPv4 lies in the lower half's lower half. A shift by a whole half gives zero.
    let kept = Int(length) + (family == .ipv4 ? 96 : 0)
    return IPAddress(
      family: family, high: high & (.max << max(0, 64 - kept)),
      low: low & (.max << min(64, max(0, 128 - kept))))
  }

  /// `192.0.2.1` or `2001:db8::1`, as inet_ntop(3) writes it.
  public var description: String {
    String(unsafeUninitializedCapacity: IPAddress.longestText) { write(to: $0) }
  }

  /// The room that every address has as text.
  public static let longestText = Int(INET6_ADDRSTRLEN)

  /// Writes the address as text, without making a `String` of it; returns its length in bytes.
  public func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    family == .ipv4 ? writeDotted(to: buffer) : writeColonSeparated(to: buffer)
  }

  /// Written by hand: every event carries three addresses.
  private func writeDotted(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var length = 0
    func put(_ byte: UInt8) {
      buffer[length] = byte
      length += 1
    }
    for shift: UInt64 in [24, 16, 8, 0] {
      let part = UInt8(truncatingIfNeeded: low >> shift)
      if shift < 24 { put(UInt8(ascii: ".")) }
      if part >= 100 { put(UInt8(ascii: "0") + part / 100) }
      if part >= 10 { put(UInt8(ascii: "0") + part / 10 % 10) }
      put(UInt8(ascii: "0") + part % 10)
    }
    return length
  }

  private func writeColonSeparated(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var halves = (high.bigEndian, low.bigEndian)
    return buffer.withMemoryRebound(to: CChar.self) { text in
      guard let base = text.baseAddress,
        inet_ntop(AF_INET6, &halves, base, socklen_t(text.count)) != nil
      else { return 0 }
      return strlen(base)
    }
  }

  public static func < (left: IPAddress, right: IPAddress) -> Bool {
    (left.family, left.high, left.low) < (right.family, right.high, right.low)
  }
}

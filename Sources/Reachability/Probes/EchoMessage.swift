internal import Posix

/// The echoes of one exchange by ICMP or ICMPv6 (RFC 792, RFC 4443).
///
/// The kernel fills in the identifier, by which it knows whose the replies are, and the checksum;
/// what has to come back besides is a number that nobody can guess.
struct EchoMessage {
  private let family: IPAddress.Family
  private let nonce: UInt64

  init(_ family: IPAddress.Family, nonce: UInt64 = .random(in: 0 ... .max)) {
    self.family = family
    self.nonce = nonce
  }

  private static let headerSize = 8
  /// What a request and its reply take.
  static let size = headerSize + MemoryLayout<UInt64>.size

  /// A request by its number.
  func request(_ number: UInt16) -> [UInt8] {
    let type: UInt8 = family == .ipv4 ? 8 : 128
    var bytes = [type, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
    withUnsafeBytes(of: nonce.bigEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// The number of the request to which a message is the reply; nil where it is none of ours.
  func number(ofReply bytes: UnsafeRawBufferPointer) -> UInt16? {
    let type: UInt8 = family == .ipv4 ? 0 : 129
    guard bytes.count == EchoMessage.size, bytes[0] == type, bytes[1] == 0,
      UInt64(
        bigEndian: bytes.loadUnaligned(fromByteOffset: EchoMessage.headerSize, as: UInt64.self))
        == nonce
    else { return nil }
    return UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
  }
}

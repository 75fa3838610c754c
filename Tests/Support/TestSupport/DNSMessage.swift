public import Posix

/// A question that a nameserver was asked.
public struct DNSQuery: Hashable, Sendable {
  /// The name, in lower case and without a dot at its end.
  public let name: String
  /// 1 for IPv4 addresses, 28 for IPv6 ones.
  public let type: UInt16
  /// Whether it came over TCP.
  public let isTCP: Bool
  /// The whole message.
  public let message: [UInt8]

  /// The question in a message; nil where there is none.
  init?(parsing message: [UInt8], isTCP: Bool) {
    self.message = message
    self.isTCP = isTCP
    var labels: [String] = []
    var position = 12
    while position < message.count, message[position] != 0 {
      let end = position + 1 + Int(message[position])
      guard end <= message.count else { return nil }
      labels.append(String(decoding: message[(position + 1)..<end], as: UTF8.self))
      position = end
    }
    guard position + 5 <= message.count else { return nil }
    name = labels.joined(separator: ".").lowercased()
    type = UInt16(message[position + 1]) << 8 | UInt16(message[position + 2])
  }

  /// The end of the question within the message.
  private var questionEnd: Int { (message[12...].firstIndex(of: 0) ?? message.count - 5) + 5 }

  /// A message that answers it: with this code (3 is NXDOMAIN) and these records.
  public func answer(code: UInt8 = 0, flags: UInt8 = 0x80, records: [DNSRecord] = []) -> [UInt8] {
    var bytes = Array(message[..<2])
    bytes += [0x81, flags | code, 0, 1]
    bytes += bigEndian(UInt16(clamping: records.count)) + [0, 0, 0, 0]
    bytes += message[12..<questionEnd]
    for record in records { bytes += record.bytes }
    return bytes
  }
}

/// A record of an answer, about the name that was asked for.
public struct DNSRecord: Sendable {
  /// 1 for an IPv4 address, 28 for an IPv6 one.
  public let type: UInt16
  let bytes: [UInt8]

  /// A record of a type with its data.
  public init(type: UInt16, seconds: UInt32, data: [UInt8]) {
    self.type = type
    bytes =
      [0xc0, 0x0c] + bigEndian(type) + [0, 1] + bigEndian(seconds)
      + bigEndian(UInt16(data.count)) + data
  }

  /// An address, and how many seconds it holds.
  public init(_ address: IPAddress, seconds: UInt32 = 60) {
    var data: [UInt8] = []
    address.append(to: &data)
    self.init(type: address.family == .ipv4 ? 1 : 28, seconds: seconds, data: data)
  }
}

private func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: value.bigEndian) { Array($0) }
}

extension DNSQuery {
  /// A question for the IPv4 addresses of a name, as a client would send it.
  public static func example(_ name: String) -> DNSQuery? {
    let labels = name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    return DNSQuery(
      parsing: [0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + labels + [0, 0, 1, 0, 1], isTCP: false)
  }
}

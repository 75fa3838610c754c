import Posix
import Testing

@testable import Reachability

@Suite struct EchoMessages {
  private func number(_ message: EchoMessage, _ bytes: [UInt8]) -> UInt16? {
    bytes.withUnsafeBytes { message.number(ofReply: $0) }
  }

  @Test(arguments: [(IPAddress.Family.ipv4, UInt8(8), UInt8(0)), (.ipv6, 128, 129)])
  func `a reply is the request with another type`(
    family: IPAddress.Family, request: UInt8, reply: UInt8
  ) {
    let message = EchoMessage(family, nonce: 0x0102_0304_0506_0708)
    var bytes = message.request(0x1234)
    #expect(bytes == [request, 0, 0, 0, 0, 0, 0x12, 0x34, 1, 2, 3, 4, 5, 6, 7, 8])
    #expect(number(message, bytes) == nil)
    bytes[0] = reply
    // The kernel writes the checksum and its own identifier.
    bytes[2...5] = [0xab, 0xcd, 0x11, 0x22]
    #expect(number(message, bytes) == 0x1234)
  }

  @Test func `what another sent, is cut short, or longer, is no reply`() {
    let message = EchoMessage(.ipv4, nonce: 1)
    var bytes = EchoMessage(.ipv4, nonce: 2).request(1)
    bytes[0] = 0
    #expect(number(message, bytes) == nil)
    bytes = message.request(1)
    bytes[0] = 0
    for count in 0..<bytes.count { #expect(number(message, Array(bytes[..<count])) == nil) }
    #expect(number(message, bytes + [0]) == nil)
    bytes[1] = 1
    #expect(number(message, bytes) == nil)
    #expect(number(EchoMessage(.ipv6, nonce: 1), bytes) == nil)
  }
}

internal import Fuzzing
internal import Posix
@testable internal import Reachability

/// What comes back to a socket for echoes of ICMP.
@main enum EchoReplies: Fuzzer {
  static func check(_ input: Input) {
    for family in [IPAddress.Family.ipv4, .ipv6] {
      let message = EchoMessage(family, nonce: 0x7265_6163_6821_0a00)
      guard let number = message.number(ofReply: input.bytes) else { continue }
      // Nothing but type, checksum and identifier can differ from the request.
      let request = message.request(number)
      expect(input.bytes.count == request.count, "\(input.bytes.count) bytes")
      expect(Array(input.bytes[6...]) == Array(request[6...]), "not what was sent")
    }
  }
}

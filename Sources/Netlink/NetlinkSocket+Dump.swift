internal import CNetlink
internal import Glibc
internal import Posix

extension NetlinkSocket {
  /// Reads a dump to its end; false where a change interrupted it.
  borrowing func receiveDump(
    _ sequence: UInt32, _ operation: String, _ body: (Message) -> Void
  ) throws(SystemError) -> Bool {
    var consistent = true
    while true {
      guard case .datagram(let bytes) = try receive() else {
        throw SystemError(operation, code: ENOBUFS)
      }
      for message in MessageSequence(bytes) where isReply(message, to: sequence) {
        if message.header.nlmsg_flags & UInt16(NLM_F_DUMP_INTR) != 0 { consistent = false }
        if let code = message.errorCode { throw SystemError(operation, code: code) }
        if message.type == Int(NLMSG_DONE) { return consistent }
        body(message)
      }
    }
  }
}

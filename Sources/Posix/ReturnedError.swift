internal import CPosix
internal import Glibc

/// What the network, or this machine in its place, sent back instead of an answer: an error of
/// ICMP, as a socket with IP_RECVERR keeps it; ip(7), ipv6(7).
public struct ReturnedError: Equatable, Sendable {
  /// What is said.
  public enum Kind: Equatable, Sendable {
    /// Nothing leads to the network, or the way is a circle.
    case noNetwork
    /// The host does not answer on its own network.
    case noHost
    /// Nobody listens at the port.
    case noPort
    /// A rule forbids it, or it is not understood.
    case forbidden
  }

  /// What is said.
  public var kind: Kind
  /// Who says so.
  public var sender: IPAddress?

  /// An error, built by hand.
  public init(_ kind: Kind, from sender: IPAddress? = nil) {
    self.kind = kind
    self.sender = sender
  }

  /// Reads the control messages that come with an entry of a socket's error queue; nil where none
  /// of them says that what was sent came to nothing.
  public init?(controlMessages bytes: UnsafeRawBufferPointer) {
    let headerSize = MemoryLayout<cmsghdr>.size
    var rest = bytes
    while rest.count >= headerSize {
      let header = rest.loadUnaligned(as: cmsghdr.self)
      let length = Int(clamping: header.cmsg_len)
      guard length >= headerSize, length <= rest.count else { return nil }
      if ReturnedError.isErrorMessage(header) {
        self.init(message: UnsafeRawBufferPointer(rebasing: rest[headerSize..<length]))
        return
      }
      // CMSG_ALIGN: each begins at a multiple of a word.
      let word = MemoryLayout<Int>.size
      let next = (length + word - 1) / word * word
      guard next <= rest.count else { return nil }
      rest = UnsafeRawBufferPointer(rebasing: rest[next...])
    }
    return nil
  }

  private static func isErrorMessage(_ header: cmsghdr) -> Bool {
    header.cmsg_level == Int32(IPPROTO_IP) && header.cmsg_type == IP_RECVERR
      || header.cmsg_level == Int32(IPPROTO_IPV6) && header.cmsg_type == IPV6_RECVERR
  }

  private init?(message bytes: UnsafeRawBufferPointer) {
    switch cposix_read_returned(bytes.baseAddress, bytes.count) {
    case CPOSIX_NO_NETWORK: kind = .noNetwork
    case CPOSIX_NO_HOST: kind = .noHost
    case CPOSIX_NO_PORT: kind = .noPort
    case CPOSIX_FORBIDDEN: kind = .forbidden
    default: return nil
    }
    let offender = bytes[cposix_returned_size...]
    sender = ReturnedError.address(UnsafeRawBufferPointer(rebasing: offender))
  }

  private static func address(_ bytes: UnsafeRawBufferPointer) -> IPAddress? {
    guard bytes.count >= MemoryLayout<sockaddr_in>.size else { return nil }
    switch Int32(bytes.loadUnaligned(as: sa_family_t.self)) {
    case AF_INET:
      var address = bytes.loadUnaligned(as: sockaddr_in.self).sin_addr
      return withUnsafeBytes(of: &address) { IPAddress(networkBytes: $0) }
    case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
      var address = bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      return withUnsafeBytes(of: &address) { IPAddress(networkBytes: $0)?.unmapped }
    default: return nil
    }
  }
}

extension FileDescriptor {
  /// Takes what came back out of a socket's error queue, which takes the error off the socket too;
  /// nil where there is nothing that matters.
  public borrowing func takeReturnedError() -> ReturnedError? {
    withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { control in
      var message = msghdr()
      while true {
        message.msg_control = control.baseAddress
        message.msg_controllen = control.count
        guard recvmsg(number, &message, Int32(MSG_ERRQUEUE)) >= 0 else { return nil }
        let length = min(control.count, message.msg_controllen)
        if let error = ReturnedError(
          controlMessages: UnsafeRawBufferPointer(rebasing: control[..<length]))
        {
          return error
        }
      }
    }
  }

  /// The address from which a socket sends; nil where it has none.
  public borrowing func localAddress() -> IPAddress? {
    var storage = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    return withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        guard getsockname(number, $0, &length) == 0 else { return nil }
        return IPAddress(socketAddress: $0)?.unmapped
      }
    }
  }

  /// Lets a socket hear nothing but what arrives over loopback: what this machine itself sends.
  ///
  /// - Throws: what the kernel says, as for a descriptor that is no socket.
  public borrowing func hearLoopbackOnly() throws(SystemError) {
    _ = try checked("filter what a socket hears", cposix_hear_loopback_only(number))
  }
}

import Glibc
import Testing

@testable import Posix

/// A control message as the kernel lays it out: its size, level, type and bytes.
private func control(level: Int, type: Int32, _ bytes: [UInt8], length: Int? = nil) -> [UInt8] {
  var header = cmsghdr()
  header.cmsg_len = .init(length ?? MemoryLayout<cmsghdr>.size + bytes.count)
  header.cmsg_level = Int32(level)
  header.cmsg_type = type
  var message = withUnsafeBytes(of: header) { Array($0) } + bytes
  while message.count % 8 != 0 { message.append(0) }
  return message
}

/// A struct sock_extended_err and the IPv4 address of whoever sent the error.
private func error(
  origin: UInt8, type: UInt8, code: UInt8, from sender: [UInt8] = [192, 0, 2, 1]
) -> [UInt8] {
  let family = withUnsafeBytes(of: sa_family_t(AF_INET)) { Array($0) }
  return [111, 0, 0, 0, origin, type, code, 0] + [UInt8](repeating: 0, count: 8)
    + family + [0, 0] + sender + [UInt8](repeating: 0, count: 8)
}

private func read(_ bytes: [UInt8]) -> ReturnedError? {
  bytes.withUnsafeBytes { ReturnedError(controlMessages: $0) }
}

@Suite struct ReturnedErrors {
  private let ipv4 = Int(IPPROTO_IP)

  @Test(arguments: [
    (UInt8(3), UInt8(0), ReturnedError.Kind.noNetwork), (3, 6, .noNetwork), (3, 11, .noNetwork),
    (3, 1, .noHost), (3, 7, .noHost), (3, 3, .noPort), (3, 2, .forbidden), (3, 9, .forbidden),
    (3, 10, .forbidden), (3, 13, .forbidden), (11, 0, .noNetwork), (12, 0, .forbidden),
  ])
  func `an error of ICMP says what, and who says so`(
    type: UInt8, code: UInt8, kind: ReturnedError.Kind
  ) {
    let bytes = control(
      level: ipv4, type: IP_RECVERR, error(origin: 2, type: type, code: code))
    #expect(read(bytes) == ReturnedError(kind, from: IPAddress("192.0.2.1")))
  }

  @Test(arguments: [
    (UInt8(1), UInt8(0), ReturnedError.Kind.noNetwork), (1, 2, .noNetwork), (1, 3, .noHost),
    (1, 4, .noPort), (1, 1, .forbidden), (1, 5, .forbidden), (3, 0, .noNetwork),
    (4, 0, .forbidden),
  ])
  func `so does one of ICMPv6`(type: UInt8, code: UInt8, kind: ReturnedError.Kind) {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    let sender = withUnsafeBytes(of: address) { Array($0) }
    let message = Array(error(origin: 3, type: type, code: code)[..<16]) + sender
    let bytes = control(level: Int(IPPROTO_IPV6), type: IPV6_RECVERR, message)
    #expect(read(bytes) == ReturnedError(kind, from: IPAddress("::")))
  }

  @Test func `a packet that is too large, and what this machine itself finds out, end nothing`() {
    for (origin, type, code) in [(2, 3, 4), (3, 2, 0), (1, 0, 0), (4, 0, 0), (2, 5, 0)] {
      let message = error(origin: UInt8(origin), type: UInt8(type), code: UInt8(code))
      #expect(read(control(level: ipv4, type: IP_RECVERR, message)) == nil)
    }
  }

  @Test func `other control messages before it are passed over`() {
    let other = control(level: Int(SOL_SOCKET), type: 29, [1, 2, 3])
    let bytes = control(level: ipv4, type: IP_RECVERR, error(origin: 2, type: 3, code: 3))
    #expect(read(other + bytes) == ReturnedError(.noPort, from: IPAddress("192.0.2.1")))
    #expect(read(other) == nil)
  }

  @Test func `what is cut short or lies about its length says nothing, or not who`() {
    let message = error(origin: 2, type: 3, code: 3)
    let whole = control(level: ipv4, type: IP_RECVERR, message)
    for count in 0..<(whole.count) { #expect(read(Array(whole[..<count])) == nil) }
    for length in [0, 1, 15, 33, whole.count + 1, Int.max] {
      _ = read(control(level: ipv4, type: IP_RECVERR, message, length: length))
    }
    let anonymous = control(level: ipv4, type: IP_RECVERR, Array(message[..<16]))
    #expect(read(anonymous) == ReturnedError(.noPort))
  }
}

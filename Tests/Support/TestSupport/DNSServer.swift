internal import Glibc
public import Posix

/// A real nameserver on loopback that says what a test wants it to, over UDP and TCP.
///
/// Its sockets are in the network namespace of the thread that makes it. Gone with this value.
public final class DNSServer: Sendable {
  /// What it does with a question.
  public enum Reply: Sendable {
    /// Nothing.
    case silence
    /// These records; over UDP no more than 512 bytes of them, and the word that there are more.
    case records([DNSRecord])
    /// A code: 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED.
    case code(UInt8)
    /// These messages, as they are.
    case messages([[UInt8]])
  }

  /// Where it listens.
  public let address: String
  /// The port of both UDP and TCP.
  public let port: UInt16
  private let loop: EventLoop
  private let sockets: Sockets
  private let asked = Record<DNSQuery>()
  private let behaviour: Lock<Behaviour>

  // A closure that is read through a lock by itself is wrapped once more each time.
  private struct Behaviour {
    let reply: @Sendable (DNSQuery) -> Reply
  }

  private final class Sockets: Sendable {
    let udp: FileDescriptor
    let tcp: FileDescriptor

    init(_ udp: consuming FileDescriptor, _ tcp: consuming FileDescriptor) {
      self.udp = udp
      self.tcp = tcp
    }
  }

  /// Begins to listen.
  ///
  /// Port 0 takes a free one; a link-local address is that of the interface with the index `scope`.
  public init(
    at address: String = "127.0.0.1", port: UInt16 = 0, scope: Int32 = 0,
    answering behaviour: @escaping @Sendable (DNSQuery) -> Reply
  ) throws {
    self.address = address
    self.behaviour = Lock(Behaviour(reply: behaviour))
    loop = try EventLoop()
    (sockets, self.port) = try DNSServer.open(address, port, scope)
    loop.post { [weak self] in self?.watch() }
    try loop.runOnOwnThread(named: "dns-server")
  }

  deinit { loop.stop() }

  /// What it was asked, in order.
  public var questions: [DNSQuery] { asked.all }

  /// Does something else with questions from now on.
  public func answer(_ behaviour: @escaping @Sendable (DNSQuery) -> Reply) {
    self.behaviour.withLock { $0 = Behaviour(reply: behaviour) }
  }

  /// Makes the sockets of both kinds at one port.
  ///
  /// A free one of UDP may be taken in TCP; then another is looked for.
  private static func open(
    _ address: String, _ port: UInt16, _ scope: Int32, attempts: Int = 20
  ) throws -> (Sockets, UInt16) {
    let udp = try socket(SOCK_DGRAM, address, port, scope)
    let found = port == 0 ? try udp.localPort : port
    guard let tcp = try? socket(SOCK_STREAM, address, found, scope), listen(tcp.number, 64) == 0
    else {
      guard port == 0, attempts > 1 else { throw SystemError("listen at \(address) port \(found)") }
      return try open(address, port, scope, attempts: attempts - 1)
    }
    return (Sockets(udp, tcp), found)
  }

  private static func socket(
    _ type: __socket_type, _ address: String, _ port: UInt16, _ scope: Int32
  ) throws -> FileDescriptor {
    guard let ip = IPAddress(address) else { throw SystemError("read \(address)", code: EINVAL) }
    let number = Glibc.socket(
      Int32(ip.family.number), Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { throw SystemError("make a socket") }
    let descriptor = FileDescriptor(owning: number)
    var yes: Int32 = 1
    setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
    let result = ip.withSocketAddress(port: port, scope: scope) { bind(number, $0, $1) }
    guard result == 0 else { throw SystemError("bind \(address) port \(port)") }
    descriptor.setNonBlocking()
    return descriptor
  }

  private func watch() {
    let sockets = sockets
    do {
      _ = try loop.watch(sockets.udp) { [weak self] in self?.takeDatagrams() }
      _ = try loop.watch(sockets.tcp) { [weak self] in self?.takeConnection() }
    } catch {
      print("DNS server: \(error)")
    }
  }

  private func takeDatagrams() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      var peer = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let count = withUnsafeMutablePointer(to: &peer) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          recvfrom(sockets.udp.number, &buffer, buffer.count, 0, $0, &length)
        }
      }
      guard count >= 0 else { return }
      for message in replies(to: Array(buffer[..<count]), isTCP: false) {
        withUnsafePointer(to: &peer) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = sendto(sockets.udp.number, message, message.count, 0, $0, length)
          }
        }
      }
    }
  }

  /// Serves one client to its end, a second per message at most.
  private func takeConnection() {
    let number = accept(sockets.tcp.number, nil, nil)
    guard number >= 0 else { return }
    let connection = FileDescriptor(owning: number)
    var patience = timeval(tv_sec: 1, tv_usec: 0)
    setsockopt(
      number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var buffer = [UInt8](repeating: 0, count: 4096)
    while recv(connection.number, &buffer, 2, Int32(MSG_WAITALL)) == 2 {
      let length = min(4096, Int(buffer[0]) << 8 | Int(buffer[1]))
      guard recv(connection.number, &buffer, length, Int32(MSG_WAITALL)) == length
      else { return }
      for message in replies(to: Array(buffer[..<length]), isTCP: true) {
        let framed = [UInt8(message.count >> 8), UInt8(message.count & 0xff)] + message
        _ = send(connection.number, framed, framed.count, Int32(MSG_NOSIGNAL))
      }
    }
  }

  private func replies(to message: [UInt8], isTCP: Bool) -> [[UInt8]] {
    guard let query = DNSQuery(parsing: message, isTCP: isTCP) else { return [] }
    asked.note(query)
    switch behaviour.withLock({ $0 }).reply(query) {
    case .silence: return []
    case .code(let code): return [query.answer(code: code)]
    case .messages(let messages): return messages
    case .records(let records):
      let whole = query.answer(records: records)
      guard !isTCP, whole.count > 512 else { return [whole] }
      var cut = query.answer()
      cut[2] |= 2
      return [cut]
    }
  }
}

extension FileDescriptor {
  fileprivate var localPort: UInt16 {
    get throws {
      var address = sockaddr_in6()
      var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
      let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          getsockname(number, $0, &length)
        }
      }
      guard result == 0 else { throw SystemError("ask for a port") }
      return UInt16(bigEndian: address.sin6_port)
    }
  }
}

extension DNSServer {
  /// Answers from a table; names that are not in it are not there.
  public static func zone(
    _ names: [String: [IPAddress]], seconds: UInt32 = 60
  ) -> @Sendable (DNSQuery) -> Reply {
    { query in
      guard let addresses = names[query.name] else { return .code(3) }
      return .records(
        addresses.map { DNSRecord($0, seconds: seconds) }.filter { $0.type == query.type })
    }
  }
}

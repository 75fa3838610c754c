internal import Glibc
internal import Posix

/// One attempt to connect to a port, at one address after the other.
///
/// The next address is tried after a quarter of a second, or once the one before has failed; the
/// first that answers counts. Lives on an event loop until it has called its completion.
final class TCPProbe: ProbeAttempt {
  private let loop: EventLoop
  private let port: UInt16
  private let started = BootInstant.now
  private var rest: ArraySlice<IPAddress>
  private var connections: [Connection] = []
  private var failure: Reason
  private var nextTimer: LoopTimer?
  private var timeoutTimer: LoopTimer?
  private var completion: ((ProbeResult?) -> Void)?
  private let scope: Int32

  private final class Connection {
    let address: IPAddress
    let descriptor: FileDescriptor
    var source: EventLoop.Source?

    init(to address: IPAddress, _ descriptor: consuming FileDescriptor) {
      self.address = address
      self.descriptor = descriptor
    }
  }

  /// How long one address has before the next is tried beside it.
  static let headStart = Duration.milliseconds(250)

  /// Begins; `completion` is called once, on the loop and never before this returns, without a
  /// result where this machine lacked what an attempt takes.
  ///
  /// - Parameters:
  ///   - destination: where to; without an address it fails for want of one.
  ///   - port: where to there.
  ///   - timeout: when to give up.
  ///   - loop: where it lives.
  ///   - completion: takes the result.
  init(
    to destination: ProbeDestination, port: UInt16, timeout: Duration, on loop: EventLoop,
    completion: @escaping (ProbeResult?) -> Void
  ) {
    scope = destination.interface
    self.loop = loop
    self.port = port
    self.completion = completion
    rest = destination.addresses[...]
    failure = rest.isEmpty ? .dns : .timeout
    timeoutTimer = loop.schedule(at: started + timeout) { [self] in finish(.failure(.timeout)) }
    nextTimer = loop.schedule(at: started) { [self] in tryNext() }
  }

  /// Ends it without a result.
  func cancel() {
    completion = nil
    close()
  }

  private func tryNext() {
    if let nextTimer { loop.cancel(nextTimer) }
    nextTimer = nil
    while completion != nil, let address = rest.popFirst() {
      do {
        let connection = Connection(
          to: address, try TCPProbe.connect(to: address, scope: scope, port: port))
        connection.source = try loop.watch(connection.descriptor, .writable) { [self] in
          settle(connection)
        }
        connections.append(connection)
      } catch {
        if error.isLackOfResources { return finish(nil) }
        failure = Reason(connectError: error.code)
        continue
      }
      if !rest.isEmpty {
        nextTimer = loop.schedule(at: .now + TCPProbe.headStart) { [self] in tryNext() }
      }
      return
    }
    if connections.isEmpty { finish(.failure(failure)) }
  }

  /// Takes the outcome of a connection that stands or has failed.
  private func settle(_ connection: Connection) {
    let code = connection.descriptor.pendingError
    if code == 0 {
      return finish(.pass(latency: BootInstant.now - started, address: connection.address))
    }
    failure = Reason(connectError: code)
    drop(connection)
    tryNext()
  }

  private func drop(_ connection: Connection) {
    if let source = connection.source { loop.cancel(source) }
    connections.removeAll { $0 === connection }
  }

  private func finish(_ result: ProbeResult?) {
    let completion = completion
    self.completion = nil
    close()
    completion?(result)
  }

  private func close() {
    for connection in connections { drop(connection) }
    for timer in [nextTimer, timeoutTimer].compactMap(\.self) { loop.cancel(timer) }
    rest = []
  }

  private static func connect(
    to address: IPAddress, scope: Int32, port: UInt16
  ) throws(SystemError) -> FileDescriptor {
    let operation = "connect to \(address) port \(port)"
    let number = socket(
      Int32(address.family.number),
      Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard number >= 0 else { throw SystemError(operation) }
    let descriptor = FileDescriptor(owning: number)
    // Closing resets the connection: a probe leaves no port behind that waits for stragglers.
    var atOnce = linger(l_onoff: 1, l_linger: 0)
    setsockopt(number, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
    let result = address.withSocketAddress(port: port, scope: scope) {
      Glibc.connect(number, $0, $1)
    }
    guard result == 0 || errno == EINPROGRESS else { throw SystemError(operation) }
    return descriptor
  }
}

extension FileDescriptor {
  /// The error that a socket met in the background; SO_ERROR of socket(7).
  fileprivate var pendingError: Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
    return code
  }
}

extension SystemError {
  /// Whether this machine, and not the way or the other side, is at its limit.
  fileprivate var isLackOfResources: Bool {
    [EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL, EAGAIN].contains(code)
  }
}

extension Reason {
  /// What a connection's failure means, where the kernel has a path; connect(2), icmp(7).
  init(connectError code: Int32) {
    switch code {
    case ECONNREFUSED: self = .refused
    case ECONNRESET: self = .reset
    case ETIMEDOUT: self = .timeout
    case EHOSTUNREACH, ENETUNREACH, EHOSTDOWN: self = .hostUnreachable
    case EACCES: self = .prohibited
    case EPERM: self = .notPermitted
    default: self = .filtered
    }
  }
}

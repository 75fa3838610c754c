internal import Glibc
internal import Posix

/// Why an exchange with an address did not begin.
enum ProbeSocketError: Error, Equatable {
  /// This machine has no such socket to give, which says nothing of the other side.
  case unavailable(SystemError)
  /// This machine does not send there.
  case refused(Reason)
}

/// Makes the sockets that probes use: they block nobody, keep what the network sends back, and leave
/// through the interface that is asked for.
enum ProbeSocket {
  /// What is spoken over it.
  enum Kind {
    case stream
    /// Echoes of ICMP without privilege, IPPROTO_ICMP of icmp(7); ours to use where
    /// `net.ipv4.ping_group_range` holds a group of this process.
    case echo
  }

  /// Opens a socket and has it connect.
  ///
  /// - Parameters:
  ///   - kind: what is spoken.
  ///   - address: where to.
  ///   - port: where to there; no matter for echoes.
  ///   - destination: the interface and the source.
  ///   - prepare: is called with the socket before it connects.
  /// - Returns: the socket, which a stream is still connecting.
  /// - Throws: why there is none.
  static func connect(
    _ kind: Kind, to address: IPAddress, port: UInt16 = 0, _ destination: ProbeDestination,
    prepare: (borrowing FileDescriptor) throws(SystemError) -> Void = { _ in }
  ) throws(ProbeSocketError) -> FileDescriptor {
    let descriptor = try open(kind, address.family)
    try ProbeSocketError.unavailable { () throws(SystemError) in try prepare(descriptor) }
    descriptor.keepReturnedErrors(address.family)
    // What is this machine's own cannot be reached through another interface.
    if let interface = destination.boundInterface, !address.isLoopback {
      guard descriptor.bind(toInterface: interface) else { throw .refused(.interfaceMissing) }
    }
    guard let scope = destination.scope else { throw .refused(.interfaceMissing) }
    if let source = destination.source {
      let bound = source.withSocketAddress(port: 0, scope: scope) {
        bind(descriptor.number, $0, $1)
      }
      guard bound == 0 else { throw ProbeSocketError(connecting: address, code: errno) }
    }
    let result = address.withSocketAddress(port: port, scope: scope) {
      Glibc.connect(descriptor.number, $0, $1)
    }
    guard result == 0 || errno == EINPROGRESS else {
      throw ProbeSocketError(connecting: address, code: errno)
    }
    return descriptor
  }

  /// What keeps this process from sending echoes; nil where nothing does.
  static var echoObstacle: SystemError? {
    do throws(ProbeSocketError) {
      _ = try open(.echo, .ipv4)
      return nil
    } catch {
      guard case .unavailable(let error) = error, error.isForbidden else { return nil }
      return error
    }
  }

  private static func open(
    _ kind: Kind, _ family: IPAddress.Family
  ) throws(ProbeSocketError) -> FileDescriptor {
    let echo = family == .ipv4 ? Int32(IPPROTO_ICMP) : Int32(IPPROTO_ICMPV6)
    let number = socket(
      Int32(family.number),
      Int32((kind == .stream ? SOCK_STREAM : SOCK_DGRAM).rawValue)
        | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
      kind == .echo ? echo : 0)
    guard number >= 0 else {
      // A kernel without IPv6 has no way there.
      if errno == EAFNOSUPPORT { throw .refused(.noRoute) }
      let operation =
        kind == .echo
        ? "open a socket for ICMP, which the sysctl net.ipv4.ping_group_range allows (this process"
          + " is in group \(getegid()))"
        : "open a socket for a probe"
      throw .unavailable(SystemError(operation))
    }
    let descriptor = FileDescriptor(owning: number)
    if kind == .stream {
      // Closing resets the connection: a probe leaves no port behind that waits for stragglers.
      var atOnce = linger(l_onoff: 1, l_linger: 0)
      setsockopt(number, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
    }
    return descriptor
  }
}

extension ProbeDestination {
  /// The interface on which a link-local address is meant; nil where there is none of its name.
  var scope: Int32? {
    guard let zone else { return interface }
    let index = if_nametoindex(zone)
    return index == 0 ? nil : Int32(bitPattern: index)
  }

  /// The interface's name, where one is known.
  private var zoneName: String? {
    if let zone { return zone }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
      guard interface > 0, let base = buffer.baseAddress,
        if_indextoname(UInt32(interface), base) != nil
      else { return nil }
      return String(cString: base)
    }
  }

  /// The name server at one of the addresses.
  func nameserver(at address: IPAddress) -> Nameserver {
    nameservers.first { $0.address == address }
      ?? Nameserver(address, zone: address.isLinkLocal ? zoneName : nil)
  }
}

extension ProbeSocketError {
  /// Calls what a socket needs that was made for a probe.
  static func unavailable<Result>(
    in body: () throws(SystemError) -> Result
  ) throws(ProbeSocketError) -> Result {
    do throws(SystemError) { return try body() } catch { throw .unavailable(error) }
  }

  /// What it means that connect(2), bind(2) or send(2) fails at once: this machine says so itself.
  init(connecting address: IPAddress, code: Int32) {
    let error = SystemError("send a probe to \(address)", code: code)
    self = error.isLackOfResources ? .unavailable(error) : .refused(Reason(localError: code))
  }
}

extension FileDescriptor {
  /// The error that a socket met in the background; SO_ERROR of socket(7).
  var pendingError: Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
    return code
  }

  /// Keeps what the network sends back in place of an answer; IP_RECVERR of ip(7).
  borrowing func keepReturnedErrors(_ family: IPAddress.Family) {
    var on: Int32 = 1
    let (level, option) =
      family == .ipv4 ? (IPPROTO_IP, IP_RECVERR) : (IPPROTO_IPV6, IPV6_RECVERR)
    setsockopt(number, Int32(level), option, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  /// SO_BINDTODEVICE of socket(7), which takes no privilege since Linux 5.7.
  fileprivate borrowing func bind(toInterface name: String) -> Bool {
    var bytes = Array(name.utf8)
    return setsockopt(number, SOL_SOCKET, SO_BINDTODEVICE, &bytes, socklen_t(bytes.count)) == 0
  }
}

extension SystemError {
  /// Whether this machine, and not the way or the other side, is at its limit.
  var isLackOfResources: Bool {
    [EMFILE, ENFILE, ENOBUFS, ENOMEM, EAGAIN].contains(code)
  }

  /// Whether a right is what is lacking.
  fileprivate var isForbidden: Bool { code == EACCES || code == EPERM }
}

extension Reason {
  /// What it means that this machine itself does not send.
  init(localError code: Int32) {
    switch code {
    case EHOSTUNREACH: self = .hostUnreachable
    case EACCES: self = .prohibited
    case EINVAL: self = .blackhole
    case EPERM: self = .notPermitted
    case EADDRNOTAVAIL: self = .noAddress
    case ENODEV: self = .interfaceMissing
    case ENETDOWN: self = .linkDown
    default: self = .noRoute
    }
  }

  /// What it means that an error came back.
  ///
  /// - Parameters:
  ///   - error: what came.
  ///   - source: where the probe came from, which is also who speaks where a rule of this machine's
  ///     own forbids it.
  ///   - address: where it went.
  init(_ error: ReturnedError, from source: IPAddress?, to address: IPAddress) {
    let isOurs = error.sender != nil && error.sender == source && source != address
    switch error.kind {
    // The kernel itself says so of a neighbour that does not answer.
    case .noHost: self = .hostUnreachable
    case _ where isOurs: self = .notPermitted
    case .noNetwork: self = .hostUnreachable
    case .noPort where error.sender == address || error.sender == nil: self = .refused
    // A firewall on the way speaks in the host's place.
    case .noPort, .forbidden: self = .filtered
    }
  }

  /// What a connection's failure means, where nothing tells whether it came at once.
  init(someConnectError code: Int32) {
    switch code {
    case EINVAL, EADDRNOTAVAIL, EAFNOSUPPORT, ENODEV, ENETDOWN: self.init(localError: code)
    default: self.init(connectError: code)
    }
  }

  /// What a connection's failure in the background means, where nothing came back that tells more;
  /// connect(2).
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

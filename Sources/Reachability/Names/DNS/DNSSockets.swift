internal import CAres
internal import Glibc
internal import Posix

/// The sockets of a channel: made, connected and watched here instead of in c-ares, which knows no
/// zones and closes descriptors on exec only after it has made them.
///
/// Lives on the channel's event loop.
final class DNSSockets {
  private final class Socket {
    let descriptor: FileDescriptor
    var source: EventLoop.Source?
    /// Whom it is connected to.
    var peer: IPAddress?

    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
  }

  private let loop: EventLoop
  private let zone: UInt32
  private let interface: String?
  private var sockets: [Int32: Socket] = [:]
  /// Is called with a socket that can be read, or else written to.
  var ready: ((Int32, EventLoop.Interest) -> Void)?

  /// - Parameters:
  ///   - loop: where they are watched.
  ///   - zone: the interface on which a link-local server is meant.
  ///   - interface: the interface through which all packets go, whatever the routes.
  init(on loop: EventLoop, zone: String?, interface: String?) {
    self.loop = loop
    self.zone = zone.map { if_nametoindex($0) } ?? 0
    self.interface = interface
  }

  /// Why a server could last not be reached, as far as the kernel and the network tell.
  private(set) var refusal: Reason?

  /// Whether none is open.
  var isEmpty: Bool { sockets.isEmpty }

  fileprivate func open(_ family: Int32, _ type: Int32, _ protocolNumber: Int32) -> Int32 {
    let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let number = socket(family, type | flags, protocolNumber)
    guard number >= 0 else { return -1 }
    if let interface,
      setsockopt(
        number, SOL_SOCKET, SO_BINDTODEVICE, interface, socklen_t(interface.utf8.count)) != 0
    {
      close(number)
      return -1
    }
    let socket = Socket(FileDescriptor(owning: number))
    if let family = IPAddress.Family(number: UInt8(truncatingIfNeeded: family)) {
      socket.descriptor.keepReturnedErrors(family)
    }
    sockets[number] = socket
    return number
  }

  fileprivate func connect(
    _ number: Int32, to address: UnsafePointer<sockaddr>, _ length: socklen_t
  ) -> Int32 {
    let peer = IPAddress(socketAddress: address)
    sockets[number]?.peer = peer
    guard zone != 0, Int32(address.pointee.sa_family) == AF_INET6, peer?.isLinkLocal == true else {
      return noted(number, Glibc.connect(number, address, length))
    }
    var zoned = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
    zoned.sin6_scope_id = zone
    return withUnsafePointer(to: &zoned) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        noted(
          number, Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)))
      }
    }
  }

  /// Passes the result of a call on a socket on; where it failed, finds out why first.
  fileprivate func noted<Count: SignedInteger>(_ number: Int32, _ result: Count) -> Count {
    let code = errno
    guard result < 0, code != EINPROGRESS, code != EAGAIN, let socket = sockets[number] else {
      return result
    }
    if let returned = socket.descriptor.takeReturnedError(), let peer = socket.peer {
      refusal = Reason(returned, from: socket.descriptor.localAddress(), to: peer)
    } else if code != EINTR, code != ECONNREFUSED {
      refusal = Reason(localError: code)
    }
    errno = code
    return result
  }

  fileprivate func close(_ number: Int32) {
    if let source = sockets.removeValue(forKey: number)?.source { forget(source) }
  }

  /// Watches a socket as c-ares wants it; while it has something to write, what can be read waits.
  fileprivate func watch(_ number: Int32, _ interest: EventLoop.Interest?) {
    guard let socket = sockets[number] else { return }
    if let source = socket.source { forget(source) }
    socket.source = nil
    guard let interest else { return }
    // What cannot be watched is given up when its time is over.
    socket.source = try? loop.watch(socket.descriptor, interest) { [weak self] in
      self?.ready?(number, interest)
    }
  }

  /// Where the loop has ended, or a channel is let go from elsewhere, nothing is watched any more:
  /// the descriptor that is closed next falls out of the loop by itself.
  private func forget(_ source: EventLoop.Source) {
    if loop.isCurrent { loop.cancel(source) }
  }
}

extension DNSSockets {
  private static func of(_ data: UnsafeMutableRawPointer?) -> DNSSockets? {
    data.map { Unmanaged<DNSSockets>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Tells what c-ares wants to wait for; ares_init_options(3).
  static let stateChanged: ares_sock_state_cb = { data, number, readable, writable in
    of(data)?.watch(number, writable != 0 ? .writable : readable != 0 ? .readable : nil)
  }

  /// What c-ares calls instead of the system; ares_set_socket_functions(3).
  // Never written again, and c-ares only reads it: it keeps the pointer.
  nonisolated(unsafe) static let functions: UnsafeMutablePointer<ares_socket_functions> = {
    let functions = UnsafeMutablePointer<ares_socket_functions>.allocate(capacity: 1)
    functions.initialize(
      to: ares_socket_functions(
        asocket: { of($3)?.open($0, $1, $2) ?? -1 },
        aclose: { number, data in
          of(data)?.close(number)
          return 0
        },
        aconnect: { number, address, length, data in
          guard let address else { return -1 }
          return of(data)?.connect(number, to: address, length) ?? -1
        },
        arecvfrom: { number, buffer, size, flags, address, length, data in
          let count = recvfrom(number, buffer, size, flags, address, length)
          return of(data)?.noted(number, count) ?? count
        },
        asendv: { number, parts, count, data in
          let written = writev(number, parts, count)
          // What a datagram before this one met. It would be told of this one alone, and those
          // before it wait for nothing: sent anew, this one wakes us with the error for all.
          guard written < 0, errno == ECONNREFUSED else {
            return of(data)?.noted(number, written) ?? written
          }
          return writev(number, parts, count)
        }))
    return functions
  }()
}

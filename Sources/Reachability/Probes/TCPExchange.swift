internal import Posix

/// One attempt to connect to a port of an address.
final class TCPExchange: Exchange {
  private let loop: EventLoop
  private let address: IPAddress
  private let port: UInt16
  private let destination: ProbeDestination
  private let started = BootInstant.now
  private let descriptor: FileDescriptor
  private var source: EventLoop.Source?
  /// A second connection, made after a reset to learn who sent that.
  private var check: LoopbackCheck?
  private var ended: ((ExchangeOutcome) -> Void)?

  /// - Parameters:
  ///   - address: where to.
  ///   - port: where to there.
  ///   - destination: the interface and the source.
  ///   - loop: where it lives.
  ///   - ended: takes the outcome.
  /// - Throws: why it did not begin.
  init(
    to address: IPAddress, port: UInt16, _ destination: ProbeDestination, on loop: EventLoop,
    ended: @escaping (ExchangeOutcome) -> Void
  ) throws(ProbeSocketError) {
    self.loop = loop
    self.address = address
    self.port = port
    self.destination = destination
    self.ended = ended
    descriptor = try ProbeSocket.connect(.stream, to: address, port: port, destination)
    source = try ProbeSocketError.unavailable { () throws(SystemError) in
      try loop.watch(descriptor, .writable) { [self] in settle() }
    }
  }

  func cancel() {
    ended = nil
    close()
  }

  /// Takes the outcome of a connection that stands or has failed.
  private func settle() {
    // What came back is asked for first, for that takes the error off the socket.
    let returned = descriptor.takeReturnedError()
    let code = descriptor.pendingError
    let own = descriptor.localAddress()
    if let returned {
      return end(.failed(Reason(returned, from: own, to: address)))
    }
    if code == 0 { return end(.passed(latency: BootInstant.now - started)) }
    let reason = Reason(connectError: code)
    guard reason == .refused, own != address, !address.isLoopback else {
      return end(.failed(reason))
    }
    findOutWhoRefused()
  }

  /// A rule of this machine's own can answer with a reset that looks as if the host had sent it, but
  /// comes over loopback: one more connection hears nothing else.
  private func findOutWhoRefused() {
    if let source { loop.cancel(source) }
    source = nil
    do throws(ProbeSocketError) {
      check = try LoopbackCheck(to: address, port: port, destination, on: loop) { [self] isOurs in
        end(.failed(isOurs ? .notPermitted : .refused))
      }
    } catch {
      // Not in this turn, where the caller does not expect it.
      end(.failed(.refused))
    }
  }

  private func end(_ outcome: ExchangeOutcome) {
    let ended = ended
    self.ended = nil
    close()
    ended?(outcome)
  }

  private func close() {
    if let source { loop.cancel(source) }
    source = nil
    check?.cancel()
    check = nil
  }
}

/// Finds out whether this machine itself answers in a host's place.
private final class LoopbackCheck {
  private let loop: EventLoop
  private let descriptor: FileDescriptor
  private var source: EventLoop.Source?
  private var timer: LoopTimer?

  /// The kernel answers itself while it sends; this is for a loop that is busy.
  private static let patience = Duration.milliseconds(20)

  init(
    to address: IPAddress, port: UInt16, _ destination: ProbeDestination, on loop: EventLoop,
    found: @escaping (Bool) -> Void
  ) throws(ProbeSocketError) {
    self.loop = loop
    descriptor = try ProbeSocket.connect(.stream, to: address, port: port, destination) {
      socket throws(SystemError) in try socket.hearLoopbackOnly()
    }
    source = try ProbeSocketError.unavailable { () throws(SystemError) in
      try loop.watch(descriptor, .writable) { [self] in
        found(descriptor.takeReturnedError() == nil)
      }
    }
    timer = loop.schedule(at: .now + LoopbackCheck.patience) { found(false) }
  }

  func cancel() {
    if let source { loop.cancel(source) }
    if let timer { loop.cancel(timer) }
    source = nil
    timer = nil
  }
}

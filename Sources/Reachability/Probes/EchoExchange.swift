internal import Glibc
internal import Posix

/// Asks one address for an echo, again each second, until a reply or an error comes.
final class EchoExchange: Exchange {
  private let loop: EventLoop
  private let address: IPAddress
  private let descriptor: FileDescriptor
  private let message: EchoMessage
  /// When each request was sent, by its number; as many as the probe may take seconds.
  private var sent: [UInt16: BootInstant] = [:]
  private var source: EventLoop.Source?
  private var timer: LoopTimer?
  private var ended: ((ExchangeOutcome) -> Void)?

  /// How long to wait before asking again: as TCP does, so that one lost packet decides nothing.
  static let patience = Duration.seconds(1)

  /// - Parameters:
  ///   - address: of whom.
  ///   - destination: the interface and the source.
  ///   - loop: where it lives.
  ///   - ended: takes the outcome.
  /// - Throws: why it did not begin.
  init(
    with address: IPAddress, _ destination: ProbeDestination, on loop: EventLoop,
    ended: @escaping (ExchangeOutcome) -> Void
  ) throws(ProbeSocketError) {
    self.loop = loop
    self.address = address
    self.ended = ended
    message = EchoMessage(address.family)
    descriptor = try ProbeSocket.connect(.echo, to: address, destination)
    if let error = send() { throw error }
    source = try ProbeSocketError.unavailable { () throws(SystemError) in
      try loop.watch(descriptor) { [self] in receive() }
    }
    scheduleNext()
  }

  func cancel() {
    ended = nil
    close()
  }

  /// Sends one more request; returns why that fails, where it does.
  private func send() -> ProbeSocketError? {
    let number = UInt16(truncatingIfNeeded: sent.count + 1)
    let bytes = message.request(number)
    sent[number] = .now
    guard Glibc.send(descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0 else {
      return nil
    }
    return ProbeSocketError(connecting: address, code: errno)
  }

  private func scheduleNext() {
    timer = loop.schedule(at: .now + EchoExchange.patience) { [self] in
      // The next call on a socket tells of an error that came back, whatever it is for.
      if takeReturnedError() { return }
      switch send() {
      case .unavailable: end(.unavailable)
      case .refused(let reason): end(.failed(reason))
      case nil: scheduleNext()
      }
    }
  }

  private func receive() {
    if takeReturnedError() { return }
    // What does not matter would wake the loop for ever if it stayed.
    _ = descriptor.pendingError
    withUnsafeTemporaryAllocation(byteCount: EchoMessage.size + 1, alignment: 8) { buffer in
      while ended != nil, let count = receiveOne(into: buffer) {
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if let number = message.number(ofReply: bytes), let start = sent[number] {
          end(.passed(latency: BootInstant.now - start))
        }
      }
    }
  }

  /// Reads a message that the address sent; its length, or nil where there is no more.
  private func receiveOne(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    while true {
      var sender = sockaddr_in6()
      var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
      let (count, from) = withUnsafeMutablePointer(to: &sender) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          (
            recvfrom(descriptor.number, buffer.baseAddress, buffer.count, 0, $0, &length),
            IPAddress(socketAddress: $0)
          )
        }
      }
      guard count >= 0 else {
        if errno == EINTR { continue }
        return nil
      }
      // Though it is connected, such a socket hears replies of every host.
      if from == address { return count }
    }
  }

  /// Ends with what came back, if anything did.
  private func takeReturnedError() -> Bool {
    guard let returned = descriptor.takeReturnedError() else { return false }
    let reason = Reason(returned, from: descriptor.localAddress(), to: address)
    // An echo goes to no port: a rule speaks so.
    end(.failed(reason == .refused ? .filtered : reason))
    return true
  }

  private func end(_ outcome: ExchangeOutcome) {
    let ended = ended
    self.ended = nil
    close()
    ended?(outcome)
  }

  private func close() {
    if let source { loop.cancel(source) }
    if let timer { loop.cancel(timer) }
    source = nil
    timer = nil
  }
}

public import Posix

/// One probe under way; lives on an event loop until it has called its completion.
protocol ProbeAttempt: AnyObject {
  /// Ends it without a result.
  func cancel()
}

extension Probe {
  /// Sends it once.
  ///
  /// - Parameters:
  ///   - destination: where to.
  ///   - loop: where the attempt lives.
  ///   - client: who sends what is HTTP; other kinds need none.
  ///   - trace: is told, address by address, what an HTTP server answered, in words that may come
  ///     from outside.
  ///   - completion: is called once, on the loop and never before this returns, without a result
  ///     where this machine lacked what an attempt takes.
  /// - Returns: the attempt, which `cancel` ends.
  func begin(
    to destination: ProbeDestination, on loop: EventLoop, sharing client: HTTPClient? = nil,
    trace: @escaping (String) -> Void = { _ in }, completion: @escaping (ProbeResult?) -> Void
  ) -> any ProbeAttempt {
    switch kind {
    case .tcp(let port):
      race(to: destination, on: loop, completion: completion) {
        address, ended throws(ProbeSocketError) in
        try TCPExchange(to: address, port: port, destination, on: loop, ended: ended)
      }
    case .icmp:
      race(to: destination, on: loop, completion: completion) {
        address, ended throws(ProbeSocketError) in
        try EchoExchange(with: address, destination, on: loop, ended: ended)
      }
    case .dns(let name):
      race(to: destination, on: loop, completion: completion) {
        address, ended throws(ProbeSocketError) in
        try DNSExchange(
          asking: name, of: destination.nameserver(at: address),
          through: destination.boundInterface, timeout: timeout, on: loop, ended: ended)
      }
    case .http(let check):
      race(to: destination, on: loop, completion: completion) {
        [weak client] address, ended throws(ProbeSocketError) in
        guard let client else { throw .unavailable(HTTPClient.absence) }
        return try HTTPExchange(
          check, at: address, destination, timeout: timeout, sentBy: client, trace: trace,
          ended: ended)
      }
    }
  }

  private func race(
    to destination: ProbeDestination, on loop: EventLoop,
    completion: @escaping (ProbeResult?) -> Void, start: @escaping AddressRace.Start
  ) -> any ProbeAttempt {
    AddressRace(
      destination.addresses, timeout: timeout, on: loop, start: start, completion: completion)
  }

  /// What keeps this process from sending such a probe at all; nil where nothing does.
  public var obstacle: SystemError? {
    switch kind {
    case .icmp: ProbeSocket.echoObstacle
    case .http: HTTPClient.obstacle
    case .tcp, .dns: nil
    }
  }
}

internal import Posix

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
  ///   - completion: is called once, on the loop and never before this returns, without a result
  ///     where this machine lacked what an attempt takes.
  /// - Returns: the attempt, which `cancel` ends.
  func begin(
    to destination: ProbeDestination, on loop: EventLoop,
    completion: @escaping (ProbeResult?) -> Void
  ) -> any ProbeAttempt {
    switch kind {
    case .tcp(let port):
      TCPProbe(to: destination, port: port, timeout: timeout, on: loop, completion: completion)
    }
  }
}

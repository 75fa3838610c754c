/// What a target's probes say of it, by counting their results; no clock and no network.
///
/// From unknown the first result decides, then `rise` passes or `fall` failures in a row. Neither a
/// lost path nor another one resets the counters; but after a loss one pass is needed besides.
public struct ProbeMachine: Sendable {
  private enum State {
    case unknown, up, down
  }

  /// Why the target is not reachable.
  fileprivate struct Failure {
    var reason: Reason
    var cause = Cause.local
    var url: String?
  }

  private let fall: Int
  private let rise: Int
  private var state = State.unknown
  private var passes = 0
  private var failures = 0
  private var lastFailure = Failure(reason: .timeout)
  private var latency: Duration?

  /// The path that results count for.
  private var path: Path?
  /// Why the path was lost or, once a probe has failed since, why that did; until one passes.
  private var loss: Failure?

  /// The number of the present path: a result over an earlier one does not count.
  public private(set) var generation = 0

  /// Counters at zero.
  public init(fall: Int, rise: Int) {
    self.fall = fall
    self.rise = rise
  }

  /// Takes note of the kernel's verdict.
  ///
  /// - Returns: whether a probe is to be sent at once: the path is new, or another one.
  public mutating func note(kernel verdict: Verdict) -> Bool {
    guard verdict.status == .reachable else {
      if path != nil { loss = verdict.reason.map { Failure(reason: $0) } }
      path = nil
      return false
    }
    guard path?.isWay(of: verdict.path) != true else { return false }
    path = verdict.path
    generation += 1
    return true
  }

  /// Counts a result; one over a path that is no more is left out.
  public mutating func note(_ result: ProbeResult, generation: Int) {
    guard generation == self.generation, path != nil else { return }
    switch result {
    case .pass(let latency, _):
      passes += 1
      failures = 0
      loss = nil
      self.latency = latency
      if state == .unknown || passes >= rise { state = .up }
    case .failure(let reason, let url):
      failures += 1
      passes = 0
      lastFailure = Failure(reason: reason, cause: reason.probeCause, url: url)
      if loss != nil { loss = lastFailure }
      if state == .unknown || failures >= fall { state = .down }
    }
  }

  /// The verdict that the kernel's and the probes' make together.
  public func verdict(over kernel: Verdict) -> Verdict {
    guard kernel.status == .reachable else { return kernel }
    switch state {
    case .unknown: return Verdict(.unknown, path: kernel.path)
    case .down: return lastFailure.verdict(over: kernel.path)
    case .up:
      if let loss { return loss.verdict(over: kernel.path) }
      var verdict = kernel
      verdict.latency = latency
      return verdict
    }
  }
}

extension ProbeMachine.Failure {
  fileprivate func verdict(over path: Path) -> Verdict {
    Verdict(
      reason == .portal ? .portal : .unreachable, reason: reason, cause: cause, path: path, url: url
    )
  }
}

extension Reason {
  /// What a probe's failure is put down to; `local` where the probe did not leave this machine.
  var probeCause: Cause {
    switch self {
    case .dns: .dns
    case .hostUnreachable, .filtered, .timeout, .refused, .reset, .tls, .httpStatus, .portal:
      .remote
    default: .local
    }
  }
}

extension Path {
  /// Whether packets take the same way: interface, router and source.
  func isWay(of other: Path) -> Bool {
    interfaceIndex == other.interfaceIndex && underlayIndex == other.underlayIndex
      && gateway == other.gateway
      && (source == nil || other.source == nil || source == other.source)
  }
}

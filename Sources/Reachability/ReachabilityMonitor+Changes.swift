public import Posix

extension ReachabilityMonitor {
  /// A target and what has become of it.
  public struct Change: Sendable {
    /// The target.
    public let target: Target
    /// The verdict that stands now.
    public let verdict: Verdict
  }

  /// Watches targets on a thread of its own, for as long as the sequence is iterated.
  ///
  /// The first verdict of each comes first, then each change in order. Of changes that are not
  /// taken, the newest thousand are kept.
  ///
  /// - Parameters:
  ///   - targets: what is watched.
  ///   - options: how.
  /// - Returns: a sequence to be iterated once.
  /// - Throws: what the kernel says where it cannot be watched.
  public static func changes(
    of targets: [Target], options: Options = Options()
  ) throws(SystemError) -> AsyncStream<Change> {
    let loop = try EventLoop()
    let monitor = try ReachabilityMonitor(on: loop, options: options)
    let (changes, continuation) = AsyncStream.makeStream(
      of: Change.self, bufferingPolicy: .bufferingNewest(1000))
    continuation.onTermination = { _ in
      loop.post { monitor.assumeIsolated { $0.stop() } }
      loop.stop()
    }
    loop.post {
      monitor.assumeIsolated { $0.start(targets, continuation) }
    }
    try loop.runOnOwnThread(named: "reachability")
    return changes
  }

  private func start(_ targets: [Target], _ continuation: AsyncStream<Change>.Continuation) {
    var names: [TargetID: Target] = [:]
    for target in targets { names[add(target)] = target }
    let watched = names
    do {
      try start(
        delivering: { transitions in
          for transition in transitions {
            guard let target = watched[transition.target] else { continue }
            continuation.yield(Change(target: target, verdict: transition.to))
          }
        },
        reporting: { _ in })
    } catch {
      continuation.finish()
    }
  }
}

internal import Posix
internal import Reachability

/// What judges a host's targets, and tells of each change once; on the loop.
protocol TargetWatch {
  /// Watches a target.
  func add(_ target: Target) -> TargetID
  /// Watches a target that others make up, which are watched for as long as this is.
  func add(_ combination: Combination) -> TargetID
  /// Ends the watch of a target.
  func remove(_ id: TargetID)
  /// Begins to deliver, all transitions of one moment at once.
  func start(
    delivering deliver: @escaping @Sendable ([Transition]) -> Void,
    reporting report: @escaping @Sendable (SystemError) -> Void
  ) throws(SystemError)
  /// Delivers nothing any more.
  func stop()
}

/// The watch of what the kernel says.
struct KernelWatch: TargetWatch {
  private let monitor: ReachabilityMonitor

  init(_ monitor: ReachabilityMonitor) { self.monitor = monitor }

  func add(_ target: Target) -> TargetID { monitor.assumeIsolated { $0.add(target) } }

  func add(_ combination: Combination) -> TargetID {
    monitor.assumeIsolated { $0.add(combination) }
  }

  func remove(_ id: TargetID) { monitor.assumeIsolated { $0.remove(id) } }

  func start(
    delivering deliver: @escaping @Sendable ([Transition]) -> Void,
    reporting report: @escaping @Sendable (SystemError) -> Void
  ) throws(SystemError) {
    let problem = monitor.assumeIsolated { monitor -> SystemError? in
      do throws(SystemError) {
        try monitor.start(delivering: deliver, reporting: report)
        return nil
      } catch {
        return error
      }
    }
    if let problem { throw problem }
  }

  func stop() { monitor.assumeIsolated { $0.stop() } }
}

internal import Posix

/// The monitor of all instances, on a thread of its own; both live for as long as anybody watches.
actor SharedMonitor {
  /// A target that is watched.
  struct Place: Sendable {
    fileprivate let monitor: SharedMonitor
    fileprivate let id: TargetID
  }

  private struct Current {
    var monitor: SharedMonitor?
    var users = 0
  }

  private static let current = Lock(Current())

  private nonisolated let loop: EventLoop
  private let monitor: ReachabilityMonitor
  private var receivers: [TargetID: @Sendable (Verdict) -> Void] = [:]
  private var isStarted = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private init() throws(SystemError) {
    loop = try EventLoop()
    monitor = try ReachabilityMonitor(on: loop)
    try loop.runOnOwnThread(named: "reachability")
  }

  /// Watches a target; its first verdict has been received when this returns, where nothing must be
  /// sent for it.
  ///
  /// - Parameters:
  ///   - target: what is watched.
  ///   - receive: is called with each verdict on the monitor's thread, which it must not hold up.
  /// - Returns: the place to leave when the watch is to end.
  /// - Throws: what the kernel says where it cannot be watched.
  static func join(
    _ target: Target, _ receive: @escaping @Sendable (Verdict) -> Void
  ) throws(SystemError) -> Place {
    let shared = try current.withLock { current throws(SystemError) in
      let shared = if let monitor = current.monitor { monitor } else { try SharedMonitor() }
      current.monitor = shared
      current.users += 1
      return shared
    }
    switch shared.addAndWait(target, receive) {
    case .success(let id): return Place(monitor: shared, id: id)
    case .failure(let error):
      release()
      throw error
    }
  }

  /// Takes note that one less watches; the last one ends the thread.
  private static func release() {
    let ended = current.withLock { current -> SharedMonitor? in
      current.users -= 1
      guard current.users == 0 else { return nil }
      defer { current.monitor = nil }
      return current.monitor
    }
    guard let ended else { return }
    ended.loop.post { ended.assumeIsolated { $0.stop() } }
    ended.loop.stop()
  }

  private nonisolated func addAndWait(
    _ target: Target, _ receive: @escaping @Sendable (Verdict) -> Void
  ) -> Result<TargetID, SystemError> {
    let answer = Handover<Result<TargetID, SystemError>>()
    loop.post { [loop] in
      let result = self.assumeIsolated { $0.add(target, receive) }
      // The monitor judges a new target in a turn that it has posted.
      loop.post { answer.put(result) }
    }
    return answer.wait()
  }

  private func add(
    _ target: Target, _ receive: @escaping @Sendable (Verdict) -> Void
  ) -> Result<TargetID, SystemError> {
    do throws(SystemError) {
      try start()
    } catch {
      return .failure(error)
    }
    let id = monitor.assumeIsolated { $0.add(target) }
    receivers[id] = receive
    return .success(id)
  }

  private func start() throws(SystemError) {
    guard !isStarted else { return }
    let failure = monitor.assumeIsolated { monitor -> SystemError? in
      do throws(SystemError) {
        try monitor.start(
          delivering: { [weak self] transitions in
            self?.assumeIsolated { $0.deliver(transitions) }
          },
          // The monitor asks again by itself; until then what stands stands.
          reporting: { _ in })
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
    isStarted = true
  }

  private func deliver(_ transitions: [Transition]) {
    for transition in transitions { receivers[transition.target]?(transition.to) }
  }

  fileprivate func remove(_ id: TargetID) {
    monitor.assumeIsolated { $0.remove(id) }
    receivers[id] = nil
  }

  private func stop() { monitor.assumeIsolated { $0.stop() } }

  fileprivate nonisolated func leave(_ id: TargetID) {
    loop.post { self.assumeIsolated { $0.remove(id) } }
    SharedMonitor.release()
  }
}

extension SharedMonitor.Place {
  /// Ends the watch of the target.
  func leave() { monitor.leave(id) }
}

internal import Posix
internal import Reachability

/// Tells what happens to the targets that a command watches; on the loop.
protocol Teller: SendableMetatype {
  /// Begins, before anything happens.
  ///
  /// - Throws: why nothing can be told.
  mutating func begin() throws(SystemError)

  /// Tells all that happens at one moment, by the targets' names; false once that was enough.
  ///
  /// - Throws: why nothing more can be told.
  mutating func tell(
    _ news: [(target: String, transition: Transition)]
  ) throws(SystemError) -> Bool

  /// Tells that the machine has slept for so long until now, before what that has changed.
  ///
  /// - Throws: why nothing more can be told.
  mutating func tell(suspendOf duration: Duration, until now: BootInstant) throws(SystemError)
}

extension Teller {
  mutating func begin() throws(SystemError) {}
  mutating func tell(suspendOf duration: Duration, until now: BootInstant) throws(SystemError) {}
}

/// Watches targets for a command, without hooks, until it is ended.
actor Observation<Telling: Teller> {
  private let command: String
  private let loop: EventLoop
  private let monitor: ReachabilityMonitor
  private let targets: [Target]
  private let signals: Signals
  private var teller: Telling
  private var names: [TargetID: String] = [:]
  /// How long the machine had been suspended when that was last looked at.
  private var suspended = Duration.zero
  // Read after the loop has ended, when nothing else runs.
  nonisolated(unsafe) private var exitCode = ExitCode.success

  private init(
    _ command: String, of targets: [Target], _ options: ReachabilityMonitor.Options,
    endingAt signals: consuming Signals, on loop: EventLoop, telling teller: sending Telling
  ) throws(SystemError) {
    self.command = command
    self.targets = targets
    self.signals = signals
    self.loop = loop
    self.teller = teller
    monitor = try ReachabilityMonitor(on: loop, options: options)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Watches, on the calling thread.
  ///
  /// - Parameters:
  ///   - targets: what is watched.
  ///   - command: who errors come from.
  ///   - options: how the monitor is to work.
  ///   - end: when it ends; nil for no such time.
  ///   - signals: what else ends it.
  ///   - teller: what tells of it.
  /// - Returns: what the command ends with.
  /// - Throws: what the system says where a loop or a socket cannot be had.
  static func run(
    of targets: [Target], for command: String, _ options: ReachabilityMonitor.Options,
    until end: BootInstant?, endingAt signals: [Int32] = [],
    telling teller: sending Telling
  ) throws(SystemError) -> ExitCode {
    // Blocked before any other thread exists, so that no other thread takes them.
    let signals = try Signals(signals)
    Program.raiseDescriptorLimit()
    let loop = try EventLoop()
    let observation = try Observation(
      command, of: targets, options, endingAt: signals, on: loop, telling: teller)
    loop.post { observation.assumeIsolated { $0.start(until: end) } }
    loop.run()
    return observation.exitCode
  }

  private func start(until end: BootInstant?) {
    if let end { _ = loop.schedule(at: end) { self.finish() } }
    let targets = targets
    let ids = monitor.assumeIsolated { monitor in targets.map { monitor.add($0) } }
    for (id, target) in zip(ids, targets) { names[id] = target.name }
    suspended = loop.clock.timeSuspended
    // Asked for before the monitor's, which tells of the new state.
    _ = loop.watchResume { self.noteResume() }
    do throws(SystemError) {
      _ = try loop.watch(signals.descriptor) { self.finish() }
    } catch {
      return fail(error)
    }
    tell { (teller) throws(SystemError) in
      try teller.begin()
      return true
    }
    guard exitCode == .success else { return }
    do throws(SystemError) { try startMonitor() } catch { fail(error) }
  }

  private func startMonitor() throws(SystemError) {
    let command = command
    let failure = monitor.assumeIsolated { monitor -> SystemError? in
      do throws(SystemError) {
        try monitor.start(
          delivering: { transitions in self.assumeIsolated { $0.take(transitions) } },
          reporting: { StandardStream.error.write("reach \(command): \($0)\n") })
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  private func take(_ transitions: [Transition]) {
    let news = transitions.map { (target: names[$0.target] ?? "", transition: $0) }
    tell { (teller) throws(SystemError) in try teller.tell(news) }
  }

  private func noteResume() {
    let duration = loop.clock.timeSuspended - suspended
    suspended += duration
    let now = loop.clock.now
    tell { (teller) throws(SystemError) in
      try teller.tell(suspendOf: duration, until: now)
      return true
    }
  }

  /// Has the teller tell, and ends the watch where that was enough or cannot be told.
  private func tell(_ something: (inout Telling) throws(SystemError) -> Bool) {
    guard exitCode == .success else { return }
    do throws(SystemError) {
      // Of output that is lost the command line tells.
      if try !something(&teller) || StandardStream.output.failure != nil { finish() }
    } catch {
      fail(error, .usage)
    }
  }

  private func fail(_ error: SystemError, _ code: ExitCode = .unknown) {
    guard exitCode == .success else { return }
    StandardStream.error.write("reach \(command): \(error)\n")
    exitCode = code
    finish()
  }

  /// Ends the watch and the loop, once what is being told has been told.
  private func finish() {
    loop.post {
      self.assumeIsolated { observation in
        observation.monitor.assumeIsolated { $0.stop() }
        observation.loop.stop()
      }
    }
  }
}

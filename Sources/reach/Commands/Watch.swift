internal import Hooks
internal import Posix
internal import Reachability

/// Prints transitions as they happen, without hooks.
enum Watch: Command {
  static let name = "watch"
  static let summary = "print what becomes reachable and what does not, as it happens"
  static let operands = "TARGET…"
  static let options = [
    duration, count, CommonOption.json, CommonOption.medium, CommonOption.settle, every, timeout,
    fall, rise,
  ]

  static let details = """
    First comes how each target stands, then what changes. --every, --timeout, --fall and --rise are
    for targets that are probed.

    """

  private static let duration = Option("--for", "DURATION", "end after that time")
  private static let count = Option("--count", "N", "end after N events")
  private static let every = Option("--every", "DURATION", "how often to probe (default 30s)")
  private static let timeout = Option(
    "--timeout", "DURATION", "how long a probe may take (default 3s)")
  private static let fall = Option(
    "--fall", "N", "failures in a row that make a target unreachable (default 3)")
  private static let rise = Option(
    "--rise", "N", "passes in a row that make it reachable again (default 2)")

  static func run(_ arguments: Arguments) throws -> ExitCode {
    guard !arguments.operands.isEmpty else {
      throw UsageError("no target given; try: reach watch internet")
    }
    Program.raiseDescriptorLimit()
    let loop = try EventLoop()
    let watcher = try Watcher(
      targets: try arguments.operands.map { try probed(Target(argument: $0), arguments) },
      options: try arguments.monitorOptions(), on: loop,
      asJSON: arguments.has(CommonOption.json), remaining: try arguments.count(count))
    let end = try arguments.duration(duration).map { BootInstant.now + $0 }
    loop.post { watcher.assumeIsolated { $0.start(until: end) } }
    loop.run()
    return watcher.exitCode
  }

  /// The target with its probe set as the options say.
  private static func probed(_ target: Target, _ arguments: Arguments) throws -> Target {
    var target = target
    let given = [every, timeout, fall, rise].filter { arguments.value($0) != nil }
    if let option = given.first, target.probe == nil {
      throw UsageError("\(option.name) is for probes, and \(target.name.printable) has none")
    }
    if let every = try arguments.duration(every) { target.probe?.every = every }
    if let timeout = try arguments.duration(timeout) { target.probe?.timeout = timeout }
    if let fall = try arguments.count(fall) { target.probe?.fall = fall }
    if let rise = try arguments.count(rise) { target.probe?.rise = rise }
    if let probe = target.probe, !Probe.intervals.contains(probe.every) {
      throw UsageError("--every: \(Probe.intervals.described)")
    }
    if let probe = target.probe, !Probe.timeouts.contains(probe.timeout) {
      throw UsageError("--timeout: \(Probe.timeouts.described)")
    }
    return target
  }
}

/// Joins a monitor to standard output.
private actor Watcher {
  private let loop: EventLoop
  private let monitor: ReachabilityMonitor
  private let targets: [Target]
  private let asJSON: Bool
  private var remaining: Int?
  private var names: [TargetID: String] = [:]
  private var last: [TargetID: Event] = [:]
  // Read after the loop has ended, when nothing else runs.
  nonisolated(unsafe) private(set) var exitCode = ExitCode.success

  init(
    targets: [Target], options: ReachabilityMonitor.Options, on loop: EventLoop, asJSON: Bool,
    remaining: Int?
  ) throws {
    self.targets = targets
    self.loop = loop
    self.asJSON = asJSON
    self.remaining = remaining
    monitor = try ReachabilityMonitor(on: loop, options: options)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  func start(until end: BootInstant?) {
    if let end { _ = loop.schedule(at: end) { self.finish() } }
    let targets = targets
    let ids = monitor.assumeIsolated { monitor in targets.map { monitor.add($0) } }
    for (id, target) in zip(ids, targets) { names[id] = target.name }
    let failure = monitor.assumeIsolated { monitor -> SystemError? in
      do throws(SystemError) {
        try monitor.start(
          delivering: { transitions in self.assumeIsolated { $0.print(transitions) } },
          reporting: { StandardStream.error.write("reach watch: \($0)\n") })
        return nil
      } catch {
        return error
      }
    }
    if let failure {
      StandardStream.error.write("reach watch: \(failure)\n")
      exitCode = .unknown
      finish()
    }
  }

  /// Ends the watch and the loop, once what is being told has been told.
  private func finish() {
    loop.post {
      self.assumeIsolated { watcher in
        watcher.monitor.assumeIsolated { $0.stop() }
        watcher.loop.stop()
      }
    }
  }

  private func print(_ transitions: [Transition]) {
    for transition in transitions where remaining != 0 {
      let event = Event(
        name: names[transition.target] ?? "", transition: transition, after: last[transition.target]
      )
      last[transition.target] = event
      StandardStream.output.write((asJSON ? event.json : event.line) + "\n")
      remaining = remaining.map { $0 - 1 }
    }
    if remaining == 0 { finish() }
  }
}

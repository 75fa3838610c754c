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
    return try Observation.run(
      of: try arguments.operands.map { try probed(Target(argument: $0), arguments) }, for: name,
      try arguments.monitorOptions(),
      until: try arguments.duration(duration).map { BootInstant.now + $0 },
      telling: Printer(
        asJSON: arguments.has(CommonOption.json), remaining: try arguments.count(count)))
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

/// Writes events to standard output, as many as are wanted.
private struct Printer: Teller {
  let asJSON: Bool
  var remaining: Int?
  private var last: [TargetID: Event] = [:]

  init(asJSON: Bool, remaining: Int?) {
    self.asJSON = asJSON
    self.remaining = remaining
  }

  mutating func tell(_ news: [(target: String, transition: Transition)]) -> Bool {
    for (target, transition) in news where remaining != 0 {
      let event = Event(name: target, transition: transition, after: last[transition.target])
      last[transition.target] = event
      StandardStream.output.write((asJSON ? event.json : event.line) + "\n")
      remaining = remaining.map { $0 - 1 }
    }
    return remaining != 0
  }
}

internal import Hooks
internal import Posix
internal import Reachability

/// Writes what happens to the targets of hooks as a timeline, and runs none of them.
enum Record: Command {
  static let name = "record"
  static let summary = "write what happens to the targets of hooks as a timeline, and run none"
  static let operands = "FILE [PATH…]"
  static let options = [duration, force, CommonOption.medium, CommonOption.settle]
  static let details = """
    PATH are files or folders of hooks, as for reach run. FILE, or standard output for -, gets a line
    for each change of a target, by its name, as it happens:

      @start 2026-11-30T18:00:00+01:00
      0 internet reachable wifi interface=wlan0 gateway=192.0.2.1 ssid=Home
      95.5 internet unreachable reason=no-carrier
      120.25 @suspend 1h

    Combined targets are left out: their members say how they stand. FILE must be new or empty
    unless --force is given. Ends with Ctrl-C, or SIGTERM. How a timeline is read, so that one can be
    written by hand too: /usr/share/doc/reach/examples/README.md.

    """

  private static let duration = Option("--for", "DURATION", "end after that time")
  private static let force = Option("--force", "replace what FILE holds")

  static func run(_ arguments: Arguments) throws -> ExitCode {
    guard let file = arguments.operands.first else {
      throw UsageError("no file given; try: reach record today.txt")
    }
    guard !file.hasSuffix(".lua") else {
      throw UsageError(
        "\(file.printable) is a script; what is written goes first: reach record today.txt "
          + file.printable)
    }
    let paths = try arguments.pathsOrStandard(
      after: 1, example: "reach record \(file.printable) greet.lua")
    guard let plan = try plan(for: paths) else { return .no }
    guard !plan.targets.isEmpty else {
      throw UsageError("no hook uses a target in \(paths.joined(separator: ", ").printable)")
    }
    let options = try arguments.monitorOptions()
    let duration = try arguments.duration(duration)
    let recording = try Recording(plan, in: file, replacing: arguments.has(force))
    return try Observation.run(
      of: plan.targets, for: name, options, until: duration.map { BootInstant.now + $0 },
      endingAt: [Signals.terminate, Signals.interrupt], telling: recording)
  }

  /// What is to be watched for the scripts at some paths; nil where one has a fault, which is told.
  private static func plan(for paths: [String]) throws -> RecordingPlan? {
    let discovery = try ScriptSource.scripts(at: paths)
    let checks = ScriptCheck.check(discovery.sources)
    let faults = discovery.refusals + checks.compactMap(\.fault)
    for fault in faults { complain("\(fault)") }
    // What is not recorded cannot be had later.
    guard faults.isEmpty else { return nil }
    let scripts = checks.compactMap { check -> (ScriptSource, ScriptDeclarations)? in
      guard case .success(let declarations) = check.result else { return nil }
      return (check.source, declarations)
    }
    for finding in checks.flatMap(\.findings) where finding.code == .probeRefused {
      complain("warning: \(finding.place) \(finding.message)")
    }
    let plan = RecordingPlan(scripts)
    if let (first, second) = plan.conflicts.first {
      throw UsageError(
        "\"\(first.target.name.printable)\" is \(account(of: first)) and \(account(of: second)); "
          + "a timeline tells targets by name, so give one of them another")
    }
    for (first, second) in plan.likenesses {
      complain(
        "warning: \"\(first.target.name)\" is probed and counted as in \(first.source.path), not as "
          + "in \(second.source.path)")
    }
    return plan
  }

  private static func account(of use: RecordingPlan.Use) -> String {
    "\(use.target.account) in \(use.source.path)".printable
  }

  private static func complain(_ text: String) {
    StandardStream.error.write("reach record: \(text.printable)\n")
  }
}

/// A timeline that grows in a file or on standard output, by one whole moment after the other.
private final class Recording: Teller {
  private let plan: RecordingPlan
  private var recorder = TimelineRecorder()
  /// Nil for standard output.
  private var file: GrowingFile?

  init(_ plan: RecordingPlan, in path: String, replacing replaces: Bool) throws {
    self.plan = plan
    guard path != "-" else { return }
    do throws(SystemError) {
      file = try GrowingFile(path, replacing: replaces)
    } catch {
      guard error.isPresence else { throw error }
      throw UsageError("\(path.printable) holds something; --force replaces it")
    }
  }

  /// Writes what is recorded, as comments.
  func begin() throws(SystemError) {
    var text = "# Recorded by reach \(Program.version), of these targets of hooks:\n"
    for target in plan.targets { text += "#   \(DeclaredTarget.single(target).row)\n" }
    if !plan.combined.isEmpty {
      text += "# They make up these:\n"
      for target in plan.combined { text += "#   \(DeclaredTarget.combined(target).row)\n" }
    }
    try write(text)
  }

  func tell(_ news: [(target: String, transition: Transition)]) throws(SystemError) -> Bool {
    try write(recorder.note(news))
    return true
  }

  func tell(suspendOf duration: Duration, until now: BootInstant) throws(SystemError) {
    try write(recorder.note(suspendOf: duration, until: now))
  }

  private func write(_ text: String) throws(SystemError) {
    if text.isEmpty { return }
    if file == nil {
      StandardStream.output.write(text)
    } else {
      try file?.append(text)
    }
  }
}

extension ScriptCheck {
  /// What is wrong with the script; nil where it could be loaded.
  fileprivate var fault: ScriptError? {
    guard case .failure(let error) = result else { return nil }
    return error
  }
}

extension DeclaredTarget {
  /// What is judged, and by what rules: `192.0.2.7, TCP port 22, no wwan`.
  fileprivate var account: String {
    ([subject] + [probe?.text].compactMap(\.self) + rules).joined(separator: ", ")
  }

  /// Its name, and its account where that says more.
  fileprivate var row: String { (account == name ? name : "\(name) = \(account)").printable }
}

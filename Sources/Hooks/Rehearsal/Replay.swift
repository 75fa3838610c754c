internal import Posix
internal import Reachability

/// A timeline that is fed to hooks, of which nothing is done.
public struct Replay {
  /// Something that happens.
  public struct Line: Sendable {
    /// Seconds since the timeline's second 0.
    public let seconds: Double
    /// `script/hook`, a target's name, or nothing.
    let subject: String
    let happening: Happening
  }

  enum Happening: Sendable {
    /// What stands for a target from now on.
    case verdict(Verdict)
    case machine(Timeline.MachineEvent)
    /// Handlers are called.
    case call(Event, HandlerSet)
    /// What begins to keep a hook from hearing, with the second of its end where that is known.
    case hold(HookHold, until: Double?)
    /// What was kept from a hook is no longer true, and so is never told.
    case drop(HookHold)
    case deed(Stage.Deed)
    case failure(String)
  }

  private let rehearsal: Rehearsal
  private let timeline: Timeline

  /// Monday 2026-01-05, noon where it is read: when nobody says when it is.
  private static let noon = WallTime(local: 1_767_614_400)
  /// How long after the last line is waited for what is still to come.
  private static let longestEpilogue = Duration.seconds(86400)

  /// Loads hooks for a timeline.
  ///
  /// - Parameters:
  ///   - timeline: what happens.
  ///   - paths: files or folders of scripts.
  /// - Throws: what is wrong with the scripts.
  public init(_ timeline: Timeline, to paths: [String]) throws(RehearsalFailure) {
    self.timeline = timeline
    let start = (timeline.start ?? Replay.noon).seconds(offset: WallClock.offset)
    rehearsal = try Rehearsal(paths, at: start)
  }

  /// The targets of the timeline that no hook has, and those of hooks that it says nothing of.
  public var strangers: (unused: [String], unknown: [String]) {
    let (told, watched) = (timeline.targets, rehearsal.targetNames)
    var known = Set(told)
    return (
      told.filter { !watched.contains($0) }, watched.filter { known.insert($0).inserted }
    )
  }

  /// Feeds it.
  ///
  /// - Parameters:
  ///   - epilogue: how long hooks are watched after the last line; nil for until nothing is under way.
  ///   - report: is called with what happens, in order.
  /// - Throws: what is wrong where scripts are loaded anew.
  public func run(
    for epilogue: Duration?, report: @escaping (Line) -> Void
  ) throws(RehearsalFailure) {
    let teller = Teller(rehearsal, report)
    rehearsal.observe = { teller.tell() }
    defer { rehearsal.observe = nil }
    let watched = Set(rehearsal.targetNames)
    for moment in timeline.moments {
      try rehearsal.advance(to: teller.instant(of: moment.time))
      let changes = moment.changes.filter { watched.contains($0.target) }
      for change in changes {
        let verdict = rehearsal.verdict(change.verdict, ofTargetNamed: change.target)
        teller.report(change.target, .verdict(verdict))
      }
      try rehearsal.set(
        Dictionary(changes.map { ($0.target, $0.verdict) }, uniquingKeysWith: { $1 }))
      if let event = moment.event { try lead(event, teller) }
    }
    let end = rehearsal.now + (epilogue ?? Replay.longestEpilogue)
    try rehearsal.advance(to: end) { epilogue != nil || rehearsal.isUnderWay }
  }

  private func lead(
    _ event: Timeline.MachineEvent, _ teller: Teller
  ) throws(RehearsalFailure) {
    teller.report("", .machine(event))
    switch event {
    case .suspend(let duration): try rehearsal.suspend(for: duration)
    case .restart: try rehearsal.restart()
    case .boot: try rehearsal.reboot()
    }
  }
}

/// Tells of what is new on a stage.
private final class Teller {
  private let rehearsal: Rehearsal
  private let line: (Replay.Line) -> Void
  /// The moment of second 0.
  private let zero: BootInstant
  private var told = 0
  private var holds: [HookHold] = []

  init(_ rehearsal: Rehearsal, _ line: @escaping (Replay.Line) -> Void) {
    self.rehearsal = rehearsal
    self.line = line
    zero = rehearsal.now
  }

  func instant(of time: Duration) -> BootInstant { zero + time }

  func report(_ subject: String, _ happening: Replay.Happening, at moment: BootInstant? = nil) {
    let passed = (moment ?? rehearsal.now) - zero
    line(Replay.Line(seconds: passed.seconds, subject: subject, happening: happening))
  }

  /// Tells of what has happened, and of what keeps hooks from hearing now.
  func tell() {
    let entries = rehearsal.stage.entries
    var called: Set<String> = []
    for entry in entries[told...] {
      switch entry.happening {
      case .call(let event, let handlers):
        called.insert(entry.origin)
        report(entry.origin, .call(event, handlers), at: entry.moment)
      case .deed(let deed): report(entry.origin, .deed(deed), at: entry.moment)
      case .failure(let message): report(entry.origin, .failure(message), at: entry.moment)
      case .line, .loadFault: break
      }
    }
    told = entries.count
    let now = rehearsal.holds
    for hold in holds where hold.isWaiting {
      let goesOn = now.contains { $0.hook == hold.hook }
      if !goesOn, !called.contains(hold.hook), rehearsal.now < hold.end ?? .init(nanoseconds: .max)
      {
        report(hold.hook, .drop(hold))
      }
    }
    for hold in now where !holds.contains(hold) {
      report(hold.hook, .hold(hold, until: hold.end.map { ($0 - zero).seconds }))
    }
    holds = now
  }
}

extension HookHold {
  /// Whether it keeps back something that will be told if it stays true.
  fileprivate var isWaiting: Bool { kind == .stable || kind == .apart || kind == .resume }
}

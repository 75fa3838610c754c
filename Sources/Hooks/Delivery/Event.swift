public import Reachability

/// What a handler is given: a target's verdict, and how it differs from what was seen before.
public struct Event: Hashable, Sendable {
  /// The target's name.
  public var target: String
  /// The verdict.
  public var verdict: Verdict
  /// The status seen before; unknown at first.
  public var was: Status
  /// The medium seen before.
  public var wasVia: Medium?
  /// What differs from what was seen before.
  public var changed: Verdict.Changes
  /// What brought it about.
  public var cause: Cause
  /// When the status began, in Unix seconds.
  public var since: Int64
  /// How many seconds the status before had lasted; nil after unknown and within one status.
  public var lasted: Int64?
  /// When the event was let go, in Unix seconds.
  public var at: Int64
  /// The number of the transition, counted over all targets from 1.
  public var sequence: Int64
  /// Whether it is the first verdict after a load.
  public var isInitial = false
  /// How many transitions were skipped before it.
  public var missed = 0
  /// 0, or the how-manieth repeat this is.
  public var again = 0
  /// Whether the run that was told this before was broken off.
  public var isRetried = false

  /// What a watcher that sees every transition is told of one.
  ///
  /// - Parameters:
  ///   - name: the target's name.
  ///   - transition: what happened.
  ///   - previous: the event told of that target before, whose status may go on.
  public init(name: String, transition: Transition, after previous: Event? = nil) {
    let goesOn = previous.map { $0.verdict.status == transition.to.status } ?? false
    target = name
    verdict = transition.to
    was = transition.from.status
    wasVia = transition.from.via
    changed = transition.to.changes(from: transition.from)
    cause = transition.from.status == .unknown ? .restart : transition.to.cause
    let start = goesOn ? previous?.since ?? transition.time : transition.time
    since = start
    lasted =
      goesOn || transition.from.status == .unknown ? nil : previous.map { start - $0.since }
    at = transition.time
    sequence = transition.sequence
    isInitial = previous == nil
  }

  init(
    target: String, verdict: Verdict, was: Status, wasVia: Medium?, changed: Verdict.Changes,
    cause: Cause, since: Int64, lasted: Int64?, at: Int64, sequence: Int64
  ) {
    self.target = target
    self.verdict = verdict
    self.was = was
    self.wasVia = wasVia
    self.changed = changed
    self.cause = cause
    self.since = since
    self.lasted = lasted
    self.at = at
    self.sequence = sequence
  }
}

public import Posix
public import Reachability

/// How long a verdict must hold before a hook sees it.
public struct Stability: Hashable, Sendable {
  /// The duration for statuses that have none of their own.
  public var standard = Duration.zero
  /// Durations of their own, by status.
  public var byStatus: [Status: Duration] = [:]

  /// Everything is seen at once.
  public init() {}

  /// The duration for a status.
  public subscript(status: Status) -> Duration { byStatus[status] ?? standard }
}

/// What of a target one hook sees: only what holds for long enough; time is an argument.
///
/// What does not hold that long does not exist for the hook.
public struct StableView: Sendable {
  /// A verdict that has held for long enough.
  public struct Sighting: Hashable, Sendable {
    /// The verdict, as it is when it is seen.
    public var verdict: Verdict
    /// When it began, in Unix seconds.
    public var since: Int64
    /// The number of the transition that brought it.
    public var sequence: Int64
  }

  private let stability: Stability
  private var stable: Verdict?
  private var candidate: (sighting: Sighting, began: BootInstant)?

  /// A view that has seen nothing.
  public init(_ stability: Stability) { self.stability = stability }

  /// Takes note of a transition.
  public mutating func note(_ transition: Transition) {
    let verdict = transition.to
    if verdict.status == .unknown || stable?.isAlike(verdict) == true {
      candidate = nil
    } else if candidate?.sighting.verdict.isAlike(verdict) == true {
      candidate?.sighting.verdict = verdict
    } else {
      let sighting = Sighting(
        verdict: verdict, since: transition.time, sequence: transition.sequence)
      candidate = (sighting, transition.instant)
    }
  }

  /// When what holds now will have held for long enough; nil where there is nothing new.
  public var deadline: BootInstant? {
    candidate.map { $0.began + stability[$0.sighting.verdict.status] }
  }

  /// What has held for long enough by now and was not seen before.
  public mutating func release(at now: BootInstant) -> Sighting? {
    guard let deadline, deadline <= now, let sighting = candidate?.sighting else { return nil }
    stable = sighting.verdict
    candidate = nil
    return sighting
  }
}

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
  /// Until when nothing worse than what was seen is seen.
  private var betterUntil: BootInstant?

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

  /// Keeps back what is worse than what was seen, since the machine has resumed from suspend.
  public mutating func resume(until end: BootInstant) { betterUntil = end }

  /// When what holds now will have held for long enough; nil where there is nothing new.
  public var deadline: BootInstant? { holdsFrom.map { keptBackUntil ?? $0 } }

  private var holdsFrom: BootInstant? {
    candidate.map { $0.began + stability[$0.sighting.verdict.status] }
  }

  /// Until when it is kept back beyond that.
  private var keptBackUntil: BootInstant? {
    guard let betterUntil, let holdsFrom, holdsFrom < betterUntil, let stable,
      candidate?.sighting.verdict.status.isWorse(than: stable.status) == true
    else { return nil }
    return betterUntil
  }

  /// What has held for long enough by now and was not seen before.
  public mutating func release(at now: BootInstant) -> Sighting? {
    guard let deadline, deadline <= now, var sighting = candidate?.sighting else { return nil }
    if keptBackUntil != nil { sighting.verdict.cause = .resume }
    stable = sighting.verdict
    candidate = nil
    return sighting
  }
}

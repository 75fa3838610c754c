internal import Reachability

/// What waits while a hook's handler runs, and what the hook has seen.
///
/// A handler runs to its end and then sees only the newest; nothing where that equals what it saw
/// last.
public struct Backlog: Sendable {
  private let target: String
  private let handlers: HandlerSet
  private var seen = Seen()
  private var seenBefore = Seen()
  private var waiting: StableView.Sighting?
  private var missed = 0
  /// What the handler that runs was told.
  private var running: StableView.Sighting?
  private var isFirst = true
  private var firstCause = Cause.restart

  private struct Seen {
    var verdict = Verdict.unknown
    var since: Int64 = 0
  }

  /// A hook that has seen nothing.
  ///
  /// - Parameters:
  ///   - target: the target's name in events.
  ///   - handlers: those that the hook has; what none of them matches counts as seen.
  public init(target: String, handlers: HandlerSet) {
    self.target = target
    self.handlers = handlers
  }

  /// Takes over what the version before of the hook has seen.
  public mutating func inherit(_ earlier: Backlog) {
    seen = earlier.seen
    firstCause = .reload
  }

  /// Adds a sighting; one that still waits is missed.
  public mutating func add(_ sighting: StableView.Sighting) {
    if waiting != nil { missed += 1 }
    waiting = sighting
  }

  /// Hands the event over that is to be run now.
  ///
  /// - Parameters:
  ///   - now: the time, in Unix seconds.
  ///   - resuming: whether what is worse than what the hook saw waits on, since the machine has just
  ///     resumed from suspend.
  /// - Returns: nil while a handler runs and where nothing waits that the hook has not seen.
  public mutating func next(at now: Int64, resuming: Bool = false) -> Event? {
    guard running == nil, let sighting = waiting else { return nil }
    if resuming, sighting.verdict.status.isWorse(than: seen.verdict.status) {
      waiting?.verdict.cause = .resume
      return nil
    }
    waiting = nil
    guard !seen.verdict.isAlike(sighting.verdict) else {
      // The first after a load is what stands, not one that was missed.
      if !isFirst { missed += 1 }
      isFirst = false
      return nil
    }
    let event = event(of: sighting, at: now)
    seenBefore = seen
    seen = Seen(verdict: event.verdict, since: event.since)
    isFirst = false
    guard !handlers.isDisjoint(with: HandlerSet(matching: event)) else { return nil }
    missed = 0
    running = sighting
    return event
  }

  /// Notes that the handler has ended.
  public mutating func runEnded() { running = nil }

  /// Notes that the run was broken off by no fault of its own: what it was told is told again.
  public mutating func runBroken() {
    guard let broken = running else { return }
    running = nil
    waiting = waiting ?? broken
    seen = seenBefore
  }

  private func event(of sighting: StableView.Sighting, at now: Int64) -> Event {
    let verdict = sighting.verdict
    let before = seen.verdict
    let goesOn = before.status == verdict.status
    let since = goesOn ? seen.since : sighting.since
    var event = Event(
      target: target, verdict: verdict, was: before.status, wasVia: before.via,
      changed: verdict.changes(from: before), cause: isFirst ? firstCause : verdict.cause,
      since: since, lasted: goesOn || before.status == .unknown ? nil : since - seen.since,
      at: now, sequence: sighting.sequence)
    event.isInitial = isFirst
    event.missed = missed
    return event
  }
}

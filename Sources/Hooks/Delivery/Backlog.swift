internal import Reachability

/// What waits while a hook's handler runs, and what the hook has seen.
///
/// A handler runs to its end and then sees only the newest; nothing where that equals what it saw
/// last.
public struct Backlog: Sendable {
  private let target: String
  private let handlers: Set<HandlerName>
  private var seen: Verdict?
  private var seenSince: Int64 = 0
  private var waiting: StableView.Sighting?
  private var missed = 0
  private var isRunning = false

  /// A hook that has seen nothing.
  ///
  /// - Parameters:
  ///   - target: the target's name in events.
  ///   - handlers: those that the hook has; what none of them matches counts as seen.
  public init(target: String, handlers: Set<HandlerName>) {
    self.target = target
    self.handlers = handlers
  }

  /// Takes a sighting, and returns the event to run now; nil where nothing is to be run.
  public mutating func take(_ sighting: StableView.Sighting, at now: Int64) -> Event? {
    if waiting != nil { missed += 1 }
    waiting = sighting
    return next(at: now)
  }

  /// Notes that the handler has ended, and returns the event to run next.
  public mutating func runEnded(at now: Int64) -> Event? {
    isRunning = false
    return next(at: now)
  }

  private mutating func next(at now: Int64) -> Event? {
    guard !isRunning, let sighting = waiting else { return nil }
    waiting = nil
    guard seen?.isAlike(sighting.verdict) != true else {
      missed += 1
      return nil
    }
    let event = hand(sighting, at: now)
    seen = event.verdict
    seenSince = event.since
    guard !HandlerName.matching(event, among: handlers).isEmpty else { return nil }
    missed = 0
    isRunning = true
    return event
  }

  private func hand(_ sighting: StableView.Sighting, at now: Int64) -> Event {
    let verdict = sighting.verdict
    let before = seen ?? .unknown
    let goesOn = before.status == verdict.status
    let since = goesOn ? seenSince : sighting.since
    var event = Event(
      target: target, verdict: verdict, was: before.status, wasVia: before.via,
      changed: Set(verdict.changes(from: before)), cause: seen == nil ? .restart : verdict.cause,
      since: since, lasted: goesOn || before.status == .unknown ? nil : since - seenSince,
      at: now, sequence: sighting.sequence)
    event.isInitial = seen == nil
    event.missed = missed
    return event
  }
}

internal import Posix
internal import Reachability

extension Hearing {
  /// A call that is about to begin.
  struct Call {
    let event: Event
    let handlers: HandlerSet
    /// What the hook had heard before it.
    let before: Told.Heard
  }

  /// Counts as told what was let go, and makes the call that tells it; nil where it is no news or
  /// no handler matches it.
  mutating func call(for sighting: Sighting, at now: BootInstant) -> Call? {
    let verdict = sighting.verdict
    let isOwed = told.unfinished != nil
    let wasFirst = isFirst
    isFirst = false
    let isAnew = wasFirst && rules.initial == .always
    let isOwedAnother = isOwed && !verdict.isAlike(told.last.verdict)
    let before = heard(before: verdict)
    if wasFirst, rules.initial == .never, !isOwed {
      told.hear(verdict, since: sighting.since, at: now)
      return nil
    }
    guard isOwed || isAnew || !verdict.isAlike(before.verdict) else {
      // The first after a load is what stands, not one that was missed.
      if !wasFirst { missed += 1 }
      return nil
    }
    told.hear(verdict, since: sighting.since, at: now)
    var event = event(verdict, after: before, at: sighting.time, sequence: sighting.sequence)
    if wasFirst { event.cause = firstCause }
    event.isInitial = wasFirst
    event.isRetried = isOwed
    var handlers = HandlerSet(matching: event)
    // All that is true is told where an effect was undone, or may have been, by our own stop.
    if isAnew || isOwedAnother { handlers.formUnion(HandlerSet(of: verdict)) }
    guard !handlers.isDisjoint(with: rules.handlers) else { return nil }
    return Call(event: event, handlers: handlers, before: before)
  }

  /// The call that tells once more what was told.
  mutating func repeating(_ standing: Standing, _ time: Int64) -> Call {
    told.repeats += 1
    var event = event(
      standing.verdict, after: told.last, at: time, sequence: standing.sequence)
    event.again = told.repeats
    return Call(event: event, handlers: HandlerSet(of: standing.verdict), before: told.last)
  }

  /// What the hook has heard that an event is compared with.
  private func heard(before verdict: Verdict) -> Told.Heard {
    guard let earlier = told.unfinished, verdict.status == told.last.verdict.status else {
      return told.last
    }
    // The broken run's own event is told again; another change within the status is told as such.
    let isWithin = earlier.verdict.status == verdict.status
    return isWithin && !verdict.isAlike(told.last.verdict) ? told.last : earlier
  }

  private func event(
    _ verdict: Verdict, after before: Told.Heard, at time: Int64, sequence: Int64
  ) -> Event {
    let goesOn = before.verdict.status == verdict.status
    let since = told.last.since
    var event = Event(
      target: rules.target, verdict: verdict, was: before.verdict.status,
      wasVia: before.verdict.via, changed: verdict.changes(from: before.verdict),
      cause: verdict.cause, since: since,
      lasted: goesOn || before.verdict.status == .unknown ? nil : since - before.since,
      at: time, sequence: sequence)
    event.missed = missed
    return event
  }
}

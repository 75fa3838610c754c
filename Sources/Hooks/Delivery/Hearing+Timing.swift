internal import Posix
internal import Reachability

/// When something is due.
extension Hearing {
  /// When `advance` is to be asked again even if nothing happens until then.
  var nextMoment: BootInstant? {
    // What still waits though nothing runs is kept back.
    let keptUntil = waiting.isEmpty || isRunning ? nil : betterUntil
    return earliest(earliest(candidateDue?.moment, keptUntil), repeatDue)
  }

  /// The status that `apart` keeps from the hook, and until when; nil where it does not.
  func heldApart(at now: BootInstant) -> (status: Status, end: BootInstant)? {
    guard candidateDue != nil, !isOwed, let status = standing?.verdict.status,
      let end = apartEnd(status), end > now
    else { return nil }
    return (status, end)
  }

  private var isOwed: Bool { told.unfinished != nil && (!isRunning || isForeign) }

  /// When `apart` allows the next call for a status.
  private func apartEnd(_ status: Status) -> BootInstant? {
    guard let apart = rules.apart[status], apart > .zero, let call = told.calls[status] else {
      return nil
    }
    return call + apart
  }

  /// Whether what stands is something new.
  var hasNews: Bool {
    guard let standing, standing.verdict.status != .unknown else { return false }
    let lastInLine = waiting.last?.verdict ?? told.last.verdict
    return (isFirst && waiting.isEmpty) || !standing.verdict.isAlike(lastInLine)
  }

  /// When what stands will be let go, and whether that is later because of a resume; nil where it is
  /// nothing new or where something holds the hook.
  var candidateDue: (moment: BootInstant, isKeptBack: Bool)? {
    guard holds.isEmpty, hasNews, let standing else { return nil }
    let status = standing.verdict.status
    // It holds from when it began, or from the end of what kept it from the hook.
    var from = standing.began
    if let end = told.heldUntil { from = max(from, end) }
    if !isOwed, let end = apartEnd(status) { from = max(from, end) }
    if let slowEnd { from = max(from, slowEnd) }
    let due = from + (rules.stable[status] ?? .zero)
    guard let betterUntil, due < betterUntil, status.isWorse(than: told.last.verdict.status)
    else { return (due, false) }
    return (betterUntil, true)
  }

  /// When the handlers are to be called again: while what was told is what stands, and nothing new
  /// is on its way.
  var repeatDue: BootInstant? {
    guard holds.isEmpty, !isRunning, !isFirst, waiting.isEmpty, let standing,
      let interval = rules.again[standing.verdict.status], let from = told.repeatsFrom,
      standing.verdict.isAlike(told.last.verdict),
      !HandlerSet(of: standing.verdict).isDisjoint(with: rules.handlers)
    else { return nil }
    var due = max(from, told.heldUntil ?? from) + interval
    if let end = apartEnd(standing.verdict.status) { due = max(due, end) }
    // What stood before a suspend may not have come back.
    if let betterUntil { due = max(due, betterUntil) }
    return slowEnd.map { max(due, $0) } ?? due
  }
}

/// The earlier of two moments, where there is one.
private func earliest(_ one: BootInstant?, _ other: BootInstant?) -> BootInstant? {
  guard let one, let other else { return one ?? other }
  return min(one, other)
}

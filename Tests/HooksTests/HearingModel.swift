import Reachability

@testable import Hooks

/// The contract of what a hook hears, as a slow program that looks at every second, and back at all
/// seconds before; compared with `Hearing`, which only looks when something is due.
struct HearingModel {
  /// What is called in a second; without an event, a run is cancelled.
  struct Entry: Equatable {
    var second: Int
    var verdict: Character?
    var was: Character = "?"
    var handlers: HandlerSet = []
    var missed = 0
    var again = 0
    var isInitial = false
    var isRetried = false
    var since = 0
    var lasted: Int?
    var at = 0
    /// Nil where it is that of the transition.
    var cause: Cause?
  }

  private struct Waiting {
    var verdict: Character
    var since: Int
    var at: Int
    var wasKeptBack: Bool
  }

  let rules: HearingRules
  private(set) var entries: [Entry] = []
  /// What stood in each second, whether the hook was held, and when the machine resumed.
  private var stood: [Character] = []
  private var held: [Bool] = []
  private var resumes: [Int] = []
  private var second: Int { stood.count - 1 }

  private var waiting: [Waiting] = []
  private var missed = 0
  private var isFirst = true
  private var cause = Cause.restart
  private var told: (verdict: Character, since: Int) = ("?", 0)
  private var owed: (verdict: Character, since: Int)?
  private var runEnded: Int?
  private var repeats = 0
  private var failures = 0
  private(set) var isRunning = false
  private var isCancelled = false
  /// When each status was called, in order.
  private var calls: [(status: Status, second: Int)] = []

  init(_ rules: HearingRules) { self.rules = rules }

  /// A second begins.
  mutating func begin(_ verdict: Character?, isHeld: Bool, isResuming: Bool) {
    stood.append(verdict ?? stood.last ?? "?")
    held.append(isHeld)
    if isResuming { resumes.append(second) }
    if isHeld, second > 0, !held[second - 1] {
      missed += waiting.count
      waiting = []
    }
  }

  mutating func endRun(_ ending: Ending) {
    isRunning = false
    isCancelled = false
    runEnded = second
    if ending != .broken { owed = nil }
    switch ending {
    case .succeeded: failures = 0
    case .failed: failures += 1
    case .replaced, .broken: return
    }
    guard failures >= rules.slowdown.failures else { return }
    missed += waiting.count
    waiting = []
  }

  mutating func reload() {
    waiting = []
    missed = 0
    isFirst = true
    cause = .reload
  }

  /// Does what is to be done, until there is nothing more; true where that is to begin a run or to
  /// cancel one.
  mutating func act() -> Bool {
    let isNew = letGo()
    if isRunning {
      guard isNew, rules.mode == .restart, !isCancelled else { return false }
      isCancelled = true
      entries.append(Entry(second: second))
      return true
    }
    while let next = waiting.first {
      if isWorse(next.verdict), isResuming {
        waiting[0].wasKeptBack = true
        break
      }
      waiting.removeFirst()
      if tell(next) { return true }
    }
    return tellAgain()
  }

  // MARK: By looking back

  private func status(_ verdict: Character) -> Status {
    switch verdict {
    case "u": .unreachable
    case "p": .portal
    case "?": .unknown
    default: .reachable
    }
  }

  private func isWorse(_ verdict: Character) -> Bool {
    status(verdict).isWorse(than: status(told.verdict))
  }

  private var resumeEnds: Int { (resumes.last ?? -9) + 2 }
  private var isResuming: Bool { second < resumeEnds }

  private func seconds(_ duration: Duration?) -> Int {
    Int(duration?.components.seconds ?? 0)
  }

  /// Whether `apart` holds a status in a second.
  private func isApart(_ status: Status, in second: Int) -> Bool {
    if owed != nil, !isRunning { return false }
    let last = calls.last { $0.status == status }
    guard let last, last.second <= second else { return false }
    return second < last.second + seconds(rules.apart[status])
  }

  /// Whether a run in a second would come too soon after the last for a hook that keeps failing.
  private func isSlow(in second: Int) -> Bool {
    guard failures >= rules.slowdown.failures, let last = calls.last else { return false }
    return second < last.second + seconds(rules.slowdown.interval)
  }

  /// The seconds, back from this one, in which what stands now stood and nothing held it.
  private func freeSeconds() -> Int {
    var count = 0
    for earlier in stride(from: second, through: 0, by: -1) {
      guard stood[earlier] == stood[second], !held[earlier],
        !isApart(status(stood[second]), in: earlier), !isSlow(in: earlier)
      else { break }
      count += 1
    }
    return count
  }

  private func statusBegan() -> Int {
    let status = status(stood[second])
    return (stood.lastIndex { self.status($0) != status } ?? -1) + 1
  }

  // MARK: -

  private mutating func letGo() -> Bool {
    let verdict = stood[second]
    guard verdict != "?", !held[second] else { return false }
    let lastInLine = waiting.last?.verdict ?? told.verdict
    guard verdict != lastInLine || (isFirst && waiting.isEmpty) else { return false }
    let stable = seconds(rules.stable[status(verdict)])
    let free = freeSeconds()
    guard free > stable else { return false }
    var wasKeptBack = false
    if isWorse(verdict) {
      if isResuming { return false }
      wasKeptBack = second - free + 1 + stable < resumeEnds
    }
    if rules.mode == .queue ? waiting.count == 32 : !waiting.isEmpty {
      waiting.removeFirst()
      missed += 1
    }
    waiting.append(
      Waiting(verdict: verdict, since: statusBegan(), at: second, wasKeptBack: wasKeptBack))
    return true
  }

  private mutating func tell(_ next: Waiting) -> Bool {
    let wasFirst = isFirst
    isFirst = false
    let isRetried = owed != nil
    if !isRetried, wasFirst, rules.initial == .never {
      hear(next)
      return false
    }
    var before = told
    if let owed, status(told.verdict) == status(next.verdict) {
      let differs = status(owed.verdict) != status(next.verdict)
      if differs || told.verdict == next.verdict { before = owed }
    }
    let isAnew = wasFirst && rules.initial == .always
    let isForced = isAnew || (isRetried && next.verdict != told.verdict)
    if !isAnew, !isRetried, before.verdict == next.verdict {
      if !wasFirst { missed += 1 }
      return false
    }
    hear(next)
    var entry = entry(next.verdict, after: before)
    entry.at = next.at
    entry.isInitial = wasFirst
    entry.isRetried = isRetried
    entry.cause = wasFirst ? cause : next.wasKeptBack ? .resume : nil
    entry.handlers = handlers(next.verdict, before.verdict, isForced: isForced)
    return call(entry, before)
  }

  private mutating func tellAgain() -> Bool {
    let status = status(told.verdict)
    guard !isRunning, !held[second], !isFirst, waiting.isEmpty, stood[second] == told.verdict,
      let interval = rules.again[status], let runEnded
    else { return false }
    let from = max(runEnded, (held.lastIndex(of: true) ?? -1) + 1)
    guard second >= from + seconds(interval), !isApart(status, in: second),
      !isSlow(in: second), !isResuming
    else { return false }
    var entry = entry(told.verdict, after: told)
    entry.at = second
    entry.again = repeats + 1
    entry.handlers = handlers(told.verdict, told.verdict, isForced: true)
    guard call(entry, told) else { return false }
    repeats += 1
    return true
  }

  private mutating func hear(_ next: Waiting) {
    owed = nil
    if status(next.verdict) == status(told.verdict) {
      told.verdict = next.verdict
    } else {
      told = (next.verdict, next.since)
      repeats = 0
      runEnded = second
    }
  }

  private func entry(_ verdict: Character, after before: (verdict: Character, since: Int)) -> Entry
  {
    var entry = Entry(second: second, verdict: verdict, was: before.verdict)
    entry.missed = missed
    entry.since = told.since
    let isOther = status(before.verdict) != status(verdict)
    entry.lasted = isOther && before.verdict != "?" ? told.since - before.since : nil
    return entry
  }

  private func handlers(_ verdict: Character, _ was: Character, isForced: Bool) -> HandlerSet {
    var handlers: HandlerSet = verdict == was ? [] : .change
    let isForced = isForced || verdict == was
    if status(verdict) != status(was) || isForced {
      handlers.insert(
        verdict == "u" ? .unreachable : verdict == "p" ? .portal : .reachable)
    }
    let isReachable = status(verdict) == .reachable
    let medium: HandlerSet = verdict == "c" ? .wwan : .wifi
    let wasMedium: HandlerSet = was == "c" ? .wwan : was == "u" || was == "?" ? [] : .wifi
    if isReachable, status(was) != .reachable || medium != wasMedium || isForced {
      handlers.insert(medium)
    }
    return handlers
  }

  private mutating func call(
    _ entry: Entry, _ before: (verdict: Character, since: Int)
  ) -> Bool {
    guard !entry.handlers.isDisjoint(with: rules.handlers), let verdict = entry.verdict else {
      return false
    }
    entries.append(entry)
    isRunning = true
    owed = before
    missed = 0
    calls.append((status(verdict), second))
    if seconds(rules.apart[status(verdict)]) > 0 {
      let kept = waiting.filter { status($0.verdict) != status(verdict) }
      missed = waiting.count - kept.count
      waiting = kept
    }
    return true
  }
}

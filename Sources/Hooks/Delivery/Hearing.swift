internal import Posix
internal import Reachability

/// What one hook hears of its target, when, and what waits for it; time is an argument.
///
/// What stands passes `stable` and the holds, then waits until no handler of the hook runs. Whoever
/// tells it something asks `advance` afterwards, and again at `nextMoment`.
struct Hearing: Sendable {
  /// What is to be done now.
  enum Step {
    /// These handlers are to be called with the event.
    case call(Event, HandlerSet)
    /// The run that goes on is to be cancelled.
    case cancel
  }

  /// What keeps everything from the hook.
  struct Holds: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// Another target is not reachable.
    static let given = Holds(rawValue: 1 << 0)
    /// It is one of the quiet hours.
    static let quiet = Holds(rawValue: 1 << 1)
  }

  /// What `stable` and the holds have let go.
  struct Sighting: Sendable {
    var verdict: Verdict
    /// When its status began, in Unix seconds.
    let since: Int64
    let sequence: Int64
    /// When it was let go, in Unix seconds.
    let time: Int64
  }

  let rules: HearingRules
  /// What it was told last: the memory to keep.
  var told = Told()
  /// What holds it now.
  private(set) var holds: Holds = []
  /// Whether a handler runs, or what it started.
  private(set) var isRunning = false
  private(set) var standing: Standing?
  var waiting: [Sighting] = []
  var missed = 0
  /// Whether the first verdict after the load is still to come.
  var isFirst = true
  let firstCause: Cause
  private var isCancelled = false
  /// Whether what runs tells the hook nothing.
  private(set) var isForeign = false
  /// Until when it hears of nothing worse than it was told.
  private(set) var betterUntil: BootInstant?

  /// A hook that has just been loaded.
  ///
  /// - Parameters:
  ///   - rules: when it wants to hear.
  ///   - cause: what the first verdict is due to, the start of the daemon or a reload.
  init(_ rules: HearingRules, cause: Cause) {
    self.rules = rules
    firstCause = cause
  }

  // MARK: What happens

  /// Goes on from what was told by the hook's version before.
  mutating func inherit(_ earlier: Told) {
    let heldUntil = told.heldUntil
    told = earlier
    // A hold may have ended since that version was told anything.
    if let heldUntil { told.heldUntil = max(heldUntil, earlier.heldUntil ?? heldUntil) }
  }

  /// Takes note of what stands for the target now.
  mutating func note(_ standing: Standing) { self.standing = standing }

  /// Takes note that something begins or ceases to hold the hook.
  mutating func hold(_ hold: Holds, _ isHolding: Bool, at now: BootInstant) {
    let before = holds
    if isHolding { holds.insert(hold) } else { holds.remove(hold) }
    if before.isEmpty, !holds.isEmpty {
      missed += waiting.count
      waiting = []
    } else if !before.isEmpty, holds.isEmpty {
      told.heldUntil = now
    }
  }

  /// Keeps back what is worse than what was told, since the machine has resumed from suspend.
  mutating func resume(until end: BootInstant) { betterUntil = end }

  /// Takes note that a run begins which tells the hook nothing.
  ///
  /// What it was told stands, and no clock takes notice; what is to be told waits for its end, as
  /// for that of any run.
  mutating func beginForeignRun() {
    isRunning = true
    isForeign = true
  }

  /// Takes note that the run has ended, and whatever it started.
  ///
  /// - Parameters:
  ///   - ending: how it ended.
  ///   - now: the present moment.
  mutating func runEnded(_ ending: Ending = .succeeded, at now: BootInstant) {
    isRunning = false
    isCancelled = false
    guard !isForeign else {
      isForeign = false
      return
    }
    told.repeatsFrom = now
    if ending != .broken { told.unfinished = nil }
    count(ending)
  }

  // MARK: What follows

  /// Looks what is due; a call begins a run.
  ///
  /// - Parameters:
  ///   - now: the present moment.
  ///   - time: the same in Unix seconds.
  /// - Returns: what is to be done now, nil for nothing.
  mutating func advance(at now: BootInstant, _ time: Int64) -> Step? {
    let hasNews = letGo(at: now, time)
    if isRunning {
      guard hasNews, rules.mode == .restart, !isCancelled else { return nil }
      isCancelled = true
      return .cancel
    }
    while let sighting = takeNext(at: now) {
      if let call = call(for: sighting, at: now) { return begin(call, at: now) }
    }
    guard let due = repeatDue, due <= now, let standing else { return nil }
    return begin(repeating(standing, time), at: now)
  }

  // MARK: -

  /// Lets what stands go to where it waits, if that is due; true where it did.
  private mutating func letGo(at now: BootInstant, _ time: Int64) -> Bool {
    guard let due = candidateDue, due.moment <= now, let standing else { return false }
    var sighting = Sighting(
      verdict: standing.verdict, since: standing.since, sequence: standing.sequence, time: time)
    if due.isKeptBack { sighting.verdict.cause = .resume }
    if waiting.count == rules.mode.capacity {
      waiting.removeFirst()
      missed += 1
    }
    waiting.append(sighting)
    return true
  }

  private mutating func takeNext(at now: BootInstant) -> Sighting? {
    guard let next = waiting.first else { return nil }
    if let betterUntil, now < betterUntil,
      next.verdict.status.isWorse(than: told.last.verdict.status)
    {
      waiting[0].verdict.cause = .resume
      return nil
    }
    return waiting.removeFirst()
  }

  private mutating func begin(_ call: Call, at now: BootInstant) -> Step {
    let status = call.event.verdict.status
    isRunning = true
    missed = 0
    told.unfinished = call.before
    told.calls[status] = now
    // From now on `apart` holds this status, and a hold drops what waits.
    if let apart = rules.apart[status], apart > .zero {
      let count = waiting.count
      waiting.removeAll { $0.verdict.status == status }
      missed = count - waiting.count
    }
    return .call(call.event, call.handlers)
  }
}

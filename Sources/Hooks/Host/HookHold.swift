internal import Posix
internal import Reachability

/// Something that keeps a hook from hearing what stands for its target.
struct HookHold: Hashable, Sendable {
  enum Kind: String, Sendable {
    /// What stands has not stood for long enough.
    case stable
    case given, quiet, apart
    /// The machine has just woken up.
    case resume
    /// Too many runs have failed.
    case slow
  }

  /// `script/hook`.
  let hook: String
  let kind: Kind
  /// For people: `given vpn is unreachable`, `held by quiet`.
  let text: String
  /// When it ends unless something happens; nil where that is not known.
  let end: BootInstant?

  /// With the time of day at which it ends: `held by quiet until 07:00`, or `07:00:30`; with the
  /// date where that is not within a day.
  func text(by clock: Clock) -> String {
    guard let end, end > clock.now else { return text }
    let time = clock.seconds
    let moment = time + Int64((end - clock.now).seconds.rounded(.up))
    let date = WallClock.localText(moment)
    let clock = moment - time < 86400 ? date.dropFirst(11) : date[...]
    return "\(text) until \(clock.hasSuffix(":00") ? clock.dropLast(3) : clock)"
  }
}

extension HookState {
  /// What keeps it from hearing, and what it waits for.
  func holds(by clock: Clock) -> [HookHold] {
    let now = clock.now
    var holds: [HookHold] = []
    func add(_ kind: HookHold.Kind, _ text: String, until end: BootInstant? = nil) {
      holds.append(HookHold(hook: origin, kind: kind, text: text, end: end))
    }
    if hearing.holds.contains(.given), let given {
      let status = given.standing?.verdict.status ?? .unknown
      add(.given, "given \(given.target.name) is \(status.rawValue)")
    }
    if hearing.holds.contains(.quiet) {
      add(.quiet, "held by quiet", until: period.map { clock.instant(at: $0.seconds.upperBound) })
    }
    if hearing.isSlow {
      add(.slow, "slowed down by \(hearing.told.failures) failures", until: hearing.slowEnd)
    }
    guard let due = hearing.candidateDue, due.moment > now, let standing = hearing.standing,
      isHeard(at: due.moment)
    else { return holds }
    let status = standing.verdict.status.rawValue
    if let apart = hearing.heldApart(at: now) {
      add(.apart, "\(apart.status.rawValue) held by apart", until: apart.end)
    } else if !hearing.isSlow {
      let kind = due.isKeptBack ? HookHold.Kind.resume : .stable
      add(kind, "\(status) held by \(kind.rawValue)", until: due.moment)
    }
    return holds
  }

  /// Whether it will hear something though nothing else happens.
  var isToHear: Bool {
    guard hearing.holds.subtracting(.quiet).isEmpty else { return false }
    return hearing.hasNews || !hearing.waiting.isEmpty
  }

  /// Whether a handler is called for what stands, if it still does then.
  private func isHeard(at moment: BootInstant) -> Bool {
    var later = hearing
    // What runs now will have ended.
    if later.isRunning { later.runEnded(at: moment) }
    if case .call = later.advance(at: moment, 0) { return true }
    return false
  }
}

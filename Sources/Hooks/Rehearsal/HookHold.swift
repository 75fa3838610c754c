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
  /// For people: `given vpn is unreachable`.
  let text: String
  /// When it ends unless something happens; nil where that is not known.
  let end: BootInstant?
}

extension HookState {
  /// What keeps it from hearing, as `holds` tells it, and what it waits for.
  func rehearsedHolds(at now: BootInstant, _ time: Int64) -> [HookHold] {
    var holds: [HookHold] = []
    func add(_ kind: HookHold.Kind, _ text: String, until end: BootInstant? = nil) {
      holds.append(HookHold(hook: origin, kind: kind, text: text, end: end))
    }
    if hearing.holds.contains(.given), let given {
      add(
        .given,
        "given \(given.target.name) is \(given.standing?.verdict.status.rawValue ?? "unknown")")
    }
    if hearing.holds.contains(.quiet) {
      let left = period.map { Duration.seconds($0.seconds.upperBound - time) }
      add(.quiet, "quiet", until: left.map { now + $0 })
    }
    if hearing.isSlow { add(.slow, "slowed down by failures", until: hearing.slowEnd) }
    guard hearing.holds.isEmpty, let due = hearing.candidateDue, due.moment > now,
      let verdict = hearing.standing?.verdict, isHeard(verdict)
    else { return holds }
    let status = verdict.status
    if let apart = hearing.heldApart(at: now) {
      add(.apart, "\(apart.status.rawValue) held by apart", until: apart.end)
    } else if !hearing.isSlow {
      add(
        due.isKeptBack ? .resume : .stable,
        "\(status.rawValue) held by \(due.isKeptBack ? "resume" : "stable")", until: due.moment)
    }
    return holds
  }

  /// Whether a handler is for what stands.
  private func isHeard(_ verdict: Verdict) -> Bool {
    let wanted = hook.rules.handlers
    return wanted.contains(.change) || !wanted.isDisjoint(with: HandlerSet(of: verdict))
  }
}

import Posix
import Reachability

@testable import Hooks

/// Leads a hearing through seconds, as the host does: it is asked when something happened and when
/// it said so, and at no other time.
struct HearingTimeline {
  /// A call, or the cancelling of a run, and the second in which it came.
  struct Entry: Equatable {
    var second: Int
    /// Nil where a run is cancelled.
    var event: Event?
    var handlers: HandlerSet = []
  }

  private(set) var hearing: Hearing
  private(set) var second = 0
  private(set) var entries: [Entry] = []
  private var standing: Standing?
  private var last = Verdict.unknown
  private var runEnds: Int?
  private var isWoken = false
  private var betterUntil: BootInstant?
  /// How long runs take from now on, in seconds; for ever where it is negative.
  var runLength = 0
  /// How long a cancelled run takes until nothing of it is left.
  var endLength = 0
  /// How runs end from now on that are neither broken off nor cancelled.
  var ending = Ending.succeeded
  private var isReplaced = false

  init(_ rules: HearingRules) { hearing = Hearing(rules, cause: .restart) }

  private var now: BootInstant { .second(second) }

  /// What stands from this second on: `u` unreachable, `p` portal, `e` by cable, `w` by WiFi, `x` by
  /// another WiFi network, `c` by WWAN, `?` unknown.
  mutating func note(_ character: Character) {
    guard let verdict = Verdict(character) else { return }
    let transition = Transition(
      target: TargetID(1), from: last, to: verdict, instant: now, time: Int64(second),
      sequence: Int64(second))
    last = verdict
    if standing == nil { standing = Standing(transition) } else { standing?.note(transition) }
    if let standing { hearing.note(standing) }
    isWoken = true
  }

  mutating func hold(_ isHolding: Bool, _ hold: Hearing.Holds = .given) {
    hearing.hold(hold, isHolding, at: now)
    isWoken = true
  }

  mutating func resume(until end: Int) {
    betterUntil = .second(end)
    hearing.resume(until: .second(end))
    isWoken = true
  }

  mutating func endRun(_ ending: Ending? = nil) {
    guard hearing.isRunning else { return }
    runEnds = nil
    hearing.runEnded(ending ?? (isReplaced ? .replaced : self.ending), at: now)
    isReplaced = false
    isWoken = true
  }

  mutating func enable() {
    hearing.enable()
    isWoken = true
  }

  /// A run begins that tells the hook nothing.
  mutating func fire() {
    guard !hearing.isRunning else { return }
    hearing.beginForeignRun()
    runEnds = second + runLength
  }

  /// Another version of the hook takes over, with what was saved of this one's; a run that goes on
  /// is broken off.
  mutating func reload() {
    endRun(.broken)
    let told = Told(hearing.told.text(boot: "b"), boot: "b") ?? Told()
    let holds = hearing.holds
    hearing = Hearing(hearing.rules, cause: .reload)
    hearing.inherit(told)
    if let standing { hearing.note(standing) }
    for hold in [Hearing.Holds.given, .quiet] where holds.contains(hold) {
      hearing.hold(hold, true, at: now)
    }
    if let betterUntil { hearing.resume(until: betterUntil) }
    isWoken = true
  }

  /// Does what is due in this second, then goes on to the next.
  mutating func pass() {
    if let runEnds, runEnds <= second { endRun() }
    if let moment = hearing.nextMoment, moment <= now { isWoken = true }
    while isWoken {
      isWoken = false
      switch hearing.advance(at: now, Int64(second)) {
      case .call(let event, let handlers):
        entries.append(Entry(second: second, event: event, handlers: handlers))
        runEnds = runLength < 0 ? nil : second + runLength
        if runLength == 0 { endRun() }
      case .cancel:
        entries.append(Entry(second: second))
        isReplaced = true
        runEnds = second + endLength
        if endLength == 0 { endRun() }
      case nil: break
      }
    }
    second += 1
  }
}

extension BootInstant {
  static func second(_ second: Int) -> BootInstant {
    BootInstant(nanoseconds: Int64(second) * 1_000_000_000)
  }
}

extension Verdict {
  init?(_ character: Character) {
    var path = Path()
    path.flags = .reachable
    path.medium = character == "c" ? .wwan : character == "e" ? .wired : .wifi
    path.ssid = character == "x" ? "other" : nil
    switch character {
    case "u": self.init(.unreachable, reason: .noRoute)
    case "p": self.init(.portal, reason: .portal, path: path)
    case "e", "w", "x", "c": self.init(.reachable, path: path)
    case "?": self = .unknown
    default: return nil
    }
  }

  var character: Character {
    switch status {
    case .unknown: "?"
    case .unreachable: "u"
    case .portal: "p"
    case .reachable: via == .wired ? "e" : via == .wwan ? "c" : path.ssid == nil ? "w" : "x"
    }
  }
}

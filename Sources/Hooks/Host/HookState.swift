internal import Posix
internal import Reachability
internal import Storage

/// A hook with what it hears and how its runs end; touched only on the loop.
final class HookState {
  let hook: Hook
  /// `script/hook`, as the log calls it.
  let origin: String
  let target: WatchedTarget
  /// The target without which it hears nothing.
  let given: WatchedTarget?
  /// Its script; let go of when that is unloaded or replaced.
  let script: LoadedScript
  var hearing: Hearing
  var timer: LoopTimer?
  /// How its last run ended, for `reach status`.
  var lastOutcome: String?
  /// How many of its commands run now.
  var children = 0
  /// How its run ended, while there are still commands of it.
  var end: Ending?
  /// What of its hearing was noted to outlive it.
  var remembered = Told()
  /// Whether another version of the script has taken its place.
  var isRetired = false
  /// What of the day it is, where the hook has quiet hours.
  private(set) var period: QuietHours.Period?

  /// A hook that has heard nothing.
  ///
  /// - Parameters:
  ///   - hook: what the script declares.
  ///   - target: its target.
  ///   - given: the target without which it hears nothing.
  ///   - script: the script.
  ///   - cause: what its first verdict is due to.
  init(
    _ hook: Hook, on target: WatchedTarget, given: WatchedTarget?, of script: LoadedScript,
    cause: Cause
  ) {
    self.hook = hook
    self.target = target
    self.given = given
    origin = "\(script.source.name)/\(hook.name)"
    self.script = script
    hearing = Hearing(hook.rules, cause: cause)
  }

  /// What its memory is known by: another subject or probe makes it another hook.
  var key: SavedState.HookKey {
    SavedState.HookKey(
      script: script.source.name, hook: hook.name, subject: hook.target.identity)
  }

  /// Goes on from what it was told before it was loaded; failures count only where the script's file
  /// held the same.
  func inherit(_ told: Told?, in text: TextDigest) {
    if let told {
      remembered = told
      hearing.inherit(told)
    }
    if hearing.told.text != text { hearing.enable() }
    hearing.told.text = text
  }

  /// Has its targets tell it what happens to them, and learns what stands.
  func attach(at now: BootInstant) {
    target.hooks.append(self)
    given?.dependents.append(self)
    if let standing = target.standing { hearing.note(standing) }
    heedGiven(at: now)
  }

  /// Is told nothing any more.
  func detach() {
    target.hooks.removeAll { $0 === self }
    given?.dependents.removeAll { $0 === self }
  }

  /// Takes note of whether the target without which it hears nothing is reachable.
  func heedGiven(at now: BootInstant) {
    guard let given else { return }
    hearing.hold(.given, given.standing?.verdict.status != .reachable, at: now)
  }

  /// Takes note of what of the day it is; whoever sets the wall clock may have moved it.
  func heedQuietHours(at now: BootInstant, _ time: Int64) {
    guard let quiet = hook.quiet, period?.seconds.contains(time) != true else { return }
    WallClock.readTimeZone()
    let period = quiet.period(at: time, offset: WallClock.offset)
    self.period = period
    hearing.hold(.quiet, period.isQuiet, at: now)
  }

  /// When it is to be looked at again though nothing happens until then.
  func nextMoment(by clock: Clock) -> BootInstant? {
    guard let end = period?.seconds.upperBound else { return hearing.nextMoment }
    let boundary = clock.instant(at: end)
    return hearing.nextMoment.map { min($0, boundary) } ?? boundary
  }
}

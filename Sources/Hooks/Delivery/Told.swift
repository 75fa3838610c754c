internal import Posix
internal import Reachability

/// What a hook was last told, and the clocks that go on from there: all of its memory that outlives
/// a load of its script.
struct Told: Hashable, Sendable {
  /// Something that a hook has heard.
  struct Heard: Hashable, Sendable {
    /// The verdict, of which what a change is made of is remembered; unknown before the first.
    var verdict = Verdict.unknown
    /// When its status began, in Unix seconds.
    var since: Int64 = 0
  }

  /// What it was told.
  var last = Heard()
  /// What it had heard before that, until the run that tells it has ended; a run that has not is
  /// owed after a load.
  var unfinished: Heard?
  /// When the last call for each status began: the clock of `apart`.
  var calls = StatusTable<BootInstant>()
  /// When the last hold of the whole hook ended: `stable` and `again` start anew there.
  var heldUntil: BootInstant?
  /// When the last run ended: the clock of `again`.
  var repeatsFrom: BootInstant?
  /// How often the status was told again.
  var repeats = 0
  /// How many runs have failed in a row.
  var failures = 0
  /// What the script's file held where they did.
  var text: TextDigest?

  /// Takes note of what counts as told now.
  mutating func hear(_ verdict: Verdict, since: Int64, at now: BootInstant) {
    let goesOn = verdict.status == last.verdict.status
    last = Heard(verdict: verdict, since: goesOn ? last.since : since)
    unfinished = nil
    guard !goesOn else { return }
    repeats = 0
    repeatsFrom = now
  }
}

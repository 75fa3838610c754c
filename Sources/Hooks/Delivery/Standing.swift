internal import Posix
internal import Reachability

/// What stands for a target at the moment, and since when.
struct Standing: Hashable, Sendable {
  /// The newest verdict.
  private(set) var verdict: Verdict
  /// When what a change is made of became what it is.
  private(set) var began: BootInstant
  /// When the status began, in Unix seconds.
  private(set) var since: Int64
  /// The number of the transition that made it what it is.
  private(set) var sequence: Int64

  init(_ transition: Transition) {
    verdict = transition.to
    began = transition.instant
    since = transition.time
    sequence = transition.sequence
  }

  /// Takes note of what happened next.
  mutating func note(_ transition: Transition) {
    if transition.to.status != verdict.status { since = transition.time }
    if !transition.to.isAlike(verdict) {
      began = transition.instant
      sequence = transition.sequence
    }
    verdict = transition.to
  }
}

public import Posix

/// One change of a target's verdict: all that a hook may ask.
public struct Transition: Hashable, Sendable {
  /// The target whose verdict changed.
  public var target: TargetID
  /// The verdict before; `.unknown` for the first.
  public var from: Verdict
  /// The verdict since.
  public var to: Verdict
  /// When, on the clock that runs through suspend.
  public var instant: BootInstant
  /// When, in Unix seconds.
  public var time: Int64
  /// One count for all targets, from 1 at each start.
  public var sequence: Int64

  /// A transition, built by hand.
  public init(
    target: TargetID, from: Verdict, to: Verdict, instant: BootInstant, time: Int64,
    sequence: Int64
  ) {
    self.target = target
    self.from = from
    self.to = to
    self.instant = instant
    self.time = time
    self.sequence = sequence
  }
}

/// A target that a monitor watches.
public struct TargetID: Hashable, Comparable, Sendable {
  let number: Int

  /// An identity, built by hand; a monitor counts its own from 1.
  public init(_ number: Int) { self.number = number }

  public static func < (left: TargetID, right: TargetID) -> Bool { left.number < right.number }
}

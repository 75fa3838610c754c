public import Posix

/// The time after a resume from suspend in which nothing gets worse; time is an argument.
///
/// Drivers drop their link in suspend, and WiFi needs a moment to come back: only what has not come
/// back by then was lost.
public struct Resumption: Sendable {
  /// How long nothing gets worse.
  public static let grace = Duration.seconds(2)

  /// When that ends; nil once what was kept back has been told.
  public private(set) var end: BootInstant?

  /// A machine that has not slept.
  public init() {}

  /// Notes that the machine has resumed.
  public mutating func begin(at now: BootInstant) { end = now + Resumption.grace }

  /// Whether what got worse is kept back at that moment.
  public func keepsBack(at now: BootInstant) -> Bool { end.map { now < $0 } ?? false }

  /// Notes that all was judged at a moment; from its end on nothing is owed any more.
  public mutating func note(judgedAt now: BootInstant) {
    if !keepsBack(at: now) { end = nil }
  }
}

extension Status {
  /// Whether less can be done with a target than with that status.
  public func isWorse(than other: Status) -> Bool {
    guard let rank, let otherRank = other.rank else { return false }
    return rank < otherRank
  }

  /// None for unknown, which is neither better nor worse.
  private var rank: Int? {
    switch self {
    case .unknown: nil
    case .unreachable: 0
    case .portal: 1
    case .reachable: 2
    }
  }
}

internal import Posix

/// Bounds how often something happens: tokens come at a steady rate, and wait until a bucket is full;
/// time is an argument.
struct TokenBucket {
  /// The nanoseconds in which one token comes.
  private let cost: Int64
  /// The nanoseconds whose tokens have not been taken; less than none where more was taken than had
  /// come.
  private var credit = TokenBucket.most
  private var filled: BootInstant

  /// The bucket holds what comes in a tenth of a second.
  private static let most: Int64 = 100_000_000

  /// A full bucket.
  init(perSecond: Int64, at now: BootInstant) {
    cost = 1_000_000_000 / perSecond
    filled = now
  }

  /// Whether so many can be taken.
  func has(_ count: Int64, at now: BootInstant) -> Bool { credit(at: now) >= count * cost }

  /// Takes so many; those that are not there are owed, and nothing more is had until they have come.
  mutating func take(_ count: Int64, at now: BootInstant) {
    credit = credit(at: now) - count * cost
    filled = max(filled, now)
  }

  /// When so many can be taken, if nothing is taken before.
  func instant(of count: Int64) -> BootInstant {
    filled + .nanoseconds(max(0, count * cost - credit))
  }

  private func credit(at now: BootInstant) -> Int64 {
    credit + max(0, min(TokenBucket.most - credit, (now - filled).nanoseconds))
  }
}

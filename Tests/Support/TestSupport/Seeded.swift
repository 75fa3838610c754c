/// Random numbers that are the same in each run; xorshift64.
public struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  /// The numbers that belong to a seed.
  public init(_ seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

  public mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  /// A number from 0 to below the limit.
  public mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}

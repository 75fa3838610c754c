internal import Posix

/// When a script was killed lately; time is an argument.
struct KillRecord: Sendable {
  /// How many kills within `window` are too many.
  static let most = 3
  static let window = Duration.seconds(600)

  private var moments: [BootInstant] = []

  /// Takes note of a kill; true where it is one too many.
  mutating func note(at now: BootInstant) -> Bool {
    moments.removeAll { $0 + KillRecord.window <= now }
    moments.append(now)
    return moments.count >= KillRecord.most
  }

  /// Begins anew.
  mutating func forget() { moments = [] }
}

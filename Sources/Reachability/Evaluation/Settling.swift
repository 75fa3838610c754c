public import Posix

/// Waits until the kernel has been quiet for a while; time is an argument.
///
/// Changes come in many messages, and some in several commands: what they amount to is known when
/// no more come. A kernel that never is quiet is not waited for beyond a limit.
public struct Settling: Sendable {
  /// How long it must be quiet; zero waits for nothing.
  public let quiet: Duration
  /// How long to wait at most from the first hint.
  public static let limit = Duration.milliseconds(250)

  private var first: BootInstant?
  /// When the wait ends; nil where nothing is waited for.
  public private(set) var deadline: BootInstant?

  /// A wait for that much quiet.
  public init(quiet: Duration) { self.quiet = quiet }

  /// Whether what is found counts at once.
  public var isImmediate: Bool { quiet <= .zero }

  /// Takes note of a hint.
  public mutating func hint(at now: BootInstant) {
    let start = first ?? now
    first = start
    deadline = min(now + quiet, start + Settling.limit)
  }

  /// Ends the wait: all that was hinted at has been looked into.
  public mutating func end() {
    first = nil
    deadline = nil
  }
}

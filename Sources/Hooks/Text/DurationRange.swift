internal import Posix

extension ClosedRange<Duration> {
  /// `from 100ms to 24h`, for messages.
  public var described: String { "from \(lowerBound.text) to \(upperBound.text)" }
}

internal import Posix

/// Writes lines to standard error, and never waits for whoever reads them.
///
/// A full pipe drops lines; the next that passes says how many.
public final class Log: Sendable {
  /// How much a line matters.
  public enum Level: String, CaseIterable, Comparable, Sendable {
    case debug, info, warn, error

    public static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .debug: 0
      case .info: 1
      case .warn: 2
      case .error: 3
      }
    }
  }

  /// How a line looks.
  public enum Format: String, CaseIterable, Sendable {
    case text, json
  }

  /// The lowest level that is written.
  public let level: Level
  private let format: Format
  private let lost = Lock(0)

  /// A log of that level and format.
  public init(level: Level = .info, format: Format = .text) {
    self.level = level
    self.format = format
  }

  /// Writes a line.
  ///
  /// - Parameters:
  ///   - level: how much it matters.
  ///   - message: what happened; lines after the first are indented, and control characters beside
  ///     tabs are written as escapes.
  ///   - origin: the script, or script and hook, that it is about.
  public func write(_ level: Level, _ message: String, from origin: String? = nil) {
    guard level >= self.level else { return }
    let text = line(level, message, origin)
    lost.withLock { lost in
      if lost > 0 {
        guard StandardStream.error.offer(line(.warn, "\(lost) log lines were lost", nil)) else {
          lost += 1
          return
        }
        lost = 0
      }
      if !StandardStream.error.offer(text) { lost += 1 }
    }
  }

  private func line(_ level: Level, _ message: String, _ origin: String?) -> String {
    let now = WallClock.seconds
    switch format {
    case .json:
      var writer = JSONWriter()
      writer.object { json in
        json.field("time", now)
        json.field("level", level.rawValue)
        if let origin { json.field("hook", origin) }
        json.field("message", message)
      }
      return writer.text + "\n"
    case .text:
      let level = level.rawValue + String(repeating: " ", count: 5 - level.rawValue.count)
      let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
        .map { line in
          line.split(separator: "\t", omittingEmptySubsequences: false)
            .map { String($0).printable }.joined(separator: "\t")
        }
      let start = "\(WallClock.localText(now)) \(level) \(origin.map { "\($0.printable): " } ?? "")"
      return start + lines.joined(separator: "\n    ") + "\n"
    }
  }
}

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

  /// One line, as it is told.
  struct Line: Hashable, Sendable {
    var level: Level
    /// The script, or script and hook, that it is about.
    var origin: String?
    /// What happened, with `***` in place of what is hidden.
    var message: String
  }

  /// The lowest level that is written.
  public let level: Level
  /// By which lines are dated.
  let clock: Clock
  private let format: Format
  /// Takes lines in the place of standard error.
  private let reader: (@Sendable (Line) -> Void)?
  private let queue = Lock(Queue())
  private let hidden = Lock(HiddenTexts())

  private struct Entry {
    let level: Level
    let origin: String?
    let time: Int64
    let message: @Sendable () -> String
  }

  private struct Queue {
    var delayed: [Entry] = []
    var lost = 0
  }

  /// A log of that level and format.
  public init(level: Level = .info, format: Format = .text) {
    self.level = level
    self.format = format
    clock = .system
    reader = nil
  }

  /// A log whose lines are handed to `reader`, on any thread, one at a time.
  init(level: Level, clock: Clock, reader: @escaping @Sendable (Line) -> Void) {
    self.level = level
    self.clock = clock
    self.reader = reader
    format = .text
  }

  /// Writes a line, after those that were delayed.
  ///
  /// - Parameters:
  ///   - level: how much it matters.
  ///   - message: what happened; lines after the first are indented, and control characters beside
  ///     tabs are written as escapes.
  ///   - origin: the script, or script and hook, that it is about.
  public func write(_ level: Level, _ message: String, from origin: String? = nil) {
    delay(level, from: origin) { message }
    flush()
  }

  /// Puts a line before all that are written later, without taking the time to write it.
  ///
  /// - Parameters:
  ///   - level: how much it matters.
  ///   - origin: the script, or script and hook, that it is about.
  ///   - message: what happened; called when the line is written.
  public func delay(
    _ level: Level, from origin: String? = nil, _ message: @escaping @Sendable () -> String
  ) {
    guard level >= self.level else { return }
    let entry = Entry(level: level, origin: origin, time: clock.seconds, message: message)
    queue.withLock { $0.delayed.append(entry) }
  }

  /// Writes what was delayed.
  public func flush() {
    queue.withLock { queue in
      for entry in queue.delayed { write(entry, &queue.lost) }
      queue.delayed.removeAll(keepingCapacity: true)
    }
  }

  /// Writes `***` from now on wherever a line would show that text.
  public func hide(_ text: String) { hidden.withLock { $0.add(text) } }

  /// A text with `***` in place of what is hidden.
  public func redacted(_ text: String) -> String { hidden.withLock { $0.redacting(text) } }

  private func write(_ entry: Entry, _ lost: inout Int) {
    if let reader {
      let message = redacted(entry.message())
      return reader(Line(level: entry.level, origin: entry.origin, message: message))
    }
    if lost > 0 {
      let now = clock.seconds
      let notice = Entry(level: .warn, origin: nil, time: now) { [lost] in
        "\(lost) log lines were lost"
      }
      guard StandardStream.error.offer(line(notice)) else {
        lost += 1
        return
      }
      lost = 0
    }
    if !StandardStream.error.offer(line(entry)) { lost += 1 }
  }

  private func line(_ entry: Entry) -> String {
    switch format {
    case .json:
      var message = redacted(entry.message())
      var line = json(entry, message)
      // Cut before it is quoted: half an object is none.
      while line.utf8.count > StandardStream.longestOffer {
        message = "\(message.prefix(message.count / 2))…"
        line = json(entry, message)
      }
      return line
    case .text:
      let name = entry.level.rawValue
      let level = name + String(repeating: " ", count: 5 - name.count)
      let origin = entry.origin.map { "\($0.printable): " } ?? ""
      let start = "\(WallClock.localText(entry.time)) \(level) \(origin)"
      return start + redacted(entry.message()).printableLines + "\n"
    }
  }

  private func json(_ entry: Entry, _ message: String) -> String {
    var writer = JSONWriter()
    writer.object { json in
      json.field("time", entry.time)
      json.field("level", entry.level.rawValue)
      if let origin = entry.origin { json.field("hook", origin) }
      json.field("message", message)
    }
    return writer.text + "\n"
  }
}

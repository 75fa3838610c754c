internal import Posix
internal import Reachability

extension Timeline {
  /// Reads a text.
  ///
  /// - Parameters:
  ///   - bytes: what a file holds.
  ///   - file: what errors call it.
  /// - Throws: where the first fault is, what is wrong there, and the nearest right thing.
  public init(parsing bytes: [UInt8], named file: String) throws(TimelineError) {
    var reader = Reader()
    var number = 0
    for line in bytes.split(separator: 0x0a, omittingEmptySubsequences: false) {
      number += 1
      do throws(Reader.Fault) { try reader.take(line) } catch {
        throw TimelineError(file, number, error.text)
      }
    }
    self = reader.timeline
  }
}

/// Reads a timeline line by line.
private struct Reader {
  typealias Fault = TimelineWord.Fault

  private(set) var timeline = Timeline()
  /// The targets that the last moment has.
  private var known: Set<String> = []

  private static let statuses: [Status] = [.unknown, .unreachable, .portal, .reachable]
  /// Time must not run out in it.
  private static let longestSleep = Duration.seconds(277_777 * 3600)
  private static let events = ["@suspend", "@restart", "@boot"]

  mutating func take(_ line: ArraySlice<UInt8>) throws(Fault) {
    // A file from elsewhere may have lines that end with both signs.
    let line = line.last == 0x0d ? line.dropLast() : line
    guard String(validating: line, as: UTF8.self) != nil else {
      throw Fault(text: "not UTF-8")
    }
    var words = try TimelineWord.words(of: line)[...]
    guard let first = words.popFirst() else { return }
    if first.bare?.utf8.first == UInt8(ascii: "@") { return try takeStart(first.text, words) }
    let time = try seconds(first)
    guard let subject = words.popFirst() else {
      throw Fault(text: "a line is SECONDS TARGET STATUS [VIA] [KEY=VALUE…]")
    }
    try begin(time)
    if subject.bare?.utf8.first == UInt8(ascii: "@") {
      try takeEvent(subject.text, words)
    } else {
      try takeChange(subject, words)
    }
  }

  // MARK: Times

  private mutating func takeStart(_ word: String, _ rest: ArraySlice<TimelineWord>) throws(Fault) {
    guard word == "@start" else {
      if Reader.events.contains(word) {
        throw Fault(text: "\(word) needs its SECONDS before it, as in 60 \(word)")
      }
      throw Fault(
        text: "unknown \(word)" + Nearest.hint(for: word, among: ["@start"] + Reader.events))
    }
    guard timeline.start == nil else { throw Fault(text: "a second @start") }
    guard timeline.moments.isEmpty else { throw Fault(text: "@start goes before all moments") }
    guard rest.count == 1, let text = rest.first?.bare else {
      throw Fault(text: "@start takes one time, as in 2026-11-30T18:00:00")
    }
    do throws(FieldError) { timeline.start = try WallTime(parsing: text) } catch {
      throw Fault(text: "@start: \(error)")
    }
  }

  /// Reads a decimal number of seconds, to the nanosecond.
  private func seconds(_ word: TimelineWord) throws(Fault) -> Duration {
    guard let text = word.bare, let seconds = Duration(seconds: text) else {
      let duration = word.bare.flatMap { Duration(parsing: $0) }
      let hint = duration.map { "; did you mean \($0.secondsText)?" } ?? ", as in 12.5"
      throw Fault(text: "\(word.quoted) is not a number of seconds\(hint)")
    }
    return seconds
  }

  /// Goes on to a moment, which may be the present one.
  private mutating func begin(_ time: Duration) throws(Fault) {
    guard let last = timeline.moments.last else { return add(time) }
    let text = time.secondsText
    switch last.event {
    case .suspend? where time < last.end:
      throw Fault(text: "at \(text) the machine still sleeps, until \(last.end.secondsText)")
    case .restart? where time == last.time, .boot? where time == last.time:
      throw Fault(text: "\(text) is over with the event before: what follows has a later time")
    case _ where time < last.time:
      throw Fault(text: "\(text) comes after \(last.time.secondsText): time goes on")
    case _ where time > last.time: add(time)
    default: break
    }
  }

  private mutating func add(_ time: Duration) {
    timeline.moments.append(Timeline.Moment(time))
    known = []
  }

  // MARK: What happens

  private mutating func takeEvent(_ word: String, _ rest: ArraySlice<TimelineWord>) throws(Fault) {
    let event: Timeline.MachineEvent
    switch word {
    case "@suspend":
      guard rest.count == 1, let text = rest.first?.bare, let duration = Duration(parsing: text),
        duration > .zero, duration <= Reader.longestSleep
      else {
        throw Fault(text: "@suspend takes a duration longer than 0, at most 277777h, as in 1h30m")
      }
      event = .suspend(duration)
    case "@restart", "@boot":
      if let extra = rest.first {
        throw Fault(text: "\(word) stands alone, without \(extra.written)")
      }
      event = word == "@boot" ? .boot : .restart
    case "@start": throw Fault(text: "@start has no SECONDS before it")
    default:
      let hint = Nearest.hint(for: word, among: Reader.events)
      let events = Reader.events.joined(separator: ", ")
      throw Fault(
        text: "unknown event \(word)" + (hint.isEmpty ? "; the events are \(events)" : hint))
    }
    timeline.moments[timeline.moments.count - 1].event = event
  }

  private mutating func takeChange(
    _ subject: TimelineWord, _ rest: ArraySlice<TimelineWord>
  ) throws(Fault) {
    guard subject.quotedValue == nil else {
      throw Fault(text: "a name stands in quotes as a whole, not \(subject.written)")
    }
    guard !subject.text.isEmpty else { throw Fault(text: "a target's name is empty") }
    let verdict = try verdict(rest, of: subject)
    guard known.insert(subject.text).inserted else {
      throw Fault(text: "a second line for \(subject.quoted) at that moment")
    }
    timeline.moments[timeline.moments.count - 1].changes.append(
      Timeline.Change(subject.text, verdict))
  }

  private func verdict(
    _ words: ArraySlice<TimelineWord>, of subject: TimelineWord
  ) throws(Fault) -> Verdict {
    var words = words
    let statuses = Reader.statuses.map(\.rawValue)
    guard let word = words.popFirst() else {
      throw Fault(
        text: "\(subject.quoted) has no status: \(statuses.joined(separator: ", "))"
          + eventHint(subject))
    }
    guard let status = word.bare.flatMap(Status.init(rawValue:)) else {
      let hint = eventHint(subject)
      throw Fault(
        text: "\(word.quoted) is none of \(statuses.joined(separator: ", "))"
          + (hint.isEmpty ? Nearest.hint(for: word.text, among: statuses) : hint))
    }
    var fields = VerdictFields(status)
    var given: Set<String> = []
    do throws(FieldError) {
      if let medium = words.first, medium.pair == nil {
        words.removeFirst()
        try fields.setMedium(medium)
        given.insert("via")
      }
      for word in words {
        guard let (key, value) = word.pair else {
          throw FieldError("\(word.quoted) is not KEY=VALUE, as in ssid=Home")
        }
        guard given.insert(key).inserted else { throw FieldError("\(key) is given twice") }
        try fields.set(key, to: value)
      }
    } catch {
      throw Fault(text: error.description)
    }
    return fields.verdict
  }

  /// What was meant where a target is called like an event.
  private func eventHint(_ subject: TimelineWord) -> String {
    guard let name = subject.bare, Reader.events.contains("@\(name)") else { return "" }
    return "; did you mean the event @\(name)?"
  }
}

extension VerdictFields {
  /// Sets the medium by the word after the status.
  fileprivate mutating func setMedium(_ word: TimelineWord) throws(FieldError) {
    let media = Medium.allCases.map(\.rawValue)
    guard let name = word.bare, media.contains(name) else {
      throw FieldError(
        "\(word.quoted) is neither KEY=VALUE nor one of \(media.joined(separator: ", "))"
          + Nearest.hint(for: word.text, among: media))
    }
    try set("via", to: name)
  }
}

extension TimelineWord {
  /// As errors call it.
  fileprivate var quoted: String { isQuoted || quotedValue != nil ? written : "\"\(text)\"" }
}

extension Duration {
  /// Reads digits, with a point and up to nine more where it is given; a number below 10⁹.
  fileprivate init?(seconds text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard (1...2).contains(parts.count),
      parts.allSatisfy({ (1...9).contains($0.count) && $0.allSatisfy(digits.contains) })
    else { return nil }
    var nanoseconds: Int64 = 0
    let fraction = parts.count == 2 ? Array(parts[1]) : []
    let padding = [UInt8](repeating: digits.lowerBound, count: 9 - fraction.count)
    for digit in Array(parts[0]) + fraction + padding {
      nanoseconds = nanoseconds * 10 + Int64(digit - digits.lowerBound)
    }
    self = .nanoseconds(nanoseconds)
  }
}

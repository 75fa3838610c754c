internal import Posix
internal import Reachability

extension Timeline {
  /// The timeline as it is read again; without comments, and without what no line can say.
  public var text: String {
    (start.map { "@start \($0)\n" } ?? "") + moments.map(\.text).joined()
  }
}

extension Timeline.Moment {
  /// Its lines, each with its end.
  public var text: String {
    let seconds = time.secondsText
    var lines = changes.map { "\(seconds) \($0.text)\n" }
    if let event { lines.append("\(seconds) \(event.text)\n") }
    return lines.joined()
  }
}

extension Timeline.Change {
  fileprivate var text: String {
    var words = [TimelineWord.name(target), verdict.status.rawValue]
    if let medium = VerdictFields(saying: verdict).verdict.via { words.append(medium.rawValue) }
    for (key, text) in VerdictFields.texts(of: verdict) where key != "via" {
      words.append(text.isEmpty ? "\(key)=" : "\(key)=\(TimelineWord.value(text))")
    }
    return words.joined(separator: " ")
  }
}

extension Timeline.MachineEvent {
  /// As it stands after the SECONDS.
  var text: String {
    switch self {
    case .suspend(let duration): "@suspend \(duration.exactText)"
    case .restart: "@restart"
    case .boot: "@boot"
    }
  }
}

extension VerdictFields {
  /// What a line can say of a verdict.
  init(saying verdict: Verdict) {
    self.init(verdict.status)
    for (key, text) in VerdictFields.texts(of: verdict) { try? set(key, to: text) }
  }
}

extension Duration {
  /// A time from 0 as SECONDS: `95.5`.
  var secondsText: String {
    let total = max(0, nanoseconds)
    let fraction = String(String(1_000_000_000 + total % 1_000_000_000).dropFirst())
    guard let last = fraction.lastIndex(where: { $0 != "0" }) else {
      return "\(total / 1_000_000_000)"
    }
    return "\(total / 1_000_000_000).\(fraction[...last])"
  }
}

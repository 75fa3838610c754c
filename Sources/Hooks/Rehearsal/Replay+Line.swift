internal import Posix
internal import Reachability

extension Replay.Line {
  /// The line for people: the second, whom it concerns, and what happens.
  public var text: String {
    let time = Replay.number(seconds)
    let pause = String(repeating: " ", count: max(1, 9 - time.count))
    let name = subject.printable
    switch happening {
    case .verdict(let verdict): return "\(time)\(pause)\(name): \(verdict.summary)\n"
    case .machine(let event): return "\(time)\(pause)\(event.text)\n"
    case .call(let event, let handlers):
      var words = "called: \(handlers.names.joined(separator: ", "))"
      if event.was != event.verdict.status { words += " (was \(event.was.rawValue))" }
      if event.isInitial { words += ", initial" }
      if event.isRetried { words += ", retried" }
      if event.again > 0 { words += ", again \(event.again)" }
      if event.missed > 0 { words += ", missed \(event.missed)" }
      return "\(time)\(pause)  \(name) \(words)\n"
    case .hold(let hold, let end):
      return "\(time)\(pause)  \(name) \(hold.text)"
        + (end.map { " until \(Replay.number($0))" } ?? "") + "\n"
    case .drop(let hold):
      return "\(time)\(pause)  \(name) hears nothing of it: \(hold.text) until it was over\n"
    case .deed(let deed): return "\(time)\(pause)    \(name) \(deed.line)\n"
    case .failure(let message):
      return "\(time)\(pause)    \(name) fails: \(message.printable)\n"
    }
  }

  /// The line as an object of JSON.
  public var json: String {
    var writer = JSONWriter()
    writer.object { json in
      json.key("seconds")
      json.value(seconds)
      switch happening {
      case .verdict(let verdict):
        json.field("kind", "verdict")
        json.field("target", subject)
        json.field("status", verdict.status.rawValue)
        json.field("via", verdict.via?.rawValue)
        json.field("reason", verdict.reason?.rawValue)
      case .machine(let event):
        json.field("kind", "machine")
        json.field("event", event.text)
      case .call(let event, let handlers):
        json.field("kind", "call")
        json.field("hook", subject)
        json.key("handlers")
        json.array { json in for name in handlers.names { json.value(name) } }
        json.key("event")
        event.write(to: &json)
      case .hold(let hold, let end):
        json.field("kind", "hold")
        json.field("hook", subject)
        json.field("hold", hold.kind.rawValue)
        json.field("text", hold.text)
        json.key("until")
        json.value(end)
      case .drop(let hold):
        json.field("kind", "drop")
        json.field("hook", subject)
        json.field("hold", hold.kind.rawValue)
      case .deed(let deed): deed.write(of: subject, to: &json)
      case .failure(let message):
        json.field("kind", "failure")
        json.field("hook", subject)
        json.field("message", message)
      }
    }
    return writer.text + "\n"
  }
}

extension Replay {
  /// Seconds as they stand in timelines: `12.5`.
  fileprivate static func number(_ seconds: Double) -> String {
    let thousandths = Int64((seconds * 1000).rounded())
    let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
    guard rest != 0 else { return "\(whole)" }
    let digits = String(abs(rest) + 1000).dropFirst()
    let end = digits.lastIndex { $0 != "0" } ?? digits.startIndex
    return "\(whole).\(digits[...end])"
  }
}

extension Stage.Deed {
  /// `runs: systemctl stop backup`.
  var line: String {
    switch self {
    case .command(let command): "runs: \(command.words.map(\.printable).joined(separator: " "))"
    case .request(let request): "asks: \(request.method) \(request.url.withoutQuery)"
    case .notification(let notification):
      "shows: \(notification.title.printable)"
        + (notification.body.isEmpty ? "" : " - \(notification.body.printable)")
    case .file(let file): "\(file.appends ? "appends to" : "writes"): \(file.path.printable)"
    }
  }

  fileprivate func write(of hook: String, to json: inout JSONWriter) {
    switch self {
    case .command(let command):
      json.field("kind", "run")
      json.field("hook", hook)
      json.key("argv")
      json.array { json in for word in command.words { json.value(word) } }
    case .request(let request):
      json.field("kind", "http")
      json.field("hook", hook)
      json.field("method", request.method)
      json.field("url", request.url.withoutQuery)
      if !request.body.isEmpty { json.field("body", String(decoding: request.body, as: UTF8.self)) }
    case .notification(let notification):
      json.field("kind", "notify")
      json.field("hook", hook)
      json.field("title", notification.title)
      json.field("body", notification.body)
    case .file(let file):
      json.field("kind", "write")
      json.field("hook", hook)
      json.field("path", file.path)
      json.field("append", file.appends)
    }
  }
}

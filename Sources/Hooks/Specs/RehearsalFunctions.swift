internal import Lua
internal import Posix
internal import Reachability

/// What a spec does with `t`, the rehearsal that `reach.test` has begun.
extension SpecFunction {
  static let rehearsalFunctions: [SpecFunction] = [
    set, advance, suspend, restart, reboot, reload, answer, ran, commands, requests,
    notifications, written, log, failures,
  ]

  // MARK: Leading it

  /// Has things be true of targets, all at one moment.
  private static let set = leads("set") { rehearsal, arguments throws(OptionError) in
    guard arguments.count == 1, case .table(let table) = arguments[0], table.array.isEmpty else {
      throw OptionError(
        "t:set takes what is true of targets, as in t:set{ nas = { status = \"unreachable\" } }")
    }
    var verdicts: [String: Verdict] = [:]
    for field in table.fields {
      guard case .string(let name) = field.key else {
        throw OptionError("t:set: a key that is no name of a target")
      }
      do throws(FieldError) {
        verdicts[name] = try verdict(field.value, over: rehearsal.verdict(ofTargetNamed: name))
      } catch {
        throw OptionError("t:set: \(name): \(error)")
      }
    }
    return { () throws(Rehearsal.Failure) in try rehearsal.set(verdicts) }
  }

  /// A verdict from a table, or from a status alone; a table without a status changes what stands.
  private static func verdict(
    _ value: LuaValue, over standing: Verdict
  ) throws(FieldError) -> Verdict {
    func status(_ value: LuaValue) throws(FieldError) -> Status {
      guard case .string(let word) = value, let status = Status(rawValue: word) else {
        let words = Status.allCases.map(\.rawValue)
        let hint =
          if case .string(let word) = value { Nearest.hint(for: word, among: words) } else { "" }
        throw FieldError(
          "status: \(value.described) is none of \(words.joined(separator: ", "))\(hint)")
      }
      return status
    }
    guard case .table(let table) = value else { return VerdictFields(try status(value)).verdict }
    var fields =
      if let word = table["status"] {
        VerdictFields(try status(word))
      } else if standing.status != .unknown {
        VerdictFields(standing.status, over: standing)
      } else {
        throw FieldError("\"status\" is missing, as in status = \"reachable\"")
      }
    guard table.array.isEmpty else { throw FieldError("a value without a key") }
    for field in table.fields where field.key != .string("status") {
      guard case .string(let key) = field.key else { throw FieldError("a key that is no name") }
      try fields.set(key, to: field.value)
    }
    return fields.verdict
  }

  /// Lets time pass: `t:advance "10s"`.
  private static let advance = leads("advance") { rehearsal, arguments throws(OptionError) in
    let duration = try duration(arguments, for: "t:advance")
    return { () throws(Rehearsal.Failure) in try rehearsal.advance(by: duration) }
  }

  /// Has the machine sleep and wake up: `t:suspend "1h"`.
  private static let suspend = leads("suspend") { rehearsal, arguments throws(OptionError) in
    let duration = try duration(arguments, for: "t:suspend")
    return { () throws(Rehearsal.Failure) in try rehearsal.suspend(for: duration) }
  }

  /// Stops the daemon and starts it again; the network stays as it is.
  private static let restart = leads("restart") { rehearsal, arguments throws(OptionError) in
    try check(arguments, for: "t:restart")
    return { () throws(Rehearsal.Failure) in try rehearsal.restart() }
  }

  /// Reboots the machine; nothing is known of the network then.
  private static let reboot = leads("reboot") { rehearsal, arguments throws(OptionError) in
    try check(arguments, for: "t:reboot")
    return { () throws(Rehearsal.Failure) in try rehearsal.reboot() }
  }

  /// Loads the script anew, as a changed file has it.
  private static let reload = leads("reload") { rehearsal, arguments throws(OptionError) in
    try check(arguments, for: "t:reload")
    return { () throws(Rehearsal.Failure) in try rehearsal.reload() }
  }

  private static func leads(
    _ name: String,
    _ body:
      @escaping @Sendable (Rehearsal, [LuaValue]) throws(OptionError) -> (
        () throws(Rehearsal.Failure) -> Void
      )
  ) -> SpecFunction {
    SpecFunction(name: "t:\(name)", waits: true) { context, call, _ throws(OptionError) in
      let (object, arguments) = try receiver(call)
      let step = try body(try context.rehearsal(of: object), arguments)
      context.action = { () throws(OptionError) in
        do throws(Rehearsal.Failure) { try step() } catch {
          throw OptionError("t:\(name): \(error)")
        }
      }
      return .wait
    }
  }

  private static func receiver(
    _ call: borrowing LuaCall
  ) throws(OptionError) -> (LuaObject, [LuaValue]) {
    let arguments = call.arguments
    // The interpreter has seen to it.
    guard case .object(let object)? = arguments.first else {
      throw OptionError("called without a rehearsal")
    }
    return (object, Array(arguments.dropFirst()))
  }

  private static func check(_ arguments: [LuaValue], for owner: String) throws(OptionError) {
    guard arguments.isEmpty else { throw OptionError("\(owner) takes nothing") }
  }

  private static func duration(
    _ arguments: [LuaValue], for owner: String
  ) throws(OptionError) -> Duration {
    guard arguments.count == 1 else {
      throw OptionError("\(owner) takes one duration, as in \(owner) \"10s\"")
    }
    return try OptionTable.duration(arguments[0]) { expected in
      OptionError("\(owner) takes \(expected), not \(arguments[0].described)")
    }
  }

  // MARK: What it does, and what it finds

  /// Says how what holds a text ends: `t:answer("systemctl", { ok = false })`.
  private static let answer = tells("answer") { rehearsal, arguments, _ throws(OptionError) in
    guard arguments.count == 2, case .string(let text) = arguments[0], !text.isEmpty,
      case .table = arguments[1]
    else {
      throw OptionError(
        "t:answer takes a part of a command line or URL and how it ends, as in "
          + "t:answer(\"systemctl\", { ok = false })")
    }
    rehearsal.stage.answer(
      text, with: try StagedAnswer([arguments[1]], for: "t:answer \"\(text)\""))
  }

  /// The last command or URL that holds a text, or nil.
  private static let ran = tells("ran") { rehearsal, arguments, results throws(OptionError) in
    guard arguments.count == 1, case .string(let text) = arguments[0] else {
      throw OptionError("t:ran takes a part of a command line or URL, as in t:ran \"systemctl\"")
    }
    let deed = rehearsal.deeds.last { deed in
      switch deed {
      case .command, .request: deed.text.contains(text)
      case .notification, .file: false
      }
    }
    switch deed {
    case .command(let command)?: results.texts(command.words)
    case .request(let request)?: results.string(request.url.description)
    default: results.null()
    }
  }

  private static let commands = lists("commands") { deed, results in
    guard case .command(let command) = deed else { return }
    results.texts(command.words)
  }

  private static let requests = lists("requests") { deed, results in
    guard case .request(let request) = deed else { return }
    results.table(fields: { fields in
      fields.field("method", request.method)
      fields.field("url", request.url.description)
      fields.string("body")
      fields.bytes(request.body)
      fields.string("headers")
      fields.table(fields: { fields in
        for header in request.headers {
          fields.string(header.name.lowercased())
          fields.bytes(header.value)
        }
      })
    })
  }

  private static let notifications = lists("notifications") { deed, results in
    guard case .notification(let notification) = deed else { return }
    results.table(fields: { fields in
      fields.field("title", notification.title)
      fields.field("body", notification.body)
      fields.field("urgency", notification.urgency.rawValue)
      guard let place = notification.place else { return }
      fields.string("replace")
      if place.isEmpty { fields.boolean(true) } else { fields.string(place) }
    })
  }

  private static let written = lists("written") { deed, results in
    guard case .file(let file) = deed else { return }
    results.table(fields: { fields in
      fields.field("path", file.path)
      fields.string("text")
      fields.bytes(file.text)
      fields.string("append")
      fields.boolean(file.appends)
    })
  }

  /// The lines of the log, as `warn pause-sync/internet: …`.
  private static let log = tells("log") { rehearsal, arguments, results throws(OptionError) in
    try check(arguments, for: "t:log")
    let lines = rehearsal.stage.entries.compactMap { entry in
      if case .line(let line) = entry.happening { line } else { nil }
    }
    results.texts(
      lines.map { line in
        "\(line.level.rawValue) \(line.origin.map { "\($0): " } ?? "")\(line.message)"
      })
  }

  /// What has failed until now; without this call the test fails for it.
  private static let failures = SpecFunction(name: "t:failures") {
    context, call, results throws(OptionError) in
    let (object, arguments) = try receiver(call)
    try check(arguments, for: "t:failures")
    results.texts(try context.failures(of: object))
    return .returned
  }

  private static func tells(
    _ name: String,
    _ body:
      @escaping @Sendable (Rehearsal, [LuaValue], inout LuaWriter) throws(OptionError) -> Void
  ) -> SpecFunction {
    SpecFunction(name: "t:\(name)") { context, call, results throws(OptionError) in
      let (object, arguments) = try receiver(call)
      try body(try context.rehearsal(of: object), arguments, &results)
      return .returned
    }
  }

  /// A list of what `write` writes of each deed.
  private static func lists(
    _ name: String, _ write: @escaping @Sendable (Stage.Deed, inout LuaWriter) -> Void
  ) -> SpecFunction {
    tells(name) { rehearsal, arguments, results throws(OptionError) in
      try check(arguments, for: "t:\(name)")
      results.table(items: { items in
        for deed in rehearsal.deeds { write(deed, &items) }
      })
    }
  }
}

extension Rehearsal {
  fileprivate var deeds: [Stage.Deed] {
    stage.entries.compactMap { if case .deed(let deed) = $0.happening { deed } else { nil } }
  }
}

extension LuaWriter {
  /// Writes a list of strings.
  fileprivate mutating func texts(_ texts: [String]) {
    table(items: { items in for text in texts { items.string(text) } })
  }

  /// Writes a key and a string.
  fileprivate mutating func field(_ key: String, _ text: String) {
    string(key)
    string(text)
  }
}

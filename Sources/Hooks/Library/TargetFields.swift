internal import Lua
internal import Posix
internal import Reachability

/// A target as it stands when a script reads one of its fields.
private struct TargetReading {
  let name: String
  /// Nil before it is judged, and while the script is loaded.
  let standing: Standing?
  let verdict: Verdict
}

extension TableForm {
  static let target = TableForm(
    "reach.Target",
    "A target, with how it stands: live, and without any hook's `stable`.",
    targetFields.map(\.field))

  /// What a script finds in a target.
  fileprivate static let targetFields:
    [(field: Field, write: @Sendable (TargetReading, inout LuaWriter) -> Void)] = [
      (Field("name", "string", "What events call it."), { $1.string($0.name) }),
      (
        Field("status", WordList.status.name, "`\"unknown\"` until it is judged."),
        { $1.string($0.verdict.status.rawValue) }
      ),
      (
        Field("via?", WordList.medium.name, "What carries the path, if it is reachable or portal."),
        { $1.string($0.verdict.via?.rawValue) }
      ),
      (
        Field("since?", "integer", "When the status began, in Unix seconds."),
        { $1.integer($0.standing?.since) }
      ),
      (
        Field("vpn", "boolean", "Whether the path goes through a tunnel."),
        { $1.boolean($0.verdict.path.isVPN) }
      ),
      (
        Field("metered?", "boolean", "Whether it is paid for by volume; nil where nothing tells."),
        { $1.boolean($0.verdict.path.isMetered) }
      ),
      (
        Field("interface?", "string", "The interface; beneath a tunnel the one that carries it."),
        { $1.string($0.verdict.path.interface) }
      ),
      (
        Field("gateway?", "string", "The router's address."),
        { $1.string($0.verdict.path.gateway?.description) }
      ),
      (
        Field("ssid?", "string", "The WiFi network's name, if that is printable UTF-8."),
        { $1.string($0.verdict.path.ssid) }
      ),
      (
        Field("reason?", WordList.reason.name, "Why it is not reachable."),
        { $1.string($0.verdict.reason?.rawValue) }
      ),
      (
        Field("cause?", WordList.cause.name, "What brought that about."),
        { $1.string($0.standing == nil ? nil : $0.verdict.cause.rawValue) }
      ),
      (
        Field("latency?", "number", "The probe's round trip, in seconds."),
        { $1.number($0.verdict.latency?.seconds) }
      ),
    ]
}

extension ScriptContext {
  /// Writes a field of a target; false where it has none of that name.
  func write(field: String, ofTarget position: Int, to result: inout LuaWriter) -> Bool {
    guard let write = TableForm.targetFields.first(where: { $0.field.name == field })?.write else {
      return false
    }
    let standing = standing(ofTarget: position)
    write(
      TargetReading(
        name: declarations.targets[position].name, standing: standing,
        verdict: standing?.verdict ?? .unknown), &result)
    return true
  }

  /// What stands for a target of the script; nil before it is judged, and while the script is loaded.
  func standing(ofTarget position: Int) -> Standing? {
    id(ofTarget: position).flatMap { live?[$0] }
  }

  fileprivate func id(ofTarget position: Int) -> TargetID? {
    targetIDs.indices.contains(position) ? targetIDs[position] : nil
  }

  /// Takes note of the ready targets that a text names: they are watched, since it may read them.
  func noteReadyTargets(in text: [UInt8]) {
    let text = String(decoding: text, as: UTF8.self)
    for (position, word) in ["internet", "local_wifi"].enumerated() where text.contains(word) {
      declarations.readyTargets.insert(position)
    }
  }
}

extension LibraryFunction {
  static let wait = LibraryFunction(
    name: "target:wait", place: .handlers, waits: true,
    takes: [
      Field("status", WordList.status.name, "What it waits for."),
      Field("timeout?", "reach.Duration", "For how long; by default for as long as the run may."),
    ],
    returns: Field("reached", "boolean", "Whether the target has the status."),
    summary: "Waits until the target has a status: `nas:wait(\"reachable\", \"30s\")`."
  ) { context, call, results throws(OptionError) in
    let arguments = call.arguments
    guard (2...3).contains(arguments.count), case .object(let object) = arguments[0],
      case .string(let word) = arguments[1]
    else {
      throw OptionError(
        "target:wait takes a status and a time, as in nas:wait(\"reachable\", \"30s\")")
    }
    guard let status = Status(rawValue: word) else {
      let words = Status.allCases.map(\.rawValue)
      let hint = Nearest.hint(for: word, among: words)
      throw OptionError(
        "target:wait: there is no status \"\(word)\""
          + (hint.isEmpty ? "; it is \(words.listed(before: "or"))" : hint))
    }
    var timeout: Duration?
    if arguments.count == 3, arguments[2] != .nil {
      timeout = try OptionTable.duration(arguments[2]) { expected in
        OptionError("target:wait: the time is \(expected), not \(arguments[2].described)")
      }
    }
    let position = Int(object.id)
    let present = context.standing(ofTarget: position)?.verdict.status ?? .unknown
    guard present != status, let target = context.id(ofTarget: position) else {
      results.boolean(present == status)
      return .returned
    }
    context.effect = StatusEffect(target: target, status: status, timeout: timeout)
    return .wait
  }
}

/// A wait for a target's status.
private struct StatusEffect: Effect {
  let target: TargetID
  let status: Status
  let timeout: Duration?

  func begin(_ wait: Wait) {
    let targets = wait.equipment.targets
    // It may have come since the call.
    guard targets[target]?.verdict.status != status else {
      return wait.returns { $0.boolean(true) }
    }
    var timer: LoopTimer?
    let waiter = targets.await(status, of: target) { [loop = wait.loop] in
      if let timer { loop.cancel(timer) }
      wait.returns { $0.boolean(true) }
    }
    timer = timeout.map { timeout in
      wait.loop.schedule(at: wait.loop.clock.now + timeout) {
        targets.cancel(waiter)
        wait.returns { $0.boolean(false) }
      }
    }
    wait.ending = { [loop = wait.loop] in
      targets.cancel(waiter)
      if let timer { loop.cancel(timer) }
    }
  }

  func rehearse(_ wait: Wait, on stage: Stage) { begin(wait) }
}

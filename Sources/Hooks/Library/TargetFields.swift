internal import Lua
internal import Posix
internal import Reachability

extension ScriptContext {
  /// What a script finds in a target, live and without any hook's `stable`.
  static let targetFields = [
    "name", "status", "via", "since", "vpn", "metered", "interface", "gateway", "ssid", "reason",
    "cause", "latency",
  ]

  /// Writes a field of a target; false where it has none of that name.
  func write(field: String, ofTarget position: Int, to result: inout LuaWriter) -> Bool {
    let standing = standing(ofTarget: position)
    let verdict = standing?.verdict ?? .unknown
    switch field {
    case "name": result.string(declarations.targets[position].name)
    case "status": result.string(verdict.status.rawValue)
    case "via": result.string(verdict.via?.rawValue)
    case "since": result.integer(standing?.since)
    case "vpn": result.boolean(verdict.path.isVPN)
    case "metered": result.boolean(verdict.path.isMetered)
    case "interface": result.string(verdict.path.interface)
    case "gateway": result.string(verdict.path.gateway?.description)
    case "ssid": result.string(verdict.path.ssid)
    case "reason": result.string(verdict.reason?.rawValue)
    case "cause": result.string(standing == nil ? nil : verdict.cause.rawValue)
    case "latency": result.number(verdict.latency?.seconds)
    default: return false
    }
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
  /// Waits until a target has a status: `nas:wait("reachable", "30s")`.
  ///
  /// Returns whether it has it; without a time it waits for as long as the run may.
  static let wait = LibraryFunction(name: "target:wait", place: .handlers, waits: true) {
    context, call, results throws(OptionError) in
    let arguments = call.arguments
    guard (2...3).contains(arguments.count), case .object(let object) = arguments[0],
      case .string(let word) = arguments[1]
    else {
      throw OptionError(
        "target:wait takes a status and a time, as in nas:wait(\"reachable\", \"30s\")")
    }
    let statuses = [Status.reachable, .unreachable, .portal, .unknown]
    guard let status = statuses.first(where: { $0.rawValue == word }) else {
      let hint = Nearest.hint(for: word, among: statuses.map(\.rawValue))
      throw OptionError("target:wait: there is no status \"\(word)\"\(hint)")
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
}

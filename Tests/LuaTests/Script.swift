@testable import Lua

/// What the functions of a test's script leave behind.
final class Record {
  var lines: [String] = []
  var values: [[LuaValue]] = []
  var handlers: [LuaFunction] = []
  var waiting: [LuaCoroutine] = []
}

let event = LuaShape(id: 0, name: "event", keys: ["name", "status", "flags", "reason"])
let flags = LuaShape(id: 1, name: "flags", keys: ["up", "direct"])
let target = LuaClass(id: 0, name: "target")

/// An interpreter with a few functions, and what they recorded.
struct Script: ~Copyable {
  var state: LuaState
  let record: Record

  init(_ text: String = "", limits: LuaLimits = LuaLimits()) throws(LuaFailure) {
    let record = Record()
    var state = try LuaState(limits: limits, declarations: declarations(record))
    try state.load(Array(text.utf8), name: "hook.lua")
    self.record = record
    self.state = state
  }

  /// Calls what the script gave to `on`.
  mutating func run(_ argument: (inout LuaWriter) -> Void = { _ in }) -> LuaStep {
    state.start(record.handlers, argument: argument)
  }

  mutating func resumeFirst(_ results: (inout LuaWriter) -> Void = { _ in }) -> LuaStep {
    state.resume(record.waiting.removeFirst(), results: results)
  }
}

func declarations(_ record: Record) -> LuaDeclarations {
  var declarations = LuaDeclarations()
  declarations.functions = [
    LuaFunctionDeclaration("print", arguments: .joined) { call, _ in
      record.lines.append(call.text ?? "?")
      return .returned
    },
    LuaFunctionDeclaration("reach.log.info", arguments: .format) { call, _ in
      record.lines.append(call.text ?? "?")
      return .returned
    },
    LuaFunctionDeclaration("on", keepsFunctions: true) { call, _ in
      for case .function(let function) in call.arguments { record.handlers.append(function) }
      return .returned
    },
    LuaFunctionDeclaration("give") { call, _ in
      record.values.append(call.arguments)
      return .returned
    },
    LuaFunctionDeclaration("echo") { call, results in
      for value in call.arguments { results.value(value) }
      return .returned
    },
    LuaFunctionDeclaration("require") { call, _ in
      switch call.text {
      case "lib.x":
        .run(text: Array("print('x runs') return {answer = 42}".utf8), name: "lib/x.lua")
      case "lib.bad": .run(text: Array("\nerror('bad')".utf8), name: "lib/bad.lua")
      case "lib.wrong": .run(text: Array("x = = 1".utf8), name: "lib/wrong.lua")
      default: .raise("no module '\(call.text ?? "?")'")
      }
    },
    LuaFunctionDeclaration("recall") { _, _ in
      .recall(name: "lib/x.lua", otherwise: "x was not run")
    },
    LuaFunctionDeclaration("reach.refuse") { _, _ in .raise("no such thing") },
    LuaFunctionDeclaration("reach.sleep", mayWait: true) { call, _ in
      if let coroutine = call.coroutine { record.waiting.append(coroutine) }
      return .wait
    },
    LuaFunctionDeclaration("target:wait", mayWait: true) { call, _ in
      record.values.append(call.arguments)
      if let coroutine = call.coroutine { record.waiting.append(coroutine) }
      return .wait
    },
  ]
  declarations.constants = [
    LuaConstant("reach.hostname", .string("box")),
    LuaConstant("reach.internet", .object(LuaObject(classID: 0, id: 7))),
  ]
  declarations.shapes = [event, flags]
  declarations.classes = [target]
  declarations.readField = { object, key, result in
    guard key == "status" else { return .raise("target has no field '\(key)'") }
    result.literal("reachable")
    return .returned
  }
  declarations.describe = { "target \($0.id)" }
  declarations.unknownKey = { owner, key, candidates in
    if key == "names" { return candidates.sorted().joined(separator: " ") }
    return "\(owner) has no '\(key)' (\(candidates.count) names)"
  }
  return declarations
}

extension LuaStep {
  /// The message of a failure or kill.
  var message: String? {
    switch self {
    case .failed(let failure), .killed(let failure): failure.message
    case .finished, .waiting: nil
    }
  }

  var isKilled: Bool {
    if case .killed = self { true } else { false }
  }

  var isWaiting: Bool {
    if case .waiting = self { true } else { false }
  }
}

/// Why a script does not load.
func loadFailure(_ text: String, limits: LuaLimits = LuaLimits()) -> LuaFailure? {
  do throws(LuaFailure) {
    _ = try Script(text, limits: limits)
    return nil
  } catch {
    return error
  }
}

/// The message with which a script does not load.
func loadError(_ text: String) -> String? {
  loadFailure(text)?.message
}

/// What the script gave to `give`.
func given(_ text: String) throws(LuaFailure) -> [[LuaValue]] {
  try Script(text).record.values
}

/// The lines the script printed.
func printed(_ text: String) throws(LuaFailure) -> [String] {
  try Script(text).record.lines
}

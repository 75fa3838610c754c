internal import Lua

extension LibraryFunction {
  static let anyOf = combination(
    "reach.any",
    "Declares a target that is reachable while one of its members is: `reach.any{ nas, backup }`."
  ) { _ in 1 }

  static let allOf = combination(
    "reach.all",
    "Declares a target that is reachable while all its members are: `reach.all{ nas, backup }`."
  ) { $0 }

  static let atLeast = LibraryFunction(
    name: "reach.at_least", place: .load,
    takes: [Field("count", "integer", "How many.")] + takenMembers, returns: combined,
    summary: """
      Declares a target that is reachable while so many of its members are:
      `reach.at_least(2, { a, b, c })`.
      """
  ) { context, call, results throws(OptionError) in
    guard call.arguments.count == 2, case .integer(let needed) = call.arguments[0] else {
      throw OptionError(
        "reach.at_least takes a number and a table: reach.at_least(2, { a, b, c })")
    }
    let options = try members("reach.at_least", [call.arguments[1]])
    let count = options.items.count
    guard (1...Int64(max(1, count))).contains(needed) else {
      throw OptionError(
        "reach.at_least: \(needed) of \(count) members; the number is from 1 to \(max(1, count))")
    }
    return try declare("reach.at_least", Int(needed), options, context, call, &results)
  }

  private static let takenMembers = [
    Field("members", TableForm.members.name, "The targets, and the name.")
  ]
  private static let combined = Field("target", "reach.Target", "What can be combined again, too.")

  private static func combination(
    _ name: String, _ summary: String, needed: @escaping @Sendable (_ members: Int) -> Int
  ) -> LibraryFunction {
    LibraryFunction(
      name: name, place: .load, takes: takenMembers, returns: combined, summary: summary
    ) { context, call, results throws(OptionError) in
      let options = try members(name, call.arguments)
      return try declare(
        name, needed(options.items.count), options, context, call, &results)
    }
  }

  private static func members(
    _ name: String, _ arguments: [LuaValue]
  ) throws(OptionError) -> OptionTable {
    try OptionTable(arguments, for: name, as: .members)
  }

  private static func declare(
    _ function: String, _ needed: Int, _ options: OptionTable, _ context: ScriptContext,
    _ call: borrowing LuaCall, _ results: inout LuaWriter
  ) throws(OptionError) -> LuaReply {
    var members: [DeclaredTarget] = []
    for (index, item) in options.items.enumerated() {
      guard case .object(let object) = item, object.classID == LuaClass.target.id else {
        throw options.mismatch("\(index + 1)", "a target, such as reach.internet", item)
      }
      members.append(context.declarations.targets[Int(object.id)])
    }
    guard !members.isEmpty else {
      throw OptionError("\(function) needs at least one target, as in \(function){ nas, backup }")
    }
    var target = CombinedTarget(atLeast: needed, of: members)
    if let name = try options.targetName() { target.name = name }
    results.object(try context.declare(.combined(target), by: function, at: call.position))
    return .returned
  }
}

extension TableForm {
  static let members = TableForm(
    "reach.Members", "Targets that make up another.", items: "reach.Target",
    [
      Field("name?", "string", "What events call it. Default as it is written: `any(nas, backup)`.")
    ])
}

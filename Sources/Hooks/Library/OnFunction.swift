internal import Lua
internal import Posix
internal import Reachability

extension LibraryFunction {
  /// Declares a hook: `reach.on{ target = nas, unreachable = function(e) … end }`.
  static let on = LibraryFunction(name: "reach.on", place: .load, keepsFunctions: true) {
    context, call, _ throws(OptionError) in
    let hook = try Hook(declaredBy: call.arguments, targets: context.declarations.targets)
    guard !context.declarations.hooks.contains(where: { $0.name == hook.name }) else {
      throw OptionError("reach.on: a second hook named \"\(hook.name)\" in this script")
    }
    guard context.declarations.hooks.count < ScriptContext.mostHooks else {
      throw OptionError("reach.on: more than \(ScriptContext.mostHooks) hooks")
    }
    context.declarations.hooks.append(hook)
    return .returned
  }

  fileprivate static let hookKeys =
    ["name", "target", "stable", "deadline"] + HandlerSet.named.map(\.name)
}

extension Hook {
  init(declaredBy arguments: [LuaValue], targets: [Target]) throws(OptionError) {
    // The hook's name comes first, so that errors can say which hook they are about.
    var name: String?
    if case .table(let table)? = arguments.first {
      if case .string(let text)? = table["name"] { name = text }
      if name == nil, case .object(let object)? = table["target"],
        object.classID == LuaClass.target.id
      {
        name = targets[Int(object.id)].name
      }
    }
    let options = try OptionTable(
      arguments, for: name.map { "reach.on \"\($0)\"" } ?? "reach.on",
      keys: LibraryFunction.hookKeys)
    guard case .object(let object)? = options.value("target"),
      object.classID == LuaClass.target.id
    else {
      guard let other = options.value("target") else {
        throw options.error("\"target\" is missing, as in target = reach.internet")
      }
      throw options.mismatch("target", "a target, such as reach.internet", other)
    }
    target = targets[Int(object.id)]
    self.name = try options.string("name") ?? target.name
    stability = try options.stability("stable")
    deadline = try options.duration("deadline") ?? Hook.standardDeadline
    handlers = []
    for (name, handler) in HandlerSet.named {
      if let function = try options.function(name) { handlers.append((handler, function)) }
    }
    guard !handlers.isEmpty else {
      let names = HandlerSet.named.map(\.name).joined(separator: ", ")
      throw options.error("no handler; name one of \(names)")
    }
  }
}

internal import Lua
internal import Posix
internal import Reachability

extension LibraryFunction {
  /// Declares a hook: `reach.on{ target = nas, unreachable = function(e) … end }`.
  static let on = LibraryFunction(name: "reach.on", place: .load, keepsFunctions: true) {
    context, call, _ throws(OptionError) in
    var hook = try Hook(declaredBy: call.arguments, targets: context.declarations.targets)
    hook.note = HookNote(at: call.position, call.arguments)
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
    [
      "name", "target", "stable", "initial", "again", "mode", "deadline", "given", "quiet", "apart",
    ] + HandlerSet.named.map(\.name)
}

extension Hook {
  init(declaredBy arguments: [LuaValue], targets: [DeclaredTarget]) throws(OptionError) {
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
    guard let target = try options.target("target", of: targets) else {
      throw options.error("\"target\" is missing, as in target = reach.internet")
    }
    self.target = target
    self.name = try options.string("name") ?? target.name
    given = try options.target("given", of: targets)
    quiet = try options.quietHours("quiet")
    deadline =
      try options.duration("deadline", least: .milliseconds(100)) ?? Hook.standardDeadline
    handlers = []
    for (name, handler) in HandlerSet.named {
      if let function = try options.function(name) { handlers.append((handler, function)) }
    }
    guard !handlers.isEmpty else {
      let names = HandlerSet.named.map(\.name).joined(separator: ", ")
      throw options.error("no handler; name one of \(names)")
    }
    rules = HearingRules(
      target: target.name, handlers: handlers.reduce(into: []) { $0.formUnion($1.name) })
    try options.readRules(&rules)
  }
}

extension OptionTable {
  fileprivate func readRules(_ rules: inout HearingRules) throws(OptionError) {
    rules.stable = try durations("stable")
    rules.apart = try durations("apart")
    // As short as a timer may be: a hook that is called without a pause hears of nothing else.
    rules.again = try durations("again", least: .milliseconds(100))
    rules.initial = try initial("initial")
    let words = HearingRules.Mode.allCases.map(\.rawValue)
    if let word = try word("mode", of: words), let mode = HearingRules.Mode(rawValue: word) {
      rules.mode = mode
    }
  }

  fileprivate func target(
    _ key: String, of targets: [DeclaredTarget]
  ) throws(OptionError) -> DeclaredTarget? {
    guard let value = value(key) else { return nil }
    guard case .object(let object) = value, object.classID == LuaClass.target.id else {
      throw mismatch(key, "a target, such as reach.internet", value)
    }
    return targets[Int(object.id)]
  }

  private func initial(_ key: String) throws(OptionError) -> HearingRules.Initial {
    switch value(key) {
    case nil, .string("changed")?: return .changed
    case .boolean(let flag)?: return flag ? .always : .never
    case let other?: throw mismatch(key, "\"changed\", true or false", other)
    }
  }

  fileprivate func quietHours(_ key: String) throws(OptionError) -> QuietHours? {
    guard let value = value(key) else { return nil }
    guard case .string(let text) = value, let hours = QuietHours(parsing: text) else {
      throw mismatch(key, "hours of the day, as in \"22:00-07:00\"", value)
    }
    guard !hours.isEmpty else {
      throw error("\"\(key)\": \(text) begins and ends at the same time")
    }
    return hours
  }
}

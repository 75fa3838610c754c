internal import Lua
internal import Posix
internal import Reachability

extension LibraryFunction {
  static let on = LibraryFunction(
    name: "reach.on", place: .load, keepsFunctions: true,
    takes: [Field("options", "reach.HookOptions", "The target, the handlers, and when to hear.")],
    summary: """
      Declares a hook: `reach.on{ target = nas, unreachable = function(e) … end }`.

      Handlers are named by what becomes true. Those of one hook never overlap.
      """
  ) { context, call, _ throws(OptionError) in
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
}

extension TableForm {
  static let hookOptions = TableForm(
    "reach.HookOptions", "What `reach.on` takes.",
    [
      Field("target", "reach.Target", "What it hears of."),
      Field("name?", "string", "What logs call it. Default the target's; unique in the script."),
    ] + handlers + [
      Field(
        "stable?", byStatus,
        "What does not hold that long does not exist for the hook. Default 0."),
      Field("given?", "reach.Target", "It hears nothing while this target is not reachable."),
      Field("quiet?", "string", "It hears nothing in these hours: `\"22:00-07:00\"`, local time."),
      Field("apart?", byStatus, "So long lies between two calls for the same status."),
      Field(
        "again?", byStatus,
        "While the status holds, its handlers are called again so long after the last run ended."),
      Field(
        "initial?", "\"changed\"|boolean",
        """
        Whether the first verdict after a load is told. Default `"changed"`: if it differs from what \
        was told last.
        """),
      Field("mode?", WordList.mode.name, "Default `\"latest\"`."),
      Field(
        "deadline?", "reach.Duration",
        "How long a run may take, waits included. Default 5 min, and at least 100 ms."),
    ])

  /// In the order in which one event calls them.
  private static let handlers = [
    Field("reachable?", "reach.Handler", "The target becomes reachable."),
    Field("unreachable?", "reach.Handler", "The target becomes unreachable."),
    Field("portal?", "reach.Handler", "A sign-in page stands before the target: see `e.url`."),
    Field("wired?", "reach.Handler", "The target is reached by cable, and was not before."),
    Field("wifi?", "reach.Handler", "The target is reached by WiFi, and was not before."),
    Field("wwan?", "reach.Handler", "The target is reached by mobile data, and was not before."),
    Field(
      "change?", "reach.Handler",
      "Status, medium, VPN, metering, interface, gateway or WiFi network differ: see `e.changed`."),
  ]

  private static let byStatus = "reach.Duration|\(durations.name)"

  static let durations = TableForm(
    "reach.Durations", "A duration for each status.",
    StatusTable<Duration>.statuses.map {
      Field("\($0.rawValue)?", "reach.Duration", "While it is \($0.rawValue).")
    })
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
      as: .hookOptions)
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

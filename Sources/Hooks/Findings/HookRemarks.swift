internal import Lua
internal import Posix
internal import Reachability

/// What a declaration says of a hook beside what it hears.
struct HookNote: Sendable {
  /// Where it stands.
  var position: LuaPosition?
  /// The options that are given for single statuses.
  var tables: Set<String> = []

  /// A note of nothing.
  init() {}

  /// What is to be noted of a declaration that was taken.
  init(at position: LuaPosition?, _ arguments: [LuaValue]) {
    self.position = position
    guard case .table(let options)? = arguments.first else { return }
    for field in options.fields {
      if case .string(let key) = field.key, case .table = field.value { tables.insert(key) }
    }
  }
}

extension ScriptDeclarations {
  /// What is to be said of the hooks.
  var hookRemarks: [Remark] {
    let outlooks = outlooks
    return hooks.flatMap { hook in
      HookProspects(
        hook: hook, outlook: outlooks[hook.target.name] ?? TargetOutlook(atLeast: 0, of: []),
        isHeldWhileNotReachable: hook.given.map {
          reachable(with: $0).contains(hook.target.name)
        } ?? false
      ).remarks
    }
  }
}

/// What a hook can ever hear.
private struct HookProspects {
  let hook: Hook
  let outlook: TargetOutlook
  /// Whether its `given` holds it whenever its target is not reachable.
  let isHeldWhileNotReachable: Bool

  private var target: String { "\"\(hook.target.name)\"" }

  private func remark(_ code: ScriptFinding.Code, _ text: String) -> Remark {
    Remark(code, at: hook.note.position, "reach.on \"\(hook.name)\": \(text)".printable)
  }

  var remarks: [Remark] {
    let dead = hook.handlers.compactMap { handler in
      reason(against: handler.name).map { (name: handler.name.names.first ?? "", reason: $0) }
    }
    guard dead.count < hook.handlers.count else {
      var reasons: [String] = []
      for (_, reason) in dead where !reasons.contains(reason) { reasons.append(reason) }
      return [remark(.deadHook, "it never runs: " + reasons.joined(separator: "; "))]
    }
    return dead.map { remark(.deadHandler, "\"\($0.name)\" is never called: \($0.reason)") }
      + optionRemarks
  }

  // MARK: Handlers

  /// Why a handler can never be called; nil where it may be.
  private func reason(against handler: HandlerSet) -> String? {
    switch handler {
    case .reachable: reason(against: Status.reachable)
    case .unreachable: reason(against: Status.unreachable)
    case .portal: reason(against: Status.portal)
    case .wired: reason(against: Medium.wired)
    case .wifi: reason(against: Medium.wifi)
    case .wwan: reason(against: Medium.wwan)
    default: nil
    }
  }

  /// Why the hook can never hear of a status.
  private func reason(against status: Status) -> String? {
    switch status {
    case .reachable where !outlook.canBeReachable:
      "\(target) is never reachable, for it refuses its only medium, wwan"
    case .portal where !outlook.canBePortal:
      "only a probe over plain http meets a sign-in page, and \(target) has none"
    case .unreachable where isHeldWhileNotReachable, .portal where isHeldWhileNotReachable:
      "\"given\" holds the hook while \(target) is not reachable"
    default: nil
    }
  }

  private func reason(against medium: Medium) -> String? {
    guard !outlook.media.contains(medium) else { return nil }
    if let reason = reason(against: Status.reachable) { return reason }
    guard case .single(let watched) = hook.target else {
      return "no member whose path \(target) can take is ever reached by \(medium.rawValue)"
    }
    if watched.subject == .localWiFi { return "\(target) is reached by wifi alone" }
    if medium == .wwan, !watched.allowsWWAN { return "\(target) says wwan = false" }
    return "\(target) says that the medium of its interface is another one"
  }

  // MARK: Options

  private typealias Durations = KeyPath<HearingRules, StatusTable<Duration>>

  private var optionRemarks: [Remark] {
    let options: [(name: String, Durations)] = [
      ("stable", \.stable), ("again", \.again), ("apart", \.apart),
    ]
    return options.flatMap { name, path in remarks(on: name, hook.rules[keyPath: path]) }
      + initialRemarks
  }

  /// What is to be said of an option with a duration for each status.
  private func remarks(on option: String, _ durations: StatusTable<Duration>) -> [Remark] {
    let reasons = StatusTable<Duration>.statuses.compactMap { status in
      (durations[status] ?? .zero) > .zero
        ? (status: status, reason: reason(against: option, of: status)) : nil
    }
    guard hook.note.tables.contains(option) else {
      // One duration for all is right as long as it changes anything.
      guard !reasons.isEmpty, reasons.allSatisfy({ $0.reason != nil }) else { return [] }
      return [remark(.deadOption, "\"\(option)\" changes nothing: \(reasons[0].reason ?? "")")]
    }
    return reasons.compactMap { status, reason in
      guard let reason else { return nil }
      // That its handler is never called has been said.
      if self.reason(against: status) != nil, has(HandlerSet(of: status)) { return nil }
      return remark(
        .deadOption, "\"\(option)\" for \(status.rawValue) changes nothing: \(reason)")
    }
  }

  /// Why an option changes nothing for a status; nil where it may.
  private func reason(against option: String, of status: Status) -> String? {
    if let reason = reason(against: status) { return reason }
    let handlers = HandlerSet(of: status)
    switch option {
    case "again" where !has(handlers):
      return "the hook has no handler \(handlers.names.quotedList)"
    case "apart" where !has(handlers) && !has(.change):
      return "the hook has no handler \(handlers.union(.change).names.quotedList)"
    default: return nil
    }
  }

  private var initialRemarks: [Remark] {
    guard hook.rules.initial == .always, hook.rules.handlers == .change else { return [] }
    return [
      remark(
        .deadOption,
        "\"initial\" changes nothing: a first verdict without a change goes to handlers of status "
          + "and medium, and the hook has none")
    ]
  }

  private func has(_ handlers: HandlerSet) -> Bool {
    !hook.rules.handlers.isDisjoint(with: handlers)
  }
}

extension HandlerSet {
  /// The handlers that are called while a status holds.
  fileprivate init(of status: Status) {
    switch status {
    case .reachable: self = [.reachable, .wired, .wifi, .wwan]
    case .unreachable: self = .unreachable
    case .portal: self = .portal
    case .unknown: self = []
    }
  }
}

extension [String] {
  /// `"a", "b" or "c"`.
  fileprivate var quotedList: String {
    let names = map { "\"\($0)\"" }
    guard names.count > 1, let last = names.last else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " or " + last
  }
}

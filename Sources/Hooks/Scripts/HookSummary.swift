internal import Posix
internal import Reachability

/// What a hook declares beside its functions, for `reach check`.
public struct HookSummary: Sendable {
  /// Its name.
  public let hook: String
  /// Its target.
  public let target: DeclaredTarget
  /// The handlers that it has.
  public let handlers: HandlerSet
  private let given: DeclaredTarget?
  private let quiet: QuietHours?
  private let deadline: Duration
  private let rules: HearingRules

  init(_ hook: Hook) {
    self.hook = hook.name
    target = hook.target
    handlers = hook.rules.handlers
    given = hook.given
    quiet = hook.quiet
    deadline = hook.deadline
    rules = hook.rules
  }

  /// The options that are not as they are where nothing is said, as people write them:
  /// `stable reachable 10s`, `quiet 22:00-07:00`.
  public var options: [String] {
    var options = [
      ("stable", rules.stable), ("again", rules.again), ("apart", rules.apart),
    ].compactMap { name, durations in durations.text.map { "\(name) \($0)" } }
    if let given { options.append("given \(given.name)") }
    if let quiet { options.append("quiet \(quiet.text)") }
    if rules.mode != .latest { options.append("mode \(rules.mode.rawValue)") }
    if deadline != Hook.standardDeadline { options.append("deadline \(deadline.text)") }
    switch rules.initial {
    case .changed: break
    case .always: options.append("initial true")
    case .never: options.append("initial false")
    }
    return options
  }

  /// The same options as members of an object of JSON, each there, durations in seconds.
  public func write(to json: inout JSONWriter) {
    for (name, durations) in [
      ("stable", rules.stable), ("again", rules.again), ("apart", rules.apart),
    ] {
      json.key(name)
      json.object { json in
        for status in StatusTable<Duration>.statuses {
          guard let duration = durations[status] else { continue }
          json.key(status.rawValue)
          json.value(duration.seconds)
        }
      }
    }
    json.field("given", given?.name)
    json.field("quiet", quiet?.text)
    json.field("mode", rules.mode.rawValue)
    json.key("deadline")
    json.value(deadline.seconds)
    switch rules.initial {
    case .changed: json.field("initial", "changed")
    case .always: json.field("initial", true)
    case .never: json.field("initial", false)
    }
  }
}

extension StatusTable<Duration> {
  /// `10s` where all are alike, `reachable 10s, portal 1m` else; nil where there is none.
  fileprivate var text: String? {
    let statuses = StatusTable.statuses
    if let first = self[statuses[0]], statuses.allSatisfy({ self[$0] == first }) {
      return first.text
    }
    let parts = statuses.compactMap { status in
      self[status].map { "\(status.rawValue) \($0.text)" }
    }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }
}

package import Lua
internal import Reachability

/// What a script declares with `reach.on`.
package struct Hook: Sendable {
  var name: String
  var target: DeclaredTarget
  /// In the order in which an event calls them.
  var handlers: [(name: HandlerSet, function: LuaFunction)]
  /// When it wants to hear of its target.
  var rules: HearingRules
  /// The target without which it hears nothing.
  var given: DeclaredTarget?
  /// The hours in which it hears nothing.
  var quiet: QuietHours?
  /// How long one run may take, waits included.
  var deadline: Duration

  /// What its declaration says beside that.
  var note = HookNote()

  static let standardDeadline = Duration.seconds(300)

  /// The functions that an event calls, in order; one that stands under two names is called once.
  package func functions(for event: Event) -> [LuaFunction] {
    functions(of: HandlerSet(matching: event))
  }

  /// The functions of some handlers, in the order of an event.
  func functions(of matching: HandlerSet) -> [LuaFunction] {
    var functions: [LuaFunction] = []
    for (name, function) in handlers
    where matching.contains(name) && !functions.contains(function) { functions.append(function) }
    return functions
  }
}

/// Everything that a script declares while it is loaded.
public struct ScriptDeclarations: Sendable {
  /// The targets, the two ready ones first.
  public internal(set) var targets: [DeclaredTarget] = [
    .single(Target(.internet)), .single(Target(.localWiFi)),
  ]
  /// Which of the two ready ones the script names.
  var readyTargets: Set<Int> = []
  package internal(set) var hooks: [Hook] = []
  var timers: [ScriptTimer] = []
  /// What is called when the script is unloaded, the last first.
  var deferred: [LuaFunction] = []
  /// Where each declared target stands, and what is said of it, by its name.
  var notes: [String: TargetNote] = [:]

  /// A row about each hook, for `reach check`.
  public var summaries: [HookSummary] { hooks.map(HookSummary.init) }

  /// The targets that the script declares itself, or names in what it declares.
  public var watchedTargets: [DeclaredTarget] {
    let ready = targets.prefix(2).filter { target in
      hooks.contains { $0.target == target || $0.given == target }
        || targets.contains { $0.members.contains(target) }
    }
    return ready + targets.dropFirst(2)
  }
}

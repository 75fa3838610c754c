internal import Lua
internal import Posix
internal import Reachability

/// A script as the host knows it, over all its lives; touched only on the loop.
final class LoadedScript {
  let source: ScriptSource
  /// The interpreter that runs it now; nil before it is loaded and after a kill.
  var script: Script?
  var hooks: [HookState] = []
  var targets: [Target] = []
  /// How many of its commands run now.
  var children = 0
  /// The commands that wait for one of those to end.
  var waitingCommands = FIFO<(run: Script.RunID, effect: CommandEffect)>()
  var restartTimer: LoopTimer?

  init(_ source: ScriptSource) { self.source = source }
}

/// A hook with what it has seen and what waits for it; touched only on the loop.
final class HookState {
  let hook: Hook
  unowned let script: LoadedScript
  var view: StableView
  var backlog: Backlog
  var timer: LoopTimer?
  /// Whether another version of the script has taken its place.
  var isRetired = false

  /// - Parameters:
  ///   - hook: what the script declares.
  ///   - script: the script.
  ///   - earlier: the hook of that name in the version before, whose memory goes on.
  init(_ hook: Hook, of script: LoadedScript, after earlier: HookState?) {
    self.hook = hook
    self.script = script
    view = StableView(hook.stability)
    backlog = Backlog(target: hook.target.name, handlers: Set(hook.handlers.keys))
    if let earlier, earlier.hook.target.subject == hook.target.subject {
      backlog.inherit(earlier.backlog)
    }
  }

  /// `script/hook`, as the log calls it.
  var origin: String { "\(script.source.name)/\(hook.name)" }
}

/// A run of a hook's handlers.
struct Run {
  let hook: HookState
  let script: Script
  let event: Event
  let started: BootInstant
  var deadlineTimer: LoopTimer?
  var command: Subprocess?
}

/// The targets that hooks watch, each once, however many hooks there are.
struct WatchedTargets {
  struct Entry {
    let id: TargetID
    var users = 0
    /// What happened last: what a hook that is added later is told first.
    var last: Transition?
  }

  private(set) var entries: [Target: Entry] = [:]
  private var targets: [TargetID: Target] = [:]

  subscript(target: Target) -> Entry? { entries[target] }

  func target(_ id: TargetID) -> Target? { targets[id] }

  /// Adds a user; `watch` is called for a target that is new.
  mutating func add(_ target: Target, watch: (Target) -> TargetID) {
    if entries[target] == nil {
      let id = watch(target)
      entries[target] = Entry(id: id)
      targets[id] = target
    }
    entries[target]?.users += 1
  }

  /// Takes a user away, and returns what need not be watched any more.
  mutating func remove(_ target: Target) -> TargetID? {
    entries[target]?.users -= 1
    guard let entry = entries[target], entry.users == 0 else { return nil }
    entries[target] = nil
    targets[entry.id] = nil
    return entry.id
  }

  /// Notes a transition, and returns the target that it is about.
  mutating func note(_ transition: Transition) -> Target? {
    guard let target = targets[transition.target] else { return nil }
    entries[target]?.last = transition
    return target
  }
}

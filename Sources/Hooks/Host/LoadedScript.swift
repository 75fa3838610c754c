internal import Lua
internal import Posix
internal import Reachability

/// A script as the host knows it, over all its lives; touched only on the loop.
final class LoadedScript {
  let source: ScriptSource
  /// The interpreter that runs it now; nil before it is loaded and after a kill.
  var script: Script?
  var hooks: [HookState] = []
  var targets: [WatchedTarget] = []
  var timers: [Int64: RunningTimer] = [:]
  /// What the version that runs has deferred.
  var deferred: [LuaFunction] = []
  /// Its commands that run now.
  let children: Slots
  /// Its requests that are under way.
  let requests = Slots(LoadedScript.mostRequests)
  var restartTimer: LoopTimer?
  /// How often it was asked to load: only the latest counts.
  var loads = 0

  /// - Parameters:
  ///   - source: the script.
  ///   - released: is called whenever something ends that outlives the run that began it.
  init(_ source: ScriptSource, released: @escaping () -> Void) {
    self.source = source
    children = Slots(LoadedScript.mostChildren, released: released)
  }

  /// How many commands run at once; a further one waits.
  private static let mostChildren = 8
  private static let mostRequests = 8
}

/// A hook with what it has seen and what waits for it; touched only on the loop.
final class HookState {
  let hook: Hook
  /// `script/hook`, as the log calls it.
  let origin: String
  let target: WatchedTarget
  /// Its script; let go of when that is unloaded or replaced.
  let script: LoadedScript
  var view: StableView
  var backlog: Backlog
  var timer: LoopTimer?
  /// How its last run ended, for `reach status`.
  var lastOutcome: String?
  /// The hook of the version before, while a handler of it still runs.
  var predecessor: HookState?
  /// Whether another version of the script has taken its place.
  var isRetired = false

  /// - Parameters:
  ///   - hook: what the script declares.
  ///   - target: its target.
  ///   - script: the script.
  ///   - earlier: the hook of that name in the version before, whose memory goes on.
  init(_ hook: Hook, on target: WatchedTarget, of script: LoadedScript, after earlier: HookState?) {
    self.hook = hook
    self.target = target
    origin = "\(script.source.name)/\(hook.name)"
    self.script = script
    view = StableView(hook.stability)
    backlog = Backlog(target: hook.target.name, handlers: hook.handlerSet)
    lastOutcome = earlier?.lastOutcome
    if let earlier { inherit(earlier) }
  }

  /// Takes over what the version before has seen, where it was about the same.
  func inherit(_ earlier: HookState) {
    guard earlier.hook.target.subject == hook.target.subject else { return }
    backlog.inherit(earlier.backlog)
  }
}

/// A run of a hook's handlers.
struct Run {
  let hook: HookState
  let script: Script
  let status: Status
  let started: BootInstant
  var deadlineTimer: LoopTimer?
  /// What it waits for, where it does.
  var wait: Wait?
  var isCancelled = false
  /// Whether it is cancelled for no fault of its own.
  var isBroken = false
}

/// A target that hooks watch, however many there are; touched only on the loop.
final class WatchedTarget {
  let id: TargetID
  let target: Target
  var users = 0
  var hooks: [HookState] = []
  /// What happened last: what a hook that is added later is told first.
  var last: Transition?

  init(_ target: Target, id: TargetID) {
    self.id = id
    self.target = target
  }
}

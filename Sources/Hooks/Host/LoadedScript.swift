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
  /// How many of its commands run now.
  var children = 0
  /// The commands that wait for one of those to end.
  var waitingCommands = FIFO<(run: Script.RunID, effect: CommandEffect)>()
  var restartTimer: LoopTimer?
  /// How often it was asked to load: only the latest counts.
  var loads = 0

  init(_ source: ScriptSource) { self.source = source }
}

/// A run of a hook's handlers.
struct Run {
  let hook: HookState
  let script: Script
  let status: Status
  let started: BootInstant
  var deadlineTimer: LoopTimer?
  var command: Subprocess?
  /// Whether it is to end at its next wait.
  var isCancelled = false
  /// Whether it is cancelled for no fault of its own.
  var isBroken = false
  /// Whether it is cancelled for a newer event.
  var isReplaced = false
}

/// A target that hooks watch, however many there are; touched only on the loop.
final class WatchedTarget {
  let id: TargetID
  let target: DeclaredTarget
  /// What makes it up.
  let members: [WatchedTarget]
  var users = 0
  var hooks: [HookState] = []
  /// The hooks that hear nothing while it is not reachable.
  var dependents: [HookState] = []
  /// What stands; nil before it is judged.
  var standing: Standing?

  init(_ target: DeclaredTarget, of members: [WatchedTarget], id: TargetID) {
    self.id = id
    self.target = target
    self.members = members
  }
}

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
  /// What the log is told of functions that fail, which may be called often.
  let faults: ScriptLog
  /// The version that takes this one's place once nothing is left of it.
  var next: (script: Script, declarations: ScriptDeclarations)?
  /// Its commands that run now.
  let children: Slots
  /// Its requests that are under way.
  let requests = Slots(LoadedScript.mostRequests)
  var restartTimer: LoopTimer?
  /// What its file held when it was loaded last.
  var text: TextDigest?
  var kills = KillRecord()
  /// Until when it sits out since it used up its processor time, or last did.
  var sitsOutUntil: BootInstant?
  /// How often it was asked to load.
  private(set) var loads = 0
  /// The number of its latest load, which alone counts.
  private(set) var lastLoad = 0
  /// The files that it was loaded from last, by path; one that was read twice may have two contents.
  var files: [String: Set<FileContent>] = [:]
  /// Whether a load is under way.
  private(set) var isLoading = false
  /// What is called when the load that is under way has ended.
  var loadWaiters: [(LoadResult) -> Void] = []

  /// - Parameters:
  ///   - source: the script.
  ///   - faults: what the log is told of functions that fail.
  ///   - released: is called whenever something ends that outlives the run that began it.
  init(_ source: ScriptSource, faults: ScriptLog, released: @escaping () -> Void) {
    self.source = source
    self.faults = faults
    children = Slots(LoadedScript.mostChildren, released: released)
  }

  /// Whether a file of it is another than it was loaded from, or was tried to.
  func hasChanged(in look: ScriptLook) -> Bool {
    files.contains { path, contents in
      look.contents[path].map { contents != [FileContent($0)] } ?? false
    }
  }

  /// Takes note that a load begins, of that number, from what the script's file holds.
  func beginLoad(_ number: Int, from file: Result<[UInt8], ScriptError>) {
    isLoading = true
    loads += 1
    lastLoad = number
    files = [source.path: [FileContent(file)]]
  }

  /// Takes note of how a load ended.
  func endLoad(_ result: LoadResult) {
    isLoading = false
    let waiters = loadWaiters
    loadWaiters = []
    for waiter in waiters { waiter(result) }
  }

  /// How many commands run at once; a further one waits.
  private static let mostChildren = 8
  private static let mostRequests = 8
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
  /// Whether it is to end at its next wait.
  var isCancelled = false
  /// Whether it is cancelled for no fault of its own.
  var isBroken = false
  /// Whether it is cancelled for a newer event.
  var isReplaced = false
  /// Who asked for it, where it tells the hook nothing.
  var firing: Firing?
}

/// A target that hooks watch, however many there are; touched only on the loop.
final class WatchedTarget {
  let id: TargetID
  let target: DeclaredTarget
  /// What makes it up.
  let members: [WatchedTarget]
  var users = 0
  /// Whether a script declares it or has a hook on it; the ready ones may only be read.
  var isNamed = false
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

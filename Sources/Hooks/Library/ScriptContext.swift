internal import Lua
internal import Posix
internal import Reachability

/// What the functions of one script work on; touched only in the script's turns.
package final class ScriptContext {
  /// The run that is executing.
  struct CurrentRun {
    /// `script/hook`, as the log calls it.
    var origin: String
    /// When it must have ended.
    var deadline: BootInstant
  }

  let source: ScriptSource
  let log: Log
  /// What stands for targets now; nil where nothing is watched.
  let live: LiveTargets?
  /// Whether nothing of what it asks for is done, nor any secret read.
  let isRehearsed: Bool
  /// By what the declared targets are watched, in their order; none while the script is loaded.
  var targetIDs: [TargetID?] = []
  package var declarations = ScriptDeclarations()
  /// Nil while the script is being loaded.
  var run: CurrentRun?
  /// What the run that waits is waiting for.
  var effect: (any Effect)?

  /// What it required, as it was each time that it was read, by path.
  var libraries: [String: Set<FileContent>] = [:]

  /// The functions of its timers that are not over, by the timer's number.
  var timers: [Int64: LuaFunction] = [:]
  var lastTimer: Int64 = 0
  /// Hands on what a handler asks of the timers.
  var order: (TimerOrder) -> Void = { _ in }
  /// What it says is written here; nil where nobody counts its lines.
  var lines: ScriptLog?

  package convenience init(source: ScriptSource, log: Log) {
    self.init(source: source, log: log, live: nil)
  }

  init(source: ScriptSource, log: Log, live: LiveTargets?, isRehearsed: Bool = false) {
    self.isRehearsed = isRehearsed
    self.source = source
    self.log = log
    self.live = live
  }

  /// The clocks by which it lives.
  var clock: Clock { log.clock }

  /// Who speaks: the script while it is loaded, later the script and hook.
  var origin: String { run?.origin ?? source.name }

  /// What is left until the deadline of the run.
  var timeLeft: Duration { (run?.deadline).map { $0 - clock.now } ?? .zero }
}

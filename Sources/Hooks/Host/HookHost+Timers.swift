internal import Lua
internal import Posix

/// A script's timer that is under way; touched only on the loop.
final class RunningTimer {
  let timer: ScriptTimer
  var due: BootInstant
  var loopTimer: LoopTimer?
  var isRunning = false

  init(_ timer: ScriptTimer, due: BootInstant) {
    self.timer = timer
    self.due = due
  }
}

extension HookHost {
  /// How long one call of a timer's function may take, waits included.
  private static let timerDeadline = Duration.seconds(300)

  /// Begins the timers that a script declares.
  func startTimers(_ timers: [ScriptTimer], of loaded: LoadedScript) {
    for timer in timers { start(timer, of: loaded) }
  }

  /// Does what a handler asks of its script's timers; of a script that is on its way out nothing.
  func take(_ order: TimerOrder, from script: Script) {
    guard let loaded = scripts.first(where: { $0.script === script }), !isDeparting(script),
      shutdown == nil
    else { return }
    switch order {
    case .start(let timer): start(timer, of: loaded)
    case .cancel(let id): stop(loaded.timers.removeValue(forKey: id))
    }
  }

  /// Ends all timers of a script; calls that run go on.
  func stopTimers(of loaded: LoadedScript) {
    for timer in loaded.timers.values { stop(timer) }
    loaded.timers = [:]
  }

  private func stop(_ running: RunningTimer?) {
    if let timer = running?.loopTimer { loop.cancel(timer) }
    running?.loopTimer = nil
  }

  private func start(_ timer: ScriptTimer, of loaded: LoadedScript) {
    let running = RunningTimer(timer, due: loop.clock.now + timer.interval)
    loaded.timers[timer.id] = running
    arm(running, of: loaded)
  }

  private func arm(_ running: RunningTimer, of loaded: LoadedScript) {
    running.loopTimer = loop.schedule(at: running.due) { self.fire(running, of: loaded) }
  }

  private func fire(_ running: RunningTimer, of loaded: LoadedScript) {
    let timer = running.timer
    running.loopTimer = nil
    if timer.repeats {
      running.due = timer.next(after: running.due, at: loop.clock.now)
      arm(running, of: loaded)
    } else {
      loaded.timers[timer.id] = nil
    }
    guard !running.isRunning else { return }
    running.isRunning = true
    runTask(of: loaded, named: timer.name, within: HookHost.timerDeadline) {
      script, id, run, completion in
      script.start(id, timer, as: run, completion: completion)
    } completion: {
      running.isRunning = false
    }
  }
}

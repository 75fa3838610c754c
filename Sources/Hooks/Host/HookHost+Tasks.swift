internal import Lua
internal import Posix

/// A run of a function that belongs to no hook: a timer's, or one that was deferred.
struct TaskRun {
  /// `script/every 10m`, as the log calls it.
  let origin: String
  let loaded: LoadedScript
  let script: Script
  let started: BootInstant
  /// Is called once, when the run has ended.
  let completion: () -> Void
  var deadlineTimer: LoopTimer?
  var wait: Wait?
  var isCancelled = false
  /// Whether it was cut off with its script, which is no failure of its own.
  var isBroken = false
}

extension HookHost {
  /// Runs a function of a script in its next turn, for at most so long.
  ///
  /// - Parameters:
  ///   - loaded: the script.
  ///   - name: what the log calls the run.
  ///   - limit: how long it may take, waits included.
  ///   - begin: has the script begin; it is given the run and what tells how far that came.
  ///   - completion: is called once, on the loop.
  func runTask(
    of loaded: LoadedScript, named name: String, within limit: Duration,
    _ begin: (Script, Script.RunID, ScriptContext.CurrentRun, @escaping @Sendable (RunStep) -> Void)
      -> Void,
    completion: @escaping () -> Void
  ) {
    guard let script = loaded.script else { return completion() }
    lastRun += 1
    let id = lastRun
    let deadline = loop.clock.now + limit
    let origin = "\(loaded.source.name)/\(name)"
    tasks[id] = TaskRun(
      origin: origin, loaded: loaded, script: script, started: loop.clock.now,
      completion: completion)
    begin(script, id, ScriptContext.CurrentRun(origin: origin, deadline: deadline)) { step in
      self.post(step, of: id)
    }
    tasks[id]?.deadlineTimer = loop.schedule(at: deadline) {
      self.cancelTask(id, "cancelled: its \(limit.text) have passed")
    }
  }

  /// Ends a run by an error that the script cannot catch, and what it waits for with it.
  func cancelTask(_ id: Script.RunID, _ message: String) {
    guard let task = tasks[id] else { return }
    tasks[id]?.isCancelled = true
    tasks[id]?.wait = nil
    task.wait?.giveUp()
    task.script.cancel(id, message) { self.post($0, of: id) }
  }

  /// Takes how far a run of no hook came.
  func take(_ step: RunStep, of id: Script.RunID, _ task: TaskRun) {
    switch step {
    case .waiting(let effect, let store):
      note(store, of: task.loaded)
      guard !task.isCancelled else { return }
      let wait = begin(effect, for: id, of: task.loaded, task.script, task.origin)
      tasks[id]?.wait = wait
    case .ended(let outcome, let store):
      note(store, of: task.loaded)
      end(id, task, outcome)
    }
  }

  private func end(_ id: Script.RunID, _ task: TaskRun, _ outcome: Outcome) {
    forgetTask(id)
    switch outcome {
    case .finished:
      let took = (loop.clock.now - task.started).text
      log.write(.debug, "finished after \(took)", from: task.origin)
    case .failed(let failure):
      noteFailure(failure, of: task)
      task.loaded.faults.write(.error, "failed: \(failure.text)", from: task.origin)
    case .killed(let failure):
      noteFailure(failure, of: task)
      log.write(.error, "killed: \(failure.text)", from: task.origin)
      if task.loaded.script === task.script { rest(task.loaded) }
      breakRuns(of: task.script)
    }
    task.completion()
    endIfIdle()
  }

  private func noteFailure(_ failure: LuaFailure, of task: TaskRun) {
    guard !task.isBroken else { return }
    equipment.stage?.note(.failure(failure.message), of: task.origin, at: loop.clock.now)
  }

  /// Strikes the runs of an interpreter that was killed off the list.
  func breakTasks(of script: Script) {
    for (id, task) in tasks.filter({ $0.value.script === script }) {
      forgetTask(id)
      task.completion()
    }
  }

  private func forgetTask(_ id: Script.RunID) {
    guard let task = tasks.removeValue(forKey: id) else { return }
    task.wait?.giveUp()
    if let timer = task.deadlineTimer { loop.cancel(timer) }
  }
}

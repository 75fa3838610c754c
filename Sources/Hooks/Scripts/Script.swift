internal import Lua
internal import Posix
internal import Reachability
internal import Synchronization

/// How a run ended.
enum Outcome: Hashable, Sendable {
  case finished
  /// An error ended it; the script lives.
  case failed(LuaFailure)
  /// A limit ended the whole script.
  case killed(LuaFailure)
}

/// How far a run came, with the text of what its script keeps where that has changed.
enum RunStep: Sendable {
  case waiting(any Effect, store: String? = nil)
  case ended(Outcome, store: String? = nil)
}

/// One script in an interpreter of its own, taking turns with others on the threads that run Lua.
///
/// It knows nothing of when to run what; it answers each request once, from its own turn.
actor Script {
  /// What identifies a run, whoever gave it.
  typealias RunID = Int

  nonisolated let source: ScriptSource
  /// What its file held.
  nonisolated let text: TextDigest
  private nonisolated let executor: TurnExecutor
  private let context: ScriptContext
  private var lua: LuaState?
  private var stays: InterpreterStays
  private nonisolated let isHastened = Atomic<Bool>(false)
  private nonisolated let notices: @Sendable (Script, ScriptNotice) -> Void
  private var waiting: [RunID: WaitingRun] = [:]
  /// What the script keeps, as it was told last.
  private var store = StoreText.empty

  private struct WaitingRun {
    let coroutine: LuaCoroutine
    let current: ScriptContext.CurrentRun
  }

  /// - Parameters:
  ///   - source: what is run.
  ///   - text: what its file holds.
  ///   - threads: those that run Lua.
  ///   - log: where it writes.
  ///   - live: what stands for targets now.
  ///   - marker: where it is noted that its interpreter executes.
  ///   - isRehearsed: whether nothing of what it asks for is done.
  ///   - notices: is called in its turns with what its limits ask for.
  ///   - timers: is called in its turns with what its handlers ask of its timers.
  init(
    _ source: ScriptSource, holding text: TextDigest, on threads: ThreadPool, log: Log,
    live: LiveTargets, marker: CrashMarker?, isRehearsed: Bool = false,
    notices: @escaping @Sendable (Script, ScriptNotice) -> Void,
    timers: @escaping @Sendable (Script, TimerOrder) -> Void
  ) {
    self.source = source
    self.text = text
    self.notices = notices
    stays = InterpreterStays(of: source.name, marker, by: log.clock)
    executor = TurnExecutor(on: threads)
    let context = ScriptContext(source: source, log: log, live: live, isRehearsed: isRehearsed)
    self.context = context
    context.order = { [unowned self] order in timers(self, order) }
    // It writes in its own turns alone.
    context.lines = ScriptLog(log, of: source.name) { [unowned self] lines, end in
      notices(self, .dropsLines(lines, until: end))
    }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Goes on with what waited while it sat out; from any thread.
  nonisolated func goOn() { executor.goOn() }

  /// Lets it sit out no more, since it is on its way out; from any thread.
  nonisolated func hasten() {
    isHastened.store(true, ordering: .relaxed)
    executor.goOn()
  }

  /// Learns by what its declared targets are watched, in their order.
  nonisolated func know(_ targets: [TargetID?]) {
    executor.enqueue { self.assumeIsolated { $0.context.targetIDs = targets } }
  }

  /// Gives the script what it keeps, before its first run.
  nonisolated func give(store: LuaTable) {
    executor.enqueue { self.assumeIsolated { $0.take(store) } }
  }

  /// Loads the script in its next turn; `completion` is called there, also with what it required.
  nonisolated func load(
    _ text: [UInt8],
    completion:
      @escaping @Sendable (
        Result<ScriptDeclarations, LuaFailure>, [String: Set<FileContent>]
      ) -> Void
  ) {
    executor.enqueue {
      self.assumeIsolated { script in
        let result = script.load(text)
        completion(result, script.context.libraries)
      }
    }
  }

  /// Calls functions with an event in the script's next turn; `completion` is called there.
  nonisolated func start(
    _ id: RunID, _ functions: [LuaFunction], _ event: Event, as run: ScriptContext.CurrentRun,
    completion: @escaping @Sendable (RunStep) -> Void
  ) {
    executor.enqueue {
      self.assumeIsolated { completion($0.start(id, functions, event, as: run)) }
    }
  }

  /// Calls one function in the script's next turn, with what `argument` writes.
  nonisolated func start(
    _ id: RunID, _ function: LuaFunction,
    with argument: @escaping @Sendable (inout LuaWriter) -> Void,
    as run: ScriptContext.CurrentRun, completion: @escaping @Sendable (RunStep) -> Void
  ) {
    executor.enqueue {
      self.assumeIsolated { completion($0.start(id, function, with: argument, as: run)) }
    }
  }

  /// Calls a timer's function in the script's next turn, unless the timer is cancelled until then.
  nonisolated func start(
    _ id: RunID, _ timer: ScriptTimer, as run: ScriptContext.CurrentRun,
    completion: @escaping @Sendable (RunStep) -> Void
  ) {
    executor.enqueue { self.assumeIsolated { completion($0.start(id, timer, as: run)) } }
  }

  /// Goes on with a run whose effect is done.
  nonisolated func resume(
    _ id: RunID, _ results: @escaping @Sendable (inout LuaWriter) -> Void,
    completion: @escaping @Sendable (RunStep) -> Void
  ) {
    executor.enqueue {
      self.assumeIsolated { script in
        if let step = script.goOn(id, { $0.resume($1, results: results) }) { completion(step) }
      }
    }
  }

  /// Goes on with a run by an error at the place where it waits.
  nonisolated func resume(
    _ id: RunID, raising message: String, completion: @escaping @Sendable (RunStep) -> Void
  ) {
    executor.enqueue {
      self.assumeIsolated { script in
        if let step = script.goOn(id, { $0.resume($1, raising: message) }) { completion(step) }
      }
    }
  }

  /// Ends a run that waits, by an error that no `pcall` catches; a run that ended is left alone.
  nonisolated func cancel(
    _ id: RunID, _ message: String, completion: @escaping @Sendable (RunStep) -> Void
  ) {
    executor.enqueue {
      self.assumeIsolated { script in
        if let step = script.goOn(id, { $0.cancel($1, message: message) }) { completion(step) }
      }
    }
  }

  // MARK: In a turn

  private func load(_ text: [UInt8]) -> Result<ScriptDeclarations, LuaFailure> {
    do throws(LuaFailure) {
      context.noteReadyTargets(in: text)
      var state = try LuaState(declarations: LuaDeclarations(library: context))
      if context.clock.isManual { state.setTime(context.clock.seconds) }
      let stay = stays.begin()
      defer { end(stay) }
      try state.load(text, name: source.path)
      lua = consume state
      return .success(context.declarations)
    } catch {
      return .failure(error)
    }
  }

  private func start(
    _ id: RunID, _ functions: [LuaFunction], _ event: Event, as run: ScriptContext.CurrentRun
  ) -> RunStep {
    context.run = run
    let stay = beginStay()
    let step = lua?.start(functions) { $0.event(event) }
    end(stay)
    return take(step, of: id, run)
  }

  private func start(
    _ id: RunID, _ function: LuaFunction, with argument: (inout LuaWriter) -> Void,
    as run: ScriptContext.CurrentRun
  ) -> RunStep {
    context.run = run
    let stay = beginStay()
    let step = lua?.start([function], argument: argument)
    end(stay)
    return take(step, of: id, run)
  }

  private func start(
    _ id: RunID, _ timer: ScriptTimer, as run: ScriptContext.CurrentRun
  ) -> RunStep {
    guard context.timers[timer.id] != nil else { return .ended(.finished) }
    let step = start(id, timer.function, with: { _ in }, as: run)
    if !timer.repeats, let function = context.timers.removeValue(forKey: timer.id) {
      lua?.release(function)
    }
    return step
  }

  private func goOn(
    _ id: RunID, _ body: (inout LuaState, LuaCoroutine) -> LuaStep
  ) -> RunStep? {
    guard let run = waiting.removeValue(forKey: id) else { return nil }
    context.run = run.current
    let stay = beginStay()
    guard var state = lua.take() else { return nil }
    let step = body(&state, run.coroutine)
    end(stay)
    lua = consume state
    return take(step, of: id, run.current)
  }

  private func beginStay() -> InterpreterStays.Stay {
    if context.clock.isManual { lua?.setTime(context.clock.seconds) }
    return stays.begin()
  }

  private func end(_ stay: InterpreterStays.Stay) {
    guard let end = stays.end(stay), !isHastened.load(ordering: .relaxed) else { return }
    executor.pause()
    notices(self, .sitsOut(until: end))
  }

  private func take(
    _ step: LuaStep?, of id: RunID, _ run: ScriptContext.CurrentRun
  ) -> RunStep {
    switch step {
    case .finished?:
      switch changedStore() {
      case .success(let store): return .ended(.finished, store: store)
      case .failure(let fault): return .ended(.failed(LuaFailure(message: "\(fault)")))
      }
    case .failed(let failure)?:
      return .ended(.failed(failure), store: (try? changedStore().get()) ?? nil)
    case .killed(let failure)?:
      waiting.removeAll()
      return .ended(.killed(failure))
    case .waiting(let coroutine)?:
      guard let effect = context.effect else {
        return .ended(.failed(LuaFailure(message: "the run waits for nothing")))
      }
      context.effect = nil
      waiting[id] = WaitingRun(coroutine: coroutine, current: run)
      switch changedStore() {
      case .success(let store): return .waiting(effect, store: store)
      case .failure(let fault): return .waiting(Refusal(message: "\(fault)"))
      }
    case nil: return .ended(.failed(LuaFailure(message: "the script is not loaded")))
    }
  }

  // MARK: What it keeps

  private func take(_ table: LuaTable) {
    do {
      try lua?.keep(table, as: LibraryValue.store.name)
      store = try StoreText.text(of: table)
    } catch {
      // Memory has run out: the first use of `reach.store` says so, and what was kept stays.
      store = StoreText.empty
    }
  }

  /// The text of what the script keeps; nil where it is as it was.
  private func changedStore() -> Result<String?, StoreText.Fault> {
    do throws(StoreText.Fault) {
      let text = try StoreText.text(of: try keptTable())
      guard text != store else { return .success(nil) }
      store = text
      return .success(text)
    } catch {
      return .failure(error)
    }
  }

  private func keptTable() throws(StoreText.Fault) -> LuaTable {
    do throws(LuaFailure) { return try lua?.keptTable() ?? LuaTable() } catch {
      throw StoreText.Fault(description: "store: \(error.message)")
    }
  }
}

/// A wait that ends at once with an error.
private struct Refusal: Effect {
  let message: String

  func begin(_ wait: Wait) { wait.raises(message) }

  func rehearse(_ wait: Wait, on stage: Stage) { begin(wait) }
}

internal import CLuaHost

/// One Lua 5.4 interpreter, for one script.
///
/// It belongs to whoever holds it; threads may take turns, one call at a time. Functions of
/// `LuaDeclarations` run on the thread of the call.
public struct LuaState: ~Copyable {
  let host: OpaquePointer
  private let context: CallbackContext
  var writer: LuaWriter

  /// Makes an interpreter with Lua's allow-listed names and what is declared.
  ///
  /// It throws for a lack of memory, an id that is not a position, or a name that cannot be used.
  public init(
    limits: LuaLimits = LuaLimits(), declarations: LuaDeclarations = LuaDeclarations()
  ) throws(LuaFailure) {
    let context = CallbackContext(declarations)
    host = try Self.makeHost(limits, context)
    self.context = context
    writer = LuaWriter()
  }

  deinit {
    lh_free(host)
  }

  /// Bytes in use.
  public var memory: Int { lh_memory(host) }

  /// Whether a limit ended this interpreter.
  public var isKilled: Bool { lh_is_dead(host) }

  /// Has `os.time` and `os.date` take that for the present, in Unix seconds, not the wall clock.
  public mutating func setTime(_ seconds: Int64) { lh_set_time(host, seconds) }

  /// Compiles a text and runs it; whatever waits is refused.
  ///
  /// `name` is what messages call it: `hook.lua`. Text only, never bytecode.
  public mutating func load(_ text: [UInt8], name: String) throws(LuaFailure) {
    let outcome = text.withUnsafeBytes { bytes in
      "@\(name)".withCString { name in
        lh_load(host, bytes.baseAddress, bytes.count, name)
      }
    }
    switch Self.step(of: outcome) {
    case .finished, .waiting: return
    case .failed(let failure), .killed(let failure): throw failure
    }
  }

  /// Calls functions one after the other, in one run, with the same argument.
  ///
  /// `argument` writes one value, or none.
  public mutating func start(
    _ functions: [LuaFunction], argument: (inout LuaWriter) -> Void
  ) -> LuaStep {
    writer.clear()
    argument(&writer)
    return withUnsafeTemporaryAllocation(of: Int32.self, capacity: functions.count) { references in
      for (index, function) in functions.enumerated() { references[index] = function.reference }
      let outcome = lh_start(host, references.baseAddress, functions.count, writer.buffer)
      return Self.step(of: outcome)
    }
  }

  /// Goes on with a run that waits: what is written are the results of the wait.
  public mutating func resume(
    _ coroutine: LuaCoroutine, results: (inout LuaWriter) -> Void
  ) -> LuaStep {
    writer.clear()
    results(&writer)
    return Self.step(of: lh_resume(host, coroutine.id, writer.buffer))
  }

  /// Goes on with a run that waits, with an error of that message at the place where it waits.
  public mutating func resume(_ coroutine: LuaCoroutine, raising message: String) -> LuaStep {
    writer.clear()
    writer.string(message)
    return Self.step(of: lh_resume_raising(host, coroutine.id, writer.buffer))
  }

  /// Ends a run that waits, with an error that no `pcall` catches.
  ///
  /// `<close>` variables run and cannot wait; the step is a failure with this message, or a kill.
  public mutating func cancel(_ coroutine: LuaCoroutine, message: String) -> LuaStep {
    var message = message
    let outcome = message.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        let text = lh_text(text: characters.baseAddress, length: characters.count)
        return lh_cancel(host, coroutine.id, text)
      }
    }
    return Self.step(of: outcome)
  }

  /// Gives back a function that was received.
  public mutating func release(_ function: LuaFunction) {
    lh_release(host, function.reference)
  }

  /// The objects among some that the script can never get at again, wherever it goes on.
  ///
  /// No handler, timer, table or global leads to them any more; exact, for garbage is collected first.
  public mutating func lost(among objects: [LuaObject]) -> [LuaObject] {
    guard lh_collect(host) else { return [] }
    return objects.filter { lh_has_lost(host, $0.classID, $0.id) }
  }

  // MARK: For tests

  mutating func failAllocations(from number: Int) {
    lh_fail_allocation_at(host, number)
  }

  static var memoryLeft: Int { lh_memory_left() }

  // MARK: Outcomes

  private static func step(of outcome: lh_outcome) -> LuaStep {
    switch outcome.result {
    case LH_FINISHED: return .finished
    case LH_WAITING: return .waiting(LuaCoroutine(id: outcome.coroutine))
    case LH_KILLED_PROCESSOR: return .killed(failure(outcome, .processorTime))
    case LH_KILLED_MEMORY: return .killed(failure(outcome, .memory))
    default: return .failed(failure(outcome, .error))
    }
  }

  private static func failure(_ outcome: lh_outcome, _ cause: LuaFailure.Cause) -> LuaFailure {
    LuaFailure(
      cause: cause, message: String(outcome.message), traceback: String(outcome.traceback))
  }
}

/// A run that waits, to be resumed or cancelled once.
public struct LuaCoroutine: Hashable, Sendable {
  let id: Int64
}

/// How far a run came.
public enum LuaStep: Hashable, Sendable {
  /// Every function returned.
  case finished
  /// A function waits; `resume` or `cancel` goes on.
  case waiting(LuaCoroutine)
  /// An error ended the run; the interpreter lives.
  case failed(LuaFailure)
  /// A limit ended the interpreter; it refuses all further use.
  case killed(LuaFailure)
}

/// Why a script did not load, or a run ended early.
public struct LuaFailure: Error, Hashable, Sendable {
  /// What ended it.
  public enum Cause: Sendable {
    /// An error of the script, a cancellation, or a use that is refused.
    case error
    /// The limit of processor time.
    case processorTime
    /// The limit of memory.
    case memory
  }

  /// What ended it.
  public var cause: Cause
  /// The message, with file and line where a script caused it.
  public var message: String
  /// Lua's traceback, several lines; empty for a kill.
  public var traceback: String

  /// Makes a failure.
  public init(cause: Cause = .error, message: String, traceback: String = "") {
    self.cause = cause
    self.message = message
    self.traceback = traceback
  }
}

internal import CLuaHost

/// What one interpreter may use.
public struct LuaLimits: Sendable {
  /// Processor time of one load, start, resume or cancel; a kill comes between 1 and 2 times it.
  public var processorTime: Duration
  /// Bytes in use after a garbage collection above which the interpreter is killed.
  public var softMemory: Int
  /// Bytes at which an allocation fails; far above `softMemory`, since Lua 5.4.4 may crash there.
  public var hardMemory: Int
  /// Bytes of one string where a single call makes it, and of a script's text.
  public var stringLength: Int
  /// For tests: from this allocation on, every one fails; 0 is never.
  var failAllocationAt = 0

  /// Limits as every script has them, unless told otherwise.
  public init(
    processorTime: Duration = .milliseconds(250),
    softMemory: Int = 16 << 20,
    hardMemory: Int = 64 << 20,
    stringLength: Int = 4 << 20
  ) {
    self.processorTime = processorTime
    self.softMemory = softMemory
    self.hardMemory = hardMemory
    self.stringLength = stringLength
  }

  var native: lh_limits {
    let (seconds, attoseconds) = processorTime.components
    return lh_limits(
      processor_nanoseconds: max(1, seconds * 1_000_000_000 + attoseconds / 1_000_000_000),
      soft_memory: max(0, softMemory),
      hard_memory: max(0, hardMemory),
      string_length: max(0, stringLength),
      fail_allocation_at: failAllocationAt
    )
  }
}

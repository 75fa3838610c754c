/// All that outlives the daemon.
///
/// Values are texts that their owners write and read; a script is known by its name.
public struct SavedState: Equatable, Sendable {
  /// What identifies a hook through reloads: another target is another hook.
  public struct HookKey: Hashable, Sendable {
    /// The script's name.
    public var script: String
    /// The hook's name.
    public var hook: String
    /// What it is about, and how that is probed.
    public var subject: String

    /// A hook of a script.
    public init(script: String, hook: String, subject: String) {
      self.script = script
      self.hook = hook
      self.subject = subject
    }
  }

  /// The tables that scripts keep, by script.
  public var stores: [String: String] = [:]
  /// What hooks were last told.
  public var told: [HookKey: String] = [:]
  /// Why scripts are not run, by script.
  public var quarantines: [String: String] = [:]

  /// Nothing saved.
  public init() {}
}

/// One thing to be saved; nil removes what was.
public enum StateChange: Equatable, Sendable {
  case store(script: String, String?)
  case told(SavedState.HookKey, String?)
  case quarantine(script: String, String?)
}

extension SavedState {
  /// Takes a change in.
  public mutating func apply(_ change: StateChange) {
    switch change {
    case .store(let script, let value): stores[script] = value
    case .told(let key, let value): told[key] = value
    case .quarantine(let script, let value): quarantines[script] = value
    }
  }
}

extension StateChange {
  /// What a change is about.
  enum Subject: Hashable {
    case store(String)
    case told(SavedState.HookKey)
    case quarantine(String)
  }

  var subject: Subject {
    switch self {
    case .store(let script, _): .store(script)
    case .told(let key, _): .told(key)
    case .quarantine(let script, _): .quarantine(script)
    }
  }
}

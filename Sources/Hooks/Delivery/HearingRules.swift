/// What a hook says of when it wants to hear of its target.
struct HearingRules: Hashable, Sendable {
  /// What becomes of a transition that meets a running handler.
  enum Mode: String, CaseIterable, Sendable {
    /// The newest waits, alone.
    case latest
    /// All wait, up to 32.
    case queue
    /// The run is cancelled for it.
    case restart

    /// How many events wait for a run to end; another one takes the place of the oldest.
    var capacity: Int { self == .queue ? 32 : 1 }
  }

  /// What becomes of the first verdict after a load.
  enum Initial: Hashable, Sendable {
    /// It is told if it differs from what was told last.
    case changed
    /// It is told.
    case always
    /// It counts as told.
    case never
  }

  /// The target's name in events.
  var target: String
  /// The handlers that the hook has; what none of them matches counts as heard.
  var handlers: HandlerSet
  /// How long what is new must hold.
  var stable = StatusTable<Duration>()
  /// The least time between two calls for one status.
  var apart = StatusTable<Duration>()
  /// How long after the last run the handlers are called again while the status holds.
  var again = StatusTable<Duration>()
  /// What becomes of the first verdict after a load.
  var initial = Initial.changed
  /// What becomes of a transition that meets a running handler.
  var mode = Mode.latest
  /// What becomes of it when its runs keep failing.
  var slowdown = Slowdown()

  /// The rules of a hook that says nothing more.
  init(target: String, handlers: HandlerSet) {
    self.target = target
    self.handlers = handlers
  }
}

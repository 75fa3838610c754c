internal import Lua
internal import Posix

/// Something that a run waits for, done outside of Lua; a kind is a type beside its function.
protocol Effect: Sendable {
  /// Begins it, on the loop, and answers the wait then or later.
  func begin(_ wait: Wait)
  /// Notes on a stage what would be done, and answers as that is set; what only waits, begins.
  func rehearse(_ wait: Wait, on stage: Stage)
}

extension Effect {
  /// Begins it, or rehearses it where it is not to be done.
  func perform(_ wait: Wait) {
    if let stage = wait.equipment.stage { rehearse(wait, on: stage) } else { begin(wait) }
  }
}

/// One wait of one run, until it is answered or given up.
///
/// Only the loop's thread touches it; another hands it back there.
final class Wait: @unchecked Sendable {
  /// What the run goes on with.
  enum Answer {
    /// Values that the call returns.
    case results(@Sendable (inout LuaWriter) -> Void)
    /// An error at the place of the call.
    case error(String)
  }

  let loop: EventLoop
  let log: Log
  let equipment: Equipment
  /// `script/hook`, as the log calls it.
  let origin: String
  /// The script, whose runs share what is limited.
  let script: LoadedScript
  /// Is called with 1 where something begins that can outlive the run, and with -1 at its end.
  let children: (Int) -> Void
  /// Ends the effect early; called at most once, and not after the answer.
  var ending: (() -> Void)?
  private var completion: ((Answer) -> Void)?

  init(
    on loop: EventLoop, log: Log, with equipment: Equipment, origin: String, script: LoadedScript,
    children: @escaping (Int) -> Void, completion: @escaping (Answer) -> Void
  ) {
    self.loop = loop
    self.log = log
    self.equipment = equipment
    self.origin = origin
    self.script = script
    self.children = children
    self.completion = completion
  }

  /// Whether the run still waits for an answer.
  var isOpen: Bool { completion != nil }

  /// The call returns what is written.
  func returns(_ results: @escaping @Sendable (inout LuaWriter) -> Void) {
    close()?(.results(results))
  }

  /// The call raises an error.
  func raises(_ message: String) { close()?(.error(message)) }

  /// Ends the effect, whose answer nobody takes any more.
  func giveUp() {
    let ending = ending
    _ = close()
    ending?()
  }

  private func close() -> ((Answer) -> Void)? {
    defer {
      completion = nil
      ending = nil
    }
    return completion
  }
}

/// So many of a kind at once for one script; a further one waits its turn.
///
/// Touched only on the loop.
final class Slots {
  private let limit: Int
  private let released: () -> Void
  private var taken = 0
  private var waiting = FIFO<() -> Bool>()

  /// - Parameters:
  ///   - limit: how many there are.
  ///   - released: is called whenever one comes free.
  init(_ limit: Int, released: @escaping () -> Void = {}) {
    self.limit = limit
    self.released = released
  }

  /// Whether none is taken.
  var areFree: Bool { taken == 0 }

  /// Calls `body` with a slot, now or when one comes free.
  ///
  /// What it begins calls `release` at its end; where it begins nothing, it returns false.
  func take(_ body: @escaping () -> Bool) {
    waiting.append(body)
    serve()
  }

  /// Gives a slot back.
  func release() {
    taken -= 1
    released()
    serve()
  }

  private func serve() {
    while taken < limit, let body = waiting.popFirst() {
      taken += 1
      if !body() { taken -= 1 }
    }
  }
}

internal import Lua
internal import Posix

extension LibraryFunction {
  static let sleep = LibraryFunction(
    name: "reach.sleep", place: .handlers, waits: true,
    takes: [Field("duration", "reach.Duration", "How long.")],
    summary: "Waits, through suspend too: `reach.sleep(\"10s\")`."
  ) { context, call, _ throws(OptionError) in
    guard let value = call.arguments.first, call.arguments.count == 1 else {
      throw OptionError("reach.sleep takes one duration, as in reach.sleep(\"10s\")")
    }
    let duration = try OptionTable.duration(value) { expected in
      OptionError("reach.sleep takes \(expected), not \(value.described)")
    }
    context.effect = SleepEffect(duration: duration)
    return .wait
  }
}

/// A wait for the clock alone.
private struct SleepEffect: Effect {
  let duration: Duration

  func begin(_ wait: Wait) {
    let timer = wait.loop.schedule(at: wait.loop.clock.now + duration) { wait.returns { _ in } }
    wait.ending = { [loop = wait.loop] in loop.cancel(timer) }
  }

  func rehearse(_ wait: Wait, on stage: Stage) { begin(wait) }
}

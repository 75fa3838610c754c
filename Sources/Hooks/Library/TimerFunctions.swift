internal import Lua
internal import Posix

extension LibraryFunction {
  static let every = timer(
    "reach.every",
    """
    Calls a function again and again: `reach.every("10m", function() … end)`.

    A call that is due while the one before runs is left out. The timer runs until its `:cancel()`,
    whether or not the script keeps it.
    """, repeats: true)

  static let after = timer(
    "reach.after",
    "Calls a function once, unless `:cancel()` comes first: `reach.after(\"5s\", function() … end)`.",
    repeats: false)

  static let cancelTimer = LibraryFunction(
    name: "timer:cancel", summary: "Ends the timer; a call of it that runs goes on."
  ) { context, call, _ in
    guard case .object(let object)? = call.arguments.first else { return .returned }
    if let function = context.timers.removeValue(forKey: object.id) {
      call.release(function)
      if context.run == nil {
        context.declarations.timers.removeAll { $0.id == object.id }
      } else {
        context.order(.cancel(object.id))
      }
    }
    return .returned
  }

  private static func timer(
    _ name: String, _ summary: String, repeats: Bool
  ) -> LibraryFunction {
    LibraryFunction(
      name: name, keepsFunctions: true,
      takes: [
        Field("duration", "reach.Duration", "How long until the call; from 100 ms."),
        Field("handler", "fun()", "Is called, and may wait as handlers do."),
      ],
      returns: Field("timer", TableForm.timer.name, "What ends it."), summary: summary
    ) { context, call, results throws(OptionError) in
      let arguments = call.arguments
      guard arguments.count == 2, case .function(let function) = arguments[1] else {
        throw OptionError(
          "\(name) takes a duration and a function, as in \(name)(\"10m\", function() … end)")
      }
      let interval = try OptionTable.duration(arguments[0]) { expected in
        OptionError("\(name) takes \(expected), not \(arguments[0].described)")
      }
      guard interval >= ScriptTimer.shortest else {
        throw OptionError("\(name): \(interval.text) is less than \(ScriptTimer.shortest.text)")
      }
      guard context.timers.count < ScriptContext.mostTimers else {
        throw OptionError("\(name): more than \(ScriptContext.mostTimers) timers")
      }
      context.lastTimer += 1
      let timer = ScriptTimer(
        id: context.lastTimer, function: function, interval: interval, repeats: repeats)
      context.timers[timer.id] = function
      if context.run == nil {
        context.declarations.timers.append(timer)
      } else {
        context.order(.start(timer))
      }
      results.object(LuaObject(classID: LuaClass.timer.id, id: timer.id))
      return .returned
    }
  }
}

/// A function that is called at times.
struct ScriptTimer: Sendable {
  let id: Int64
  let function: LuaFunction
  let interval: Duration
  let repeats: Bool

  static let shortest = Duration.milliseconds(100)

  /// What the log calls it: `every 10m`.
  var name: String { "\(repeats ? "every" : "after") \(interval.text)" }

  /// When a timer that was due is due again: at its own beat, without what was missed.
  func next(after due: BootInstant, at now: BootInstant) -> BootInstant {
    guard now >= due else { return due }
    let beats = (now - due).nanoseconds / interval.nanoseconds + 1
    let (distance, overflow) = beats.multipliedReportingOverflow(by: interval.nanoseconds)
    return overflow ? now + interval : due + .nanoseconds(distance)
  }
}

/// What a handler asks of its script's timers.
enum TimerOrder: Sendable {
  case start(ScriptTimer)
  case cancel(Int64)
}

extension ScriptContext {
  static let mostTimers = 64
}

extension LuaClass {
  static let timer = LuaClass(id: 1, name: "timer")
}

extension TableForm {
  static let timer = TableForm("reach.Timer", "What `reach.every` and `reach.after` return.", [])
}

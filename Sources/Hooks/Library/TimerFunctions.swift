internal import Lua
internal import Posix

extension LibraryFunction {
  /// Calls a function again and again: `reach.every("10m", function() … end)`.
  ///
  /// A call that is due while the one before runs is left out. Returns the timer, which `:cancel()`
  /// ends; until then it runs, whether or not the script keeps it.
  static let every = timer("reach.every", repeats: true)

  /// Calls a function once: `reach.after("5s", function() … end)`.
  ///
  /// Returns the timer, which `:cancel()` ends.
  static let after = timer("reach.after", repeats: false)

  /// Ends a timer; a call of it that runs goes on.
  static let cancelTimer = LibraryFunction(name: "timer:cancel") { context, call, _ in
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

  private static func timer(_ name: String, repeats: Bool) -> LibraryFunction {
    LibraryFunction(name: name, keepsFunctions: true) {
      context, call, results throws(OptionError) in
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

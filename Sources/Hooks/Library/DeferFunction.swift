internal import Lua

extension LibraryFunction {
  static let `defer` = LibraryFunction(
    name: "reach.defer", place: .load, keepsFunctions: true,
    takes: [Field("handler", "fun(why: reach.Departure)", "Is called; it may wait, up to 2 s.")],
    summary: """
      Has a function called when the script is unloaded: `reach.defer(function(why) … end)`.

      What was deferred last is called first, as `<close>` variables are.
      """
  ) { context, call, _ throws(OptionError) in
    guard call.arguments.count == 1, case .function(let function)? = call.arguments.first else {
      throw OptionError("reach.defer takes one function")
    }
    guard context.declarations.deferred.count < ScriptContext.mostDeferred else {
      throw OptionError("reach.defer: more than \(ScriptContext.mostDeferred) functions")
    }
    context.declarations.deferred.append(function)
    return .returned
  }
}

extension ScriptContext {
  static let mostDeferred = 64
}

internal import Lua

extension LibraryFunction {
  /// Has a function called when the script is unloaded, with the reason: `reload`, `removed` or
  /// `shutdown`.
  ///
  /// What was deferred last is called first, as `<close>` variables are.
  static let `defer` = LibraryFunction(name: "reach.defer", place: .load, keepsFunctions: true) {
    context, call, _ throws(OptionError) in
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

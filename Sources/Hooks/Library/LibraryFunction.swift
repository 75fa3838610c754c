internal import Lua

/// A function that scripts find under `reach`, or a global one.
struct LibraryFunction: Sendable {
  /// Where it may be called.
  enum Place {
    /// Only while the script is loaded: it declares.
    case load
    /// Only in handlers: it acts.
    case handlers
    case anywhere
  }

  let name: String
  var place = Place.anywhere
  var arguments = LuaFunctionDeclaration.Arguments.values
  var waits = false
  var keepsFunctions = false
  let body:
    @Sendable (ScriptContext, borrowing LuaCall, inout LuaWriter) throws(OptionError) -> LuaReply

  /// Everything there is, one file each.
  static let all: [LibraryFunction] = [
    .target, .anyOf, .allOf, .atLeast, .wait, .on, .every, .after, .cancelTimer, .defer, .run,
    .http,
    .notify, .write, .sleep, .now, .jsonEncode, .jsonDecode, .require, .print, .secret, .logDebug,
    .logInfo, .logWarn, .logError,
  ]

  /// The function as one script's interpreter takes it.
  func declaration(for context: ScriptContext) -> LuaFunctionDeclaration {
    LuaFunctionDeclaration(
      name, arguments: arguments, mayWait: waits, keepsFunctions: keepsFunctions
    ) { call, results in
      if place == .load, context.run != nil {
        return .raise("\(name) declares; call it while the script is loaded, not in a handler")
      }
      if place == .handlers, context.run == nil {
        return .raise("\(name) acts; call it in a handler, not while the script is loaded")
      }
      do throws(OptionError) { return try body(context, call, &results) } catch {
        return .raise(error.message)
      }
    }
  }
}

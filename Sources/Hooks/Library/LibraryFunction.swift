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

  typealias Body =
    @Sendable (ScriptContext, borrowing LuaCall, inout LuaWriter) throws(OptionError) -> LuaReply

  /// What the author of a script is told of it.
  let signature: Signature
  let place: Place
  let arguments: LuaFunctionDeclaration.Arguments
  let waits: Bool
  let keepsFunctions: Bool
  let body: Body

  /// Declares a function; `summary` says in Markdown what it does, and is what editors show.
  init(
    name: String, place: Place = .anywhere,
    arguments: LuaFunctionDeclaration.Arguments = .values, waits: Bool = false,
    keepsFunctions: Bool = false, takes: [Field] = [], returns: Field? = nil, summary: String,
    body: @escaping Body
  ) {
    signature = Signature(name: name, takes: takes, returns: returns, summary: summary)
    self.place = place
    self.arguments = arguments
    self.waits = waits
    self.keepsFunctions = keepsFunctions
    self.body = body
  }

  var name: String { signature.name }

  /// Everything there is, one file each.
  static let all: [LibraryFunction] = [
    .target, .anyOf, .allOf, .atLeast, .wait, .on, .every, .after, .cancelTimer, .defer, .run,
    .http, .notify, .write, .sleep, .now, .jsonEncode, .jsonDecode, .require, .print, .secret,
    .logDebug, .logInfo, .logWarn, .logError,
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

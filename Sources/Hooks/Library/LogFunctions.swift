internal import Lua

extension LibraryFunction {
  /// Writes a line that is of use to whoever looks for a fault.
  static let logDebug = log("reach.log.debug", .debug)
  /// Writes a line.
  static let logInfo = log("reach.log.info", .info)
  /// Writes a line that somebody should read.
  static let logWarn = log("reach.log.warn", .warn)
  /// Writes a line that somebody must read.
  static let logError = log("reach.log.error", .error)
  /// Writes its arguments as a line of level `info`, with tabs between them.
  static let print = log("print", .info, arguments: .joined)

  private static func log(
    _ name: String, _ level: Log.Level, arguments: LuaFunctionDeclaration.Arguments = .format
  ) -> LibraryFunction {
    LibraryFunction(name: name, arguments: arguments) { context, call, _ in
      let text = call.text ?? ""
      if let lines = context.lines {
        lines.write(level, text, from: context.origin)
      } else {
        context.log.write(level, text, from: context.origin)
      }
      return .returned
    }
  }
}

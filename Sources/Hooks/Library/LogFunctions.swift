internal import Lua

extension LibraryFunction {
  static let logDebug = log(.debug, "Logs a line for whoever looks for a fault.")
  static let logInfo = log(.info, "Logs a line: `reach.log.info(\"via %s\", e.via)`.")
  static let logWarn = log(.warn, "Logs a line that somebody should read.")
  static let logError = log(.error, "Logs a line that somebody must read.")

  static let print = log(
    "print", .info, arguments: .joined, takes: [Field("...", "any", "What it says.")],
    summary: "Logs its arguments as a line of level `info`, with tabs between them.")

  private static func log(_ level: Log.Level, _ summary: String) -> LibraryFunction {
    log(
      "reach.log.\(level.rawValue)", level, arguments: .format,
      takes: [
        Field("format", "any", "What it says, as for `string.format` where values follow."),
        Field("...", "any", "The values."),
      ], summary: summary)
  }

  private static func log(
    _ name: String, _ level: Log.Level, arguments: LuaFunctionDeclaration.Arguments,
    takes: [Field], summary: String
  ) -> LibraryFunction {
    LibraryFunction(name: name, arguments: arguments, takes: takes, summary: summary) {
      context, call, _ in
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

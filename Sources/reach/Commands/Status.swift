/// Asks the running daemon what it knows.
enum DaemonStatus: Command {
  static let name = "status"
  static let summary = "tell what the running daemon knows of its scripts, targets and hooks"
  static let operands = ""
  static let options = [CommonOption.socket, CommonOption.json]

  static func run(_ arguments: Arguments) throws -> ExitCode {
    guard arguments.operands.isEmpty else { throw UsageError("it takes no operands") }
    let words = arguments.has(CommonOption.json) ? [name, "--json"] : [name]
    return try DaemonConnection.ask(words, arguments)
  }
}

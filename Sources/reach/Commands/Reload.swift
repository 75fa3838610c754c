/// Has the running daemon load its scripts anew.
enum Reload: Command {
  static let name = "reload"
  static let summary = "have the running daemon load all scripts anew, and name those that fail"
  static let operands = ""
  static let options = [CommonOption.socket]

  static func run(_ arguments: Arguments) throws -> ExitCode {
    try DaemonConnection.ask([name] + arguments.operands, arguments)
  }
}

/// Lets a script or a hook run again that is kept from it.
enum Enable: Command {
  static let name = "enable"
  static let summary = "let a script run again that rests after a kill"
  static let operands = "SCRIPT[/HOOK]"
  static let options = [CommonOption.socket]

  static func run(_ arguments: Arguments) throws -> ExitCode {
    try DaemonConnection.ask([name] + arguments.operands, arguments)
  }
}

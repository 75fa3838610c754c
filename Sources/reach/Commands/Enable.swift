/// Lets a script or a hook run again that is kept from it.
enum Enable: Command {
  static let name = "enable"
  static let summary = "let a script run again that rests after a kill"
  static let operands = "SCRIPT[/HOOK]"
  static let details = """
    A script rests for 30 s after it was ended at a limit, and is quarantined after three times in ten
    minutes. A hook that failed five times in a row runs at most once in ten minutes. Both end at
    once; with /HOOK for that hook alone.

    """
  static let options = [CommonOption.socket]

  static func run(_ arguments: Arguments) throws -> ExitCode {
    try DaemonConnection.ask([name] + arguments.operands, arguments)
  }
}

/// Has the running daemon call a hook's handlers once.
enum Fire: Command {
  static let name = "fire"
  static let summary = "have the running daemon call a hook's handlers, and tell how that ended"
  static let operands = "SCRIPT/HOOK STATUS [KEY=VALUE…]"
  static let options = [CommonOption.socket]
  static let details = """
    STATUS is reachable, unreachable or portal; its handlers are called, and with via=wifi those of
    that medium. KEY=VALUE sets a field of the event: via, reason, cause, vpn, metered, interface,
    address, source, gateway, gateway_mac, ssid, latency, url, since, lasted, at, sequence, initial,
    retried, missed or again. Nothing is recorded as told.

    """

  static func run(_ arguments: Arguments) throws -> ExitCode {
    try DaemonConnection.ask([name] + arguments.operands, arguments)
  }
}

internal import Hooks
internal import Posix

/// Asks the running daemon what it knows.
enum DaemonStatus: Command {
  static let name = "status"
  static let summary = "tell what the running daemon knows of its scripts, targets and hooks"
  static let operands = ""
  static let options = [CommonOption.socket, CommonOption.json]

  static func run(_ arguments: Arguments) throws -> ExitCode {
    guard arguments.operands.isEmpty else { throw UsageError("it takes no operands") }
    Signals.setDispositions()
    let path =
      arguments.value(CommonOption.socket)
      ?? ControlSocket.standardPath(stateFolder: StateFolder.standard)
    let connection: FileDescriptor
    do throws(SystemError) { connection = try FileDescriptor(connectingTo: path) } catch {
      guard error.isNobodyThere else { throw error }
      StandardStream.error.write("reach status: no daemon answers at \(path.printable)\n")
      return .unknown
    }
    try connection.writeAll(arguments.has(CommonOption.json) ? "status --json\n" : "status\n")
    let reply = try connection.readAll(limit: 16 << 20)
    guard !reply.isEmpty else {
      StandardStream.error.write("reach status: the daemon at \(path.printable) is busy\n")
      return .unknown
    }
    StandardStream.output.write(String(decoding: reply, as: UTF8.self))
    return .success
  }
}

internal import Hooks
internal import Posix

/// Asks the daemon that runs, and prints what it answers.
enum DaemonConnection {
  /// Sends the request that a command's words make, and waits for the answer as long as it takes.
  ///
  /// - Parameters:
  ///   - words: the request's words, the command's name first.
  ///   - arguments: the command's own, of which `--socket` says where the daemon is.
  /// - Returns: what the command ends with.
  /// - Throws: what is wrong with the words, or why the socket cannot be used.
  static func ask(_ words: [String], _ arguments: Arguments) throws -> ExitCode {
    let line: String
    do throws(RequestError) { line = try ControlRequest(words: words).line() } catch {
      throw UsageError(error.description)
    }
    Signals.setDispositions()
    let path = arguments.value(CommonOption.socket) ?? standardPath
    let prefix = "reach \(words[0]): "
    let connection: FileDescriptor
    do throws(SystemError) { connection = try FileDescriptor(connectingTo: path) } catch {
      guard error.isNobodyThere else { throw error }
      StandardStream.error.write("\(prefix)no daemon answers at \(path.printable)\n")
      return .unknown
    }
    guard let reply = reply(to: line, over: connection) else {
      StandardStream.error.write(
        "\(prefix)the daemon at \(path.printable) is busy, or ended before it answered\n")
      return .unknown
    }
    switch reply.kind {
    case .done, .failed: StandardStream.output.write("\(reply.text)\n")
    case .refused, .unusable: StandardStream.error.write("\(prefix)\(reply.text.printable)\n")
    }
    switch reply.kind {
    case .done: return .success
    case .failed, .refused: return .no
    case .unusable: return .usage
    }
  }

  private static var standardPath: String {
    ControlSocket.standardPath(stateFolder: StateFolder.standard)
  }

  /// The scripts and hooks of the daemon that answers at a path, or the usual one; none where it does
  /// not answer within a moment.
  static func hooks(at path: String?) -> [HookPlace] {
    Signals.setDispositions()
    guard
      let connection = try? FileDescriptor(
        connectingTo: path ?? standardPath, patience: .seconds(1)),
      let line = try? ControlRequest.status(asJSON: true).line(),
      let reply = reply(to: line, over: connection), reply.kind == .done
    else { return [] }
    return HookPlace.all(inStatus: reply.text)
  }

  /// The answer to a line; nil where the daemon ends the connection without a whole one.
  private static func reply(
    to line: String, over connection: borrowing FileDescriptor
  ) -> ControlReply? {
    // A daemon that serves enough clients ends the connection, maybe before it is written to.
    try? connection.writeAll("\(line)\n")
    guard let bytes = try? connection.readAll(limit: 16 << 20) else { return nil }
    return ControlReply(parsing: String(decoding: bytes, as: UTF8.self))
  }
}

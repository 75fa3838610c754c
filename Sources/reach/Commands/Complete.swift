internal import Hooks
internal import Netlink
internal import Posix

/// Tells the completions of shells what may come next; not for people.
enum Complete: Command {
  static let name = "--complete"
  static let summary = "tell what the last word can become"
  static let operands = "WORD…"
  static let options: [Option] = []
  static let takesEmptyWords = true

  static func run(_ arguments: Arguments) throws -> ExitCode {
    let completion = Completion(
      interfaces: { interfaces }, hooks: DaemonConnection.hooks,
      shippedHooks: { ShippedHook.names })
    StandardStream.output.write(completion.offer(for: arguments.operands).text)
    return .success
  }

  private static var interfaces: [String] {
    guard var socket = try? RequestSocket(), let links = try? socket.links() else { return [] }
    return links.map(\.name)
  }
}

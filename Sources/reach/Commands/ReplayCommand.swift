internal import Hooks
internal import Posix

/// Shows what hooks would do, without a network and without doing it.
enum ReplayCommand: Command {
  static let name = "replay"
  static let summary = "show what hooks would do in the course of a timeline, and do none of it"
  static let operands = "TIMELINE PATH…"
  static let options = [duration, CommonOption.json]

  private static let duration = Option(
    "--for", "DURATION", "go on so long after the last line (default: until nothing is under way)")

  static let details = """
    A TIMELINE is what reach record writes, or a person: /usr/share/doc/reach/examples/timelines
    holds some. PATH are files or folders of hooks. Times are seconds of the timeline. Commands and
    requests succeed at once, and nothing is run, sent, shown or written; secrets are not read.

    """

  static func run(_ arguments: Arguments) throws -> ExitCode {
    guard let file = arguments.operands.first else {
      throw UsageError("name a timeline, as in reach replay train-ride.txt hooks")
    }
    guard !file.hasSuffix(".lua") else {
      throw UsageError(
        "\(file.printable) is a script; the timeline goes first: reach replay train-ride.txt "
          + file.printable)
    }
    let paths = Array(arguments.operands.dropFirst())
    guard !paths.isEmpty else {
      throw UsageError("name hooks, too, as in reach replay \(file.printable) greet.lua")
    }
    let timeline = try Timeline(parsing: try text(of: file), named: file)
    _ = try ScriptSource.scripts(at: paths)
    let asJSON = arguments.has(CommonOption.json)
    let epilogue = try arguments.duration(duration)
    do throws(RehearsalFailure) {
      let replay = try Replay(timeline, to: paths)
      tell(of: replay.strangers)
      try replay.run(for: epilogue) { line in
        StandardStream.output.write(asJSON ? line.json : line.text)
      }
      return .success
    } catch {
      for fault in error.description.split(separator: "\n") {
        StandardStream.error.write("reach replay: \(String(fault).printable)\n")
      }
      return .no
    }
  }

  private static func tell(of strangers: (unused: [String], unknown: [String])) {
    for name in strangers.unused {
      let hint = Nearest.hint(for: name, among: strangers.unknown)
      StandardStream.error.write(
        "reach replay: no hook has a target \"\(name.printable)\"\(hint.printable)\n")
    }
    if !strangers.unknown.isEmpty {
      let names = strangers.unknown.map(\.printable).joined(separator: ", ")
      StandardStream.error.write("reach replay: not in the timeline, and so unknown: \(names)\n")
    }
  }

  private static func text(of file: String) throws -> [UInt8] {
    let descriptor = try FileDescriptor(reading: file)
    let text: [UInt8]
    do { text = try descriptor.readAll(limit: largest + 1) } catch {
      throw SystemError("read \(file)", code: error.code)
    }
    guard text.count <= largest else {
      throw UsageError("\(file.printable): larger than \(largest >> 20) MiB")
    }
    return text
  }

  private static let largest = 64 << 20
}

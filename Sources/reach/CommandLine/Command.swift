/// What the process ends with.
enum ExitCode: Int32 {
  case success = 0
  /// The answer is no: unreachable, a broken script.
  case no = 1
  /// Bad usage or unreadable input.
  case usage = 2
  case unknown = 3
}

/// One verb of the command line.
protocol Command: SendableMetatype {
  static var name: String { get }
  /// One line on what it does.
  static var summary: String { get }
  /// What it takes beside options: `TARGET…`.
  static var operands: String { get }
  static var options: [Option] { get }
  /// What its page of help says beneath the options.
  static var details: String { get }
  static func run(_ arguments: Arguments) throws -> ExitCode
}

extension Command {
  static var details: String { "" }
}

/// An option of a command; one without `value` is a switch.
struct Option: Sendable {
  let name: String
  let value: String?
  let help: String

  init(_ name: String, _ value: String, _ help: String) {
    self.name = name
    self.value = value
    self.help = help
  }

  init(_ name: String, _ help: String) {
    self.name = name
    value = nil
    self.help = help
  }
}

/// A command line that cannot be carried out: what is wrong, where, and the nearest right thing.
struct UsageError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The options that several commands share.
enum CommonOption {
  static let medium = Option(
    "--medium", "NAME=MEDIUM", "take interface NAME for wired, wifi, wwan or other (repeatable)")
  static let settle = Option(
    "--settle", "DURATION", "wait until the kernel has been quiet that long (default 20ms)")
  static let socket = Option(
    "--socket", "PATH", "where the daemon answers (default /run/reach/control for root)")
  static let json = Option("--json", "print one JSON object a line")
}

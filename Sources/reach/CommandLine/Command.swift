/// What the process ends with.
enum ExitCode: Int32, CaseIterable {
  case success = 0
  case no = 1
  case usage = 2
  case unknown = 3

  /// When a command ends with it.
  var meaning: String {
    switch self {
    case .success: "It is done, and where a question was asked the answer is yes."
    case .no: "The answer is no: unreachable, a broken script, a failed test or run."
    case .usage: "Bad usage, or a file, folder or socket that cannot be used."
    case .unknown: "Unknown: there is no verdict, or no daemon answers."
    }
  }
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
  /// Whether a word that it takes may be empty.
  static var takesEmptyWords: Bool { get }
  static func run(_ arguments: Arguments) throws -> ExitCode
}

extension Command {
  static var details: String { "" }
  static var takesEmptyWords: Bool { false }
}

/// An option of a command; one without `value` is a switch.
struct Option: Sendable {
  let name: String
  /// The word that stands for its value; `Placeholder` says what that can be.
  let value: String?
  let help: String
  /// All that the value can be; nil where that is no fixed set.
  var words: [String]?

  init(_ name: String, _ value: String, _ help: String) {
    self.name = name
    self.value = value
    self.help = help
  }

  init<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ value: String, _ help: String, among _: Choice.Type
  ) {
    self.init(name, value, help)
    words = Choice.allCases.map(\.rawValue)
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

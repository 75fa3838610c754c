internal import Hooks
internal import Posix

/// Finds the command that is meant, and runs it.
enum CommandLineInterface {
  static let commands: [any Command.Type] = [
    Run.self, Check.self, Watch.self, Explain.self, DaemonStatus.self, Fire.self, Enable.self,
    Reload.self, Test.self, ReplayCommand.self, Record.self, New.self,
  ]

  /// What is no business of people: the shells' completions and `make install` ask for it.
  private static let hidden: [any Command.Type] = [Complete.self, Manual.self]

  static let help = Option("--help", "print help, also on a command")
  private static let version = Option("--version", "print the version")
  /// What stands in place of a command.
  static let options = [help, version]

  static func run(_ words: [String]) -> ExitCode {
    guard let name = words.first else {
      StandardStream.error.write(overview)
      return .usage
    }
    let command = (commands + hidden).first { $0.name == name }
    let code =
      if let command { run(command, Array(words.dropFirst())) } else { run(inPlaceOfCommand: name) }
    // What was asked for did not come, whatever the command made of it.
    guard let failure = StandardStream.output.failure else { return code }
    return failure.isClosedPipe ? .usage : fail("\(failure)", in: command?.name)
  }

  private static func run(inPlaceOfCommand word: String) -> ExitCode {
    switch word {
    case "--help", "-h", "help": StandardStream.output.write(overview)
    case "--version": StandardStream.output.write("reach \(Program.version)\n")
    default:
      let kind = word.hasPrefix("-") ? "option" : "command"
      let names = commands.map { $0.name } + options.map(\.name)
      return fail("unknown \(kind) \(word.printable)" + Nearest.hint(for: word, among: names))
    }
    return .success
  }

  private static func run(_ command: any Command.Type, _ words: [String]) -> ExitCode {
    do {
      let arguments = try Arguments(
        words, for: command.options + [help], takingEmptyWords: command.takesEmptyWords)
      if arguments.has(help) {
        StandardStream.output.write(page(of: command))
        return .success
      }
      return try command.run(arguments)
    } catch {
      return fail("\(error)", in: command.name)
    }
  }

  private static func fail(_ message: String, in command: String? = nil) -> ExitCode {
    StandardStream.error.write("reach\(command.map { " \($0)" } ?? ""): \(message)\n")
    return .usage
  }

  /// What the program does, in one line.
  static let summary =
    "run Lua hooks when a host, a network or the internet becomes reachable or not"

  private static var overview: String {
    var text = """
      reach: \(summary).

      usage: reach COMMAND [OPTION…] …


      """
    for command in commands { text += "  \(padded(command.name, 10))\(command.summary)\n" }
    return text + "\nreach COMMAND --help tells more; reach --version the version.\n"
  }

  private static func page(of command: any Command.Type) -> String {
    let operands = command.operands.isEmpty ? "" : " \(command.operands)"
    var text = "usage: reach \(command.name) [OPTION…]\(operands)\n\n\(command.summary)\n\n"
    for option in command.options + [help] {
      let name = option.name + (option.value.map { " \($0)" } ?? "")
      text += "  \(padded(name, 25)) \(option.help)\n"
    }
    if !command.details.isEmpty { text += "\n" + command.details }
    if command.operands.contains("TARGET") {
      text += "\nA TARGET is one of\n"
      for form in TargetForm.all { text += "  \(padded(form.form, 16)) \(form.meaning)\n" }
    }
    if command.options.contains(where: { $0.value == "DURATION" }) {
      text += "\nA DURATION is 250ms, 10s, 1m30s or 2h.\n"
    }
    return text
  }

  /// A text with blanks behind it, up to a width.
  static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

internal import Posix

/// The page reach(1), made of what the commands declare.
enum CommandManual {
  static var page: String {
    var page = Roff(
      "reach", section: 1, "User Commands", source: ManualPage.source, placeholders: placeholders)
    page.section("NAME")
    page.line("reach - \(CommandLineInterface.summary)")
    page.section("SYNOPSIS")
    for (number, command) in CommandLineInterface.commands.enumerated() {
      if number > 0 { page.lineBreak() }
      page.line(synopsis(of: command))
    }
    for option in CommandLineInterface.options {
      page.lineBreak()
      page.line("`reach` \(option.name)")
    }
    page.section("DESCRIPTION")
    page.paragraphs(description)
    page.section("COMMANDS")
    for command in CommandLineInterface.commands { page.write(command) }
    page.section("OPTIONS")
    page.paragraphs(optionRules)
    for option in CommandLineInterface.options {
      page.item(option.name, "\(option.help).".sentence)
    }
    page.section("TARGETS")
    page.paragraphs("A TARGET is one of")
    for form in TargetForm.all { page.item(form.form.boldWhereFixed, "\(form.meaning).".sentence) }
    page.paragraphs(afterTargets)
    page.section("DURATIONS")
    page.paragraphs(durations)
    page.section("EXIT STATUS")
    for code in ExitCode.allCases { page.item("`\(code.rawValue)`", code.meaning) }
    for (title, rows) in tables {
      page.section(title)
      for row in rows { page.item("`\(row.name)`", row.meaning) }
    }
    page.section("EXAMPLES")
    for example in examples {
      page.paragraphs(example.purpose)
      page.example(example.lines)
    }
    page.section("SEE ALSO")
    page.paragraphs(seeAlso)
    return page.text
  }

  private static func synopsis(of command: any Command.Type) -> String {
    let options = command.options.isEmpty ? "" : " [OPTION…]"
    let operands = command.operands.isEmpty ? "" : " \(command.operands)"
    return "`reach \(command.name)`\(options)\(operands)"
  }

  /// The words that stand for values, in all that the page says.
  private static var placeholders: Set<String> {
    var words = ["OPTION", "COMMAND"] + TargetForm.all.map(\.form)
    for command in CommandLineInterface.commands {
      words += Operand.list(command.operands).map(\.placeholder)
      words += command.options.compactMap(\.value)
    }
    return Set(
      words.flatMap { $0.split { !$0.isUppercase }.map(String.init) }.filter { !$0.isEmpty })
  }
}

/// What all pages of the manual have in common.
enum ManualPage {
  /// The day of the version, so that the same sources always make the same page.
  static let source = (name: "reach \(Program.version)", date: "2026-11-30")
}

extension Roff {
  mutating func write(_ command: any Command.Type) {
    subsection("`\(command.name)`" + (command.operands.isEmpty ? "" : " \(command.operands)"))
    paragraphs("\(command.summary).".sentence)
    paragraphs(command.details)
    for option in command.options {
      let help = "\(option.help)."
      // Where it begins with one of the words, that word stays as it is.
      item(
        option.name + (option.value.map { " \($0)" } ?? ""),
        option.words == nil ? help.sentence : help)
    }
  }
}

extension String {
  /// With a capital at its beginning.
  fileprivate var sentence: String { prefix(1).uppercased() + dropFirst() }

  /// In the quotes that make it bold, unless it is all capitals.
  fileprivate var boldWhereFixed: String {
    contains(where: \.isLowercase) ? "`\(self)`" : self
  }
}

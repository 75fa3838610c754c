internal import Hooks
internal import Posix
internal import Reachability

/// Loads every script and runs nothing.
enum Check: Command {
  static let name = "check"
  static let summary = "load all hooks without running them, and tell what is wrong with them"
  static let operands = "[PATH…]"
  static let options = [CommonOption.json]

  static let details = """
    Lists what scripts declare, then a line for each fault and each warning. The answer is no, exit
    status 1, where there is a fault. After an error nothing more is known of a file; others go on.
    With --json the kind of an object is "script" or "finding".

    \(codes)
    """

  static func run(_ arguments: Arguments) throws -> ExitCode {
    let survey = try ScriptSurvey(arguments.pathsOrStandard(example: "reach check greet.lua"))
    let asJSON = arguments.has(CommonOption.json)
    for check in survey.checks {
      guard case .success(let declarations) = check.result else { continue }
      StandardStream.output.write(
        asJSON ? json(check.source, declarations) : text(check.source, declarations))
    }
    StandardStream.output.write(
      asJSON ? survey.findings.map(json).joined() : survey.findings.table)
    if survey.checks.isEmpty, survey.findings.isEmpty {
      StandardStream.error.write("reach check: no script there\n")
    }
    return survey.findings.contains { $0.severity == .fault } ? .no : .success
  }

  /// The codes of findings with what they stand for.
  private static var codes: String {
    var text = ""
    for (severity, title) in [(ScriptFinding.Severity.fault, "Faults"), (.warning, "Warnings")] {
      text += "\(text.isEmpty ? "" : "\n")\(title):\n\n"
      for code in ScriptFinding.Code.allCases where code.severity == severity {
        text += "  \(CommandLineInterface.padded(code.rawValue, 16)) \(code.summary)\n"
      }
    }
    return text
  }

  private static func text(_ source: ScriptSource, _ declarations: ScriptDeclarations) -> String {
    var text = "\(source.path.printable)\n"
    for target in declarations.watchedTargets {
      let subject = target.subject
      text += "  target \(target.name.printable)"
      if subject != target.name { text += " = \(subject.printable)" }
      if let probe = target.probe {
        text += ": \(probe.text.printable) every \(probe.every.text)"
      }
      for rule in target.rules { text += ", \(rule)" }
      text += "\n"
    }
    for row in declarations.summaries {
      let handlers = row.handlers.names.joined(separator: ", ")
      text += "  hook \(row.hook.printable) on \(row.target.name.printable): \(handlers)"
      if !row.options.isEmpty { text += "; \(row.options.joined(separator: ", ").printable)" }
      text += "\n"
    }
    return text
  }

  private static func json(_ finding: ScriptFinding) -> String {
    var writer = JSONWriter()
    writer.object { finding.write(to: &$0) }
    return writer.text + "\n"
  }

  private static func json(_ source: ScriptSource, _ declarations: ScriptDeclarations) -> String {
    var writer = JSONWriter()
    writer.object { json in
      json.field("kind", "script")
      json.field("script", source.name)
      json.field("path", source.path)
      json.key("targets")
      json.array { json in
        for target in declarations.watchedTargets {
          json.object { json in
            json.field("name", target.name)
            json.field("subject", target.subject)
            json.field("probe", target.probe?.text)
            target.writeRules(to: &json)
          }
        }
      }
      json.key("hooks")
      json.array { json in
        for row in declarations.summaries {
          json.object { json in
            json.field("name", row.hook)
            json.field("target", row.target.name)
            json.key("handlers")
            json.array { json in for handler in row.handlers.names { json.value(handler) } }
            row.write(to: &json)
          }
        }
      }
    }
    return writer.text + "\n"
  }
}

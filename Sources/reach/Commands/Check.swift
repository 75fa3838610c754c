internal import Hooks
internal import Posix
internal import Reachability

/// Loads every script and runs nothing.
enum Check: Command {
  static let name = "check"
  static let summary = "load all hooks without running them, and name every fault"
  static let operands = "[PATH…]"
  static let options = [CommonOption.json]

  static func run(_ arguments: Arguments) throws -> ExitCode {
    let discovery = try ScriptSource.discover(arguments.pathsOrStandard())
    let checks = ScriptCheck.check(discovery.sources)
    var faults = (discovery.refusals + checks.compactMap(\.fault)).map(\.description)
    var warnings: [String] = []
    let asJSON = arguments.has(CommonOption.json)
    for check in checks {
      guard case .success(let declarations) = check.result else { continue }
      StandardStream.output.write(
        asJSON ? json(check.source, declarations) : text(check.source, declarations))
      faults += declarations.obstacles
      warnings += declarations.warnings
    }
    for warning in warnings {
      StandardStream.error.write("reach check: warning: \(warning.printable)\n")
    }
    for fault in faults {
      StandardStream.error.write("reach check: \(fault.printable)\n")
    }
    if checks.isEmpty, faults.isEmpty {
      StandardStream.error.write("reach check: no script there\n")
    }
    return faults.isEmpty ? .success : .no
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

  private static func json(_ source: ScriptSource, _ declarations: ScriptDeclarations) -> String {
    var writer = JSONWriter()
    writer.object { json in
      json.field("script", source.name)
      json.field("path", source.path)
      json.key("targets")
      json.array { json in
        for target in declarations.watchedTargets {
          json.object { json in
            json.field("name", target.name)
            json.field("subject", target.subject)
            json.field("probe", target.probe?.text)
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

extension ScriptCheck {
  /// What is wrong with the script; nil where it could be loaded.
  var fault: ScriptError? {
    guard case .failure(let error) = result else { return nil }
    return error
  }
}

extension Arguments {
  /// The paths that were given after so many other operands, or the folder that is read where none
  /// is.
  func pathsOrStandard(after others: Int = 0) throws(UsageError) -> [String] {
    guard operands.count <= others else { return Array(operands.dropFirst(others)) }
    let folder = ScriptSource.standardFolder
    guard FileDescriptor.exists(folder) else {
      throw UsageError("there is no \(folder) yet; make it, or name a file: reach run greet.lua")
    }
    return [folder]
  }
}

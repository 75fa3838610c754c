internal import Hooks
internal import Posix

/// Runs the tests of hooks.
enum Test: Command {
  static let name = "test"
  static let summary = "run the tests of hooks, with a clock and a network of their own"
  static let operands = "[FILE…]"
  static let options = [filter]

  private static let filter = Option(
    "--filter", "TEXT", "only the tests whose names hold TEXT")

  static let details = """
    A FILE is a spec, such as greet_test.lua beside greet.lua, or a folder of them; the present
    folder where none is named. What hooks do is noted and not done, and no time passes but what a
    test lets pass. Results are TAP. The wall clock begins at 2026-01-05 12:00, in UTC.

    """

  static func run(_ arguments: Arguments) throws -> ExitCode {
    // The same everywhere, whoever runs them.
    Program.setTimeZone("UTC0")
    let files = try files(arguments.operands)
    let text = arguments.value(filter) ?? ""
    var output = TAP()
    StandardStream.output.write("TAP version 14\n")
    for file in files {
      if files.count > 1 { StandardStream.output.write("# \(file.printable)\n") }
      let spec = try Spec(file)
      let before = output.count
      do throws(ScriptError) {
        try spec.run(matching: text) { result in
          StandardStream.output.write(output.line(result))
        }
      } catch {
        StandardStream.output.write(
          output.line(Spec.Result(name: file, failure: error.description)))
      }
      if text.isEmpty && output.count == before {
        let failure = "no test in it, as in it(\"…\", function() … end)"
        StandardStream.output.write(output.line(Spec.Result(name: file, failure: failure)))
      }
    }
    StandardStream.output.write(output.plan)
    if output.count == 0 { throw UsageError("no test whose name holds \"\(text.printable)\"") }
    return output.failures == 0 ? .success : .no
  }

  private static func files(_ operands: [String]) throws -> [String] {
    var files: [String] = []
    for operand in operands.isEmpty ? ["."] : operands {
      guard FileKind(of: operand) == .folder else {
        let spec = operand.hasSuffix(".lua") ? "\(operand.dropLast(4))_test.lua" : operand
        guard operand.hasSuffix("_test.lua") || FileKind(of: spec) == .missing else {
          throw UsageError("\(operand.printable) is a hook; its spec is \(spec.printable)")
        }
        files.append(operand)
        continue
      }
      let specs = try Spec.files(inFolder: operand)
      guard !specs.isEmpty else {
        let place = operands.isEmpty ? "this folder" : operand.printable
        throw UsageError(
          "no *_test.lua in \(place); reach new NAME writes a hook with its tests")
      }
      files += specs
    }
    return files
  }
}

/// What the Test Anything Protocol says of results; https://testanything.org.
private struct TAP {
  private(set) var count = 0
  private(set) var failures = 0

  /// The line of a result, with what is wrong beneath it.
  mutating func line(_ result: Spec.Result) -> String {
    count += 1
    // A `#` would begin a directive.
    let name = result.name.printable.replacing("#", with: "\\#")
    guard let failure = result.failure else { return "ok \(count) - \(name)\n" }
    failures += 1
    var text = "not ok \(count) - \(name)\n  ---\n  message: |\n"
    for line in failure.split(separator: "\n", omittingEmptySubsequences: false) {
      text += "    \(String(line).printable)\n"
    }
    if !result.deeds.isEmpty { text += "  done, the last first: |\n" }
    for deed in result.deeds.prefix(TAP.mostDeeds) { text += "    \(deed.printable)\n" }
    return text + "  ...\n"
  }

  private static let mostDeeds = 5

  var plan: String { "1..\(count)\n" }
}

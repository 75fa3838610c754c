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
    // Opened before anything is told of one.
    let specs = try files(arguments.operands).map { (path: $0, spec: try Spec($0)) }
    let text = arguments.value(filter) ?? ""
    var output = TAP()
    StandardStream.output.write("TAP version 13\n")
    for (path, spec) in specs {
      if specs.count > 1 { StandardStream.output.write("# \(path.printable)\n") }
      let before = output.count
      do throws(ScriptError) {
        try spec.run(matching: text) { result in
          StandardStream.output.write(output.line(result))
        }
      } catch {
        StandardStream.output.write(
          output.line(Spec.Result(name: path, failure: error.description)))
      }
      if text.isEmpty && output.count == before {
        let failure = "no test in it, as in it(\"…\", function() … end)"
        StandardStream.output.write(output.line(Spec.Result(name: path, failure: failure)))
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
        try refuseOther(than: operand)
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

  /// Refuses a file that is there and is no spec by its name, with what is meant instead.
  private static func refuseOther(than path: String) throws {
    guard !ScriptSource.isSpec(path), FileKind(of: path) != .missing else { return }
    let file = path.printable
    guard path.hasSuffix(".lua") else {
      throw UsageError("\(file) is no spec; its name would end in _test.lua")
    }
    // A hook NAME/main.lua is called after its folder, beside which its spec is.
    let name = path.hasSuffix("/main.lua") ? path.dropLast(9) : path.dropLast(4)
    let spec = "\(name)_test.lua"
    guard FileKind(of: spec) == .missing else {
      throw UsageError("\(file) is a hook; its spec is \(spec.printable)")
    }
    let text = try ScriptSource(name: "", path: path).read()
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    let hasTests = lines.contains { line in
      let start = line.drop { $0 == " " || $0 == "\t" }
      return start.hasPrefix("describe(") || start.hasPrefix("it(")
    }
    guard !hasTests else {
      throw UsageError("\(file) has tests; call it NAME_test.lua, after its hook NAME.lua")
    }
    throw UsageError("\(file) has no spec \(spec.printable) yet; reach new writes one")
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
    let name = result.name.printable.replacing("\\", with: "\\\\").replacing("#", with: "\\#")
    guard let failure = result.failure else { return "ok \(count) - \(name)\n" }
    failures += 1
    let message = failure.split(separator: "\n", omittingEmptySubsequences: false)
    var text = "not ok \(count) - \(name)\n  ---\n"
    text += TAP.field("message", message.map { String($0).printable })
    if !result.deeds.isEmpty {
      text += TAP.field("done", result.deeds.prefix(TAP.mostDeeds).map(\.printable))
    }
    return text + "  ...\n"
  }

  private static let mostDeeds = 5

  /// Lines as YAML that any reader of TAP takes.
  private static func field(_ name: String, _ lines: [String]) -> String {
    // Of a block the first line says where all begin.
    guard lines.first?.hasPrefix(" ") == true else {
      return "  \(name): |\n" + lines.map { "    \($0)\n" }.joined()
    }
    let text = lines.joined(separator: "\n").replacing("\\", with: "\\\\")
      .replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    return "  \(name): \"\(text)\"\n"
  }

  var plan: String { "1..\(count)\n" }
}

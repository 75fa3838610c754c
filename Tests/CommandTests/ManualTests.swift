import TestSupport
import Testing

@testable import reach

@Suite struct ManualPages {
  /// The page as a terminal of 80 columns shows it.
  private func shown(_ page: String) throws -> String {
    let folder = try TemporaryFolder()
    return try Reach.shell(
      "\"$REACH\" --manual \(page) > page; MANWIDTH=80 man -l page | col -bx", in: folder.path
    ).output
  }

  @Test(arguments: ["reach.1", "reach-hooks.5"])
  func `man and mandoc read them without a warning`(page: String) throws {
    let folder = try TemporaryFolder()
    let result = try Reach.shell(
      """
      "$REACH" --manual \(page) > \(page)
      LC_ALL=C.UTF-8 man --warnings -l \(page) 2>&1 >shown
      LC_ALL=C man --warnings -l \(page) 2>&1 >/dev/null
      mandoc -T lint -W warning \(page)
      """, in: folder.path)
    #expect(result.output == "")
    #expect(result.errors == "")
    #expect(result.code == 0)
  }

  @Test func `reach(1) has every command with every option`() throws {
    let page = try shown("reach.1")
    let sections = page.split(separator: "\n").filter { $0.first?.isUppercase == true }.dropFirst()
    #expect(
      sections == [
        "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "TARGETS", "DURATIONS",
        "EXIT STATUS", "FILES", "ENVIRONMENT", "SIGNALS", "EXAMPLES", "SEE ALSO",
      ])
    for command in CommandLineInterface.commands {
      let operands = command.operands.isEmpty ? "" : " \(command.operands)"
      let heading = "\n   \(command.name)\(operands)\n".replacing("…", with: "...")
      let parts = page.split(separator: heading, omittingEmptySubsequences: false)
      #expect(parts.count == 2, "\(command.name) has one heading")
      let rest = parts.last ?? ""
      // Up to the next heading, which stands less deep than any text.
      let body = rest.firstMatch(of: /\n {0,3}[^ \n]/).map { rest[..<$0.range.lowerBound] } ?? rest
      for option in command.options {
        let line = option.name + (option.value.map { " \($0)" } ?? "")
        #expect(body.contains("       \(line)"), "\(command.name) \(line)")
      }
    }
  }

  @Test func `what is no text of ours comes out letter for letter`() throws {
    var page = Roff(
      "a", section: 1, "b", source: (name: "c", date: "2026-11-30"), placeholders: ["PATH"])
    page.section("NAME")
    page.line("a - b")
    page.section("TEXT")
    page.paragraphs(
      """
      .so /etc/passwd
      'it' is `\\fB
      x` and --for "~^" → ✓ PATH

        'kept
          as it is

      --
      """)
    page.item(".TP", "\\n(.x")
    page.example(".ex 'a' \\ `b`\n\n  --for …")
    let folder = try TemporaryFolder()
    try folder.write("page", page.text)
    let result = try Reach.shell(
      "LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l page | col -bx", in: folder.path)
    #expect(result.errors == "")
    #expect(
      result.output.split(separator: "\n").dropFirst().dropLast() == [
        "NAME", "       a - b", "TEXT",
        "       .so /etc/passwd 'it' is \\fB x and --for \"~^\" → ✓ PATH", "           'kept",
        "             as it is",
        "       --",
        "       .TP    \\n(.x", "           .ex 'a' \\ `b`", "             --for ...",
      ])
    #expect(page.text.contains("\\fB\\-\\-for\\fR"))
    #expect(page.text.contains("\\fIPATH\\fR"))
  }

  @Test func `the examples of reach(1) are commands as they are declared`() throws {
    var count = 0
    for line in CommandManual.examples.flatMap({ $0.lines.split(separator: "\n") })
    where line.hasPrefix("reach ") {
      let words = line.split(separator: " ").dropFirst().map(String.init)
      let command = try #require(
        CommandLineInterface.commands.first { $0.name == words.first }, "\(line)")
      let arguments = try Arguments(Array(words.dropFirst()), for: command.options)
      let least = Operand.list(command.operands).filter { !$0.isOptional }.count
      #expect(arguments.operands.count >= least, "\(line)")
      count += 1
    }
    #expect(count > 3)
  }

  @Test func `the example of reach-hooks(5) is a script without fault`() throws {
    let folder = try TemporaryFolder()
    try folder.write("example.lua", HookManual.example)
    let result = try Reach.run("check", "example.lua", in: folder.path)
    #expect(result.errors == "")
    #expect(result.output.contains("hook nas.lan on nas.lan: reachable, unreachable"))
  }

  @Test func `reach-hooks(5) tells of each name where it is to be found`() throws {
    let page = try shown("reach-hooks.5")
    for line in [
      "\n   reach.on(options)\n", "\n   target:wait(status, timeout?)\n",
      "\n   reach.internet (Target)\n", "\n              stable? (Duration|Durations)\n",
      "\n       \"no-route\"\n", "\n   Duration (number|string)\n",
      "\n   rehearsal:advance(duration)\n",
      "\n       returns result (RunResult)\n", "\n              timed_out (boolean)\n",
    ] {
      #expect(page.contains(line), "\(line)")
    }
  }

  @Test func `a page that is not there is named with those that are`() throws {
    let result = try Reach.run("--manual", "reach.9")
    #expect(result.code == 2)
    #expect(
      result.errors.hasPrefix(
        "reach --manual: exactly one page is needed: reach.1 or reach-hooks.5"))
  }
}

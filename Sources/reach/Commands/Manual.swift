internal import Posix

/// Prints a page of the manual for `make install`; not for people, who have man(1).
enum Manual: Command {
  static let name = "--manual"
  static let summary = "print a page of the manual in roff"
  static let operands = "PAGE"
  static let options: [Option] = []

  private static let pages: [(name: String, text: @Sendable () -> String)] = [
    ("reach.1", { CommandManual.page }), ("reach-hooks.5", { HookManual.page }),
  ]

  static func run(_ arguments: Arguments) throws -> ExitCode {
    guard let page = pages.first(where: { [$0.name] == arguments.operands }) else {
      let names = pages.map { $0.name }.joined(separator: " or ")
      throw UsageError("exactly one page is needed: \(names)")
    }
    StandardStream.output.write(page.text())
    return .success
  }
}

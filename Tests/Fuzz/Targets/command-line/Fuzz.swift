internal import Fuzzing
internal import Hooks
internal import Reachability

@testable internal import reach

/// The words of a command line, NUL between them: parsed as far as without effects.
@main enum CommandLineWords: Fuzzer {
  static func check(_ input: Input) {
    var words = input.text.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
    complete(words)
    let name = words.removeFirst()
    let command = CommandLineInterface.commands.first { $0.name == name } ?? Watch.self
    do { try read(words, command.options) } catch {
      expect(error is UsageError, "\(error) is about usage")
      let text = "\(error)"
      expect(text.printable == text, "\(text.debugDescription) is one printable line")
    }
  }

  /// What is offered for an unfinished line begins as its last word does, one line each.
  private static func complete(_ words: [String]) {
    let completion = Completion(
      interfaces: { ["lo", "a\nb"] }, hooks: { _ in [] }, shippedHooks: { ["leak-guard"] })
    let offer = completion.offer(for: words)
    guard case .words(let candidates) = offer else { return }
    expect(
      candidates.allSatisfy { $0.word.hasPrefix(words.last ?? "") }, "\(candidates) fit \(words)")
    expect(
      offer.text.count { $0 == "\n" } == candidates.count, "\(offer.text.debugDescription)")
  }

  private static func read(_ words: [String], _ options: [Option]) throws {
    let arguments = try Arguments(words, for: options)
    for option in options where option.value != nil {
      expect((try? arguments.count(option)).flatMap(\.self) ?? 1 >= 1, "a count is 1 at least")
      _ = try? arguments.duration(option)
    }
    _ = try arguments.monitorOptions()
    for operand in arguments.operands { _ = try Target(argument: operand) }
  }
}

internal import Fuzzing

@testable internal import Hooks

/// What comes over the control socket: a request, an answer, or the words of a request.
@main enum ControlRequestLines: Fuzzer {
  static func check(_ input: Input) {
    if let request = try? ControlRequest(line: Array(input.bytes)) { checkLine(of: request) }
    let words = input.text.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
    do throws(RequestError) {
      checkLine(of: try ControlRequest(words: words))
    } catch {
      let text = error.description
      expect(text.printable == text, "\(text.debugDescription) is one printable line")
    }
    if let reply = ControlReply(parsing: input.text) {
      expect(ControlReply(parsing: reply.message) == reply, "\(reply) is read as it is sent")
    }
  }

  private static func checkLine(of request: ControlRequest) {
    if case .fire(let fire) = request {
      let (event, handlers) = fire.call(on: "target", after: Told(), nil, at: 0)
      expect(!handlers.isEmpty, "a call calls something")
      expect(event.verdict.status != .unknown, "unknown is told to nobody")
    }
    guard let line = try? request.line() else { return }
    expect(line.utf8.allSatisfy { $0 > 0x1f && $0 < 0x7f }, "\(line.debugDescription) is one line")
    let again = try? ControlRequest(line: Array(line.utf8))
    expect(again == request, "\(line) is read as it is written")
  }
}

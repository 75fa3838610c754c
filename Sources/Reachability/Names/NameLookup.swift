internal import Posix

/// Finds out the addresses of one name from nameservers.
///
/// It asks under one whole name after the other, until one is there, and for both families at once.
/// Lives on an event loop.
final class NameLookup {
  typealias Step = NameResolution.Step

  private let channels: [DNSChannel]
  private var candidates: ArraySlice<String>
  private let noteStep: (Step) -> Void
  private var completion: ((NameAnswer) -> Void)?
  private var questions: [DNSQuestion] = []
  private var turns: [IPAddress.Family: NameserverTurns] = [:]
  private var answers: [IPAddress.Family: DNSAnswer] = [:]
  /// What kept an earlier whole name from being found out about.
  private var failure: DNSFailure?

  /// When the first question was asked.
  let start = BootInstant.now

  /// Begins; `completion` is called once, on the loop and never before this returns.
  ///
  /// - Parameters:
  ///   - candidates: the whole names, in order; at least one.
  ///   - channels: to the nameservers, in order; at least one.
  ///   - noteStep: takes each question that has ended.
  ///   - completion: takes what was found out.
  init(
    _ candidates: [String], asking channels: [DNSChannel],
    noting noteStep: @escaping (Step) -> Void, completion: @escaping (NameAnswer) -> Void
  ) {
    self.candidates = candidates[...]
    self.channels = channels
    self.noteStep = noteStep
    self.completion = completion
    askNextCandidate()
  }

  /// Ends it without an answer.
  func cancel() {
    completion = nil
    for question in questions { question.cancel() }
    questions = []
  }

  private func askNextCandidate() {
    guard let name = candidates.popFirst() else {
      return finish(failure.map { .failure($0) } ?? .absent)
    }
    answers = [:]
    questions = []
    for family in [IPAddress.Family.ipv4, .ipv6] {
      turns[family] = NameserverTurns(channels.count)
      ask(name, family, after: .failure(.notAsked))
    }
  }

  /// Asks the server whose turn it is; where none is left, the last failure stands.
  private func ask(_ name: String, _ family: IPAddress.Family, after last: DNSAnswer) {
    guard let turn = turns[family]?.next() else { return take(last, to: name, family) }
    let channel = channels[turn]
    let start = BootInstant.now
    let question = channel.ask(name, for: family) { [self] answer in
      noteStep(
        Step(
          server: channel.server, name: name, family: family, answer: answer,
          duration: BootInstant.now - start))
      guard case .failure(let failure) = answer else { return take(answer, to: name, family) }
      if failure == .silent { turns[family]?.note(silent: turn) }
      ask(name, family, after: answer)
    }
    questions.append(question)
  }

  /// Takes what stands about one family, and goes on once both are known.
  private func take(_ answer: DNSAnswer, to name: String, _ family: IPAddress.Family) {
    answers[family] = answer
    guard completion != nil, let ipv4 = answers[.ipv4], let ipv6 = answers[.ipv6] else { return }
    let found = NameAnswer(ipv4: ipv4, ipv6: ipv6)
    switch found {
    case .addresses: finish(found)
    case .absent: askNextCandidate()
    case .failure(let failure):
      self.failure = self.failure ?? failure
      // A server that fails for one domain may answer for the next, as the C library has it; where
      // nobody answers there is no use in going on.
      if failure == .failed { askNextCandidate() } else { finish(found) }
    }
  }

  private func finish(_ answer: NameAnswer) {
    let completion = completion
    self.completion = nil
    completion?(answer)
  }
}

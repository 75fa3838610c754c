public import Posix

/// One evaluation of a target with everything that led to it.
public struct Explanation: Sendable {
  /// The addresses of a host's name; nil for other subjects and where no answer came.
  public let addresses: [IPAddress]?
  /// What was asked and found, for each address in the order in which they are tried.
  public let findings: [Finding]
  /// What it amounts to.
  public let verdict: Verdict

  /// Judges a target once, without watching it; a host's name is resolved, which can take as long
  /// as the name servers do.
  ///
  /// - Parameters:
  ///   - target: what is judged.
  ///   - media: media that are not to be found out, by interface name.
  /// - Throws: what the kernel says where it cannot be asked.
  public init(of target: Target, media: [String: Medium] = [:]) throws(SystemError) {
    var kernel = try Kernel(media: media)
    try kernel.observe()
    addresses = Explanation.resolve(target)
    let evaluator = try kernel.evaluator()
    let queries = evaluator.queries(for: target.subject, addresses: addresses ?? [])
    let answers = try kernel.answers(to: queries)
    findings = evaluator.findings(for: target, queries: queries[...], answers: answers[...])
    if case .host = target.subject, findings.isEmpty {
      verdict = Verdict(.unreachable, reason: .dns, cause: .dns)
    } else {
      verdict = evaluator.verdict(for: target, queries: queries[...], answers: answers[...])
    }
  }

  private static func resolve(_ target: Target) -> [IPAddress]? {
    guard case .host(let name) = target.subject,
      case .addresses(let found) = NameAnswer(asking: name)
    else { return nil }
    return found
  }
}

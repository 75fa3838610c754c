public import Posix

/// One evaluation of a target with everything that led to it.
public struct Explanation: Sendable {
  /// The addresses of a host's name; nil for other subjects and where no answer came.
  public let addresses: [IPAddress]?
  /// What was asked and found, for each address in the order in which they are tried.
  public let findings: [Finding]
  /// What a probe found, where the target has one and the kernel a path.
  public let probe: ProbeResult?
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
    let evaluator = try kernel.evaluator(findsGateways: target.needsGatewayMAC)
    let queries = evaluator.queries(for: target.subject, addresses: addresses ?? [])
    let answers = try kernel.answers(to: queries)
    findings = evaluator.findings(for: target, queries: queries[...], answers: answers[...])
    var verdict = Verdict(.unreachable, reason: .dns, cause: .dns)
    if !findings.isEmpty {
      verdict = evaluator.verdict(for: target, queries: queries[...], answers: answers[...])
    }
    let found = findings.lazy.filter { $0.reason == nil }.compactMap(\.path.address)
    probe = try Explanation.probe(target, verdict, Array(found))
    if let probe {
      var machine = ProbeMachine(fall: 1, rise: 1)
      _ = machine.note(kernel: verdict)
      machine.note(probe, generation: machine.generation)
      verdict = machine.verdict(over: verdict)
    }
    self.verdict = verdict
  }

  /// Sends one probe to the addresses that have a path, and waits for its result.
  private static func probe(
    _ target: Target, _ verdict: Verdict, _ addresses: [IPAddress]
  ) throws(SystemError) -> ProbeResult? {
    guard let probe = target.probe, case .tcp(let port) = probe.kind, verdict.status == .reachable
    else { return nil }
    let loop = try EventLoop()
    let outcome = Box()
    let scope = verdict.path.interfaceIndex
    loop.post {
      _ = TCPProbe(addresses, scope: scope, port: port, timeout: probe.timeout, on: loop) {
        result in
        outcome.result.withLock { $0 = result }
        loop.stop()
      }
    }
    loop.run()
    return outcome.result.withLock { $0 }
  }

  private static func resolve(_ target: Target) -> [IPAddress]? {
    guard case .host(let name) = target.subject,
      case .addresses(let found) = NameAnswer(asking: name)
    else { return nil }
    return found
  }

  private final class Box: Sendable {
    let result = Lock<ProbeResult?>(nil)
  }
}

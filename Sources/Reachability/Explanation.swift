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
    addresses = if case .host(let name) = target.subject { Explanation.resolve(name) } else { nil }
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
    guard let probe = target.probe, verdict.status == .reachable else { return nil }
    var destination = ProbeDestination(
      addresses: addresses, interface: verdict.path.interfaceIndex)
    switch probe.destination {
    case .address(let address): destination.addresses = [address]
    case .host(let name): destination.addresses = resolve(name) ?? []
    case nil: break
    }
    if case .interface(let name) = target.subject { destination.boundInterface = name }
    let loop = try EventLoop()
    let outcome = Box()
    let aim = destination
    loop.post {
      _ = probe.begin(to: aim, on: loop) { result in
        outcome.result.withLock { $0 = result }
        loop.stop()
      }
    }
    loop.run()
    return outcome.result.withLock { $0 }
  }

  private static func resolve(_ name: String) -> [IPAddress]? {
    guard case .addresses(let found) = NameAnswer(asking: name) else { return nil }
    return found
  }

  private final class Box: Sendable {
    let result = Lock<ProbeResult?>(nil)
  }
}

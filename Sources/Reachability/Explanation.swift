public import Posix

/// One evaluation of a target with everything that led to it.
public struct Explanation: Sendable {
  /// How the addresses of host names were found out: the subject's, and that to which a probe goes.
  public let resolutions: [NameResolution]
  /// What was asked and found, for each address in the order in which they are tried.
  public let findings: [Finding]
  /// What a probe found, where the target has one and the kernel a path.
  public let probe: ProbeResult?
  /// What HTTP servers answered, address by address, in words that may come from outside.
  public let answers: [String]
  /// What kept the probe from being sent at all.
  public let obstacle: SystemError?
  /// What it amounts to.
  public let verdict: Verdict

  /// Judges a target once, without watching it; a host's name is resolved, which can take as long
  /// as the nameservers do.
  ///
  /// - Parameters:
  ///   - target: what is judged.
  ///   - media: media that are not to be found out, by interface name.
  /// - Throws: what the kernel says where it cannot be asked.
  public init(of target: Target, media: [String: Medium] = [:]) throws(SystemError) {
    var kernel = try Kernel(media: media)
    resolutions = try Explanation.resolve(target.hostNames, &kernel)
    try kernel.observe()
    kernel.managed = NetworkServices.interfacesNow()
    let evaluator = try kernel.evaluator(findsGateways: target.needsGatewayMAC)
    let own = resolutions.first { target.subject == .host($0.name) }
    let queries = evaluator.queries(for: target.subject, addresses: own?.addresses ?? [])
    let answers = try kernel.answers(to: queries)
    findings = evaluator.findings(for: target, queries: queries[...], answers: answers[...])
    var verdict = Verdict(.unreachable, reason: .dns, cause: .dns)
    if own?.isCutOff == true { verdict = Verdict(.unreachable, reason: .noRoute) }
    if !findings.isEmpty {
      verdict = evaluator.verdict(for: target, queries: queries[...], answers: answers[...])
    }
    let found = findings.lazy.filter { $0.reason == nil }.compactMap(\.path.address)
    let trace = Trace()
    probe = try Explanation.probe(target, verdict, Array(found), resolutions, trace)
    self.answers = trace.answers.withLock(\.self)
    let isProbed = target.probe != nil && verdict.status == .reachable
    obstacle = isProbed && probe == nil ? target.probe?.obstacle : nil
    if isProbed {
      var machine = ProbeMachine(fall: 1, rise: 1)
      _ = machine.note(kernel: verdict)
      if let probe { machine.note(probe, generation: machine.generation) }
      verdict = machine.verdict(over: verdict)
    }
    self.verdict = verdict
  }

  /// Sends one probe to the addresses that have a path, and waits for its result.
  private static func probe(
    _ target: Target, _ verdict: Verdict, _ addresses: [IPAddress],
    _ resolutions: [NameResolution], _ trace: Trace
  ) throws(SystemError) -> ProbeResult? {
    guard let probe = target.probe, verdict.status == .reachable else { return nil }
    var names = ProbeDestination.Names(own: addresses)
    if case .host(let name) = probe.destination {
      names.named = resolutions.first { $0.name == name }?.addresses ?? []
    }
    if target.asksNameservers {
      names.nameservers = ResolverSettings(reading: ResolverFiles()).nameservers
    }
    guard
      let destination = ProbeDestination(of: target, over: verdict.path, names)
    else { return nil }
    let loop = try EventLoop()
    loop.post {
      let client = HTTPClient(on: loop)
      _ = probe.begin(
        to: destination, on: loop, sharing: client,
        trace: { answer in trace.answers.withLock { $0.append(answer) } },
        completion: { result in
          trace.result.withLock { $0 = result }
          withExtendedLifetime(client) { loop.stop() }
        })
    }
    loop.run()
    return trace.result.withLock { $0 }
  }

  /// Resolves names one after the other.
  private static func resolve(
    _ names: [String], _ kernel: inout Kernel
  ) throws(SystemError) -> [NameResolution] {
    var resolutions: [NameResolution] = []
    for name in names {
      try kernel.observe()
      let evaluator = try kernel.evaluator()
      resolutions.append(try NameResolution(of: name, files: ResolverFiles(), &kernel, evaluator))
    }
    return resolutions
  }

  private final class Trace: Sendable {
    let answers = Lock<[String]>([])
    let result = Lock<ProbeResult?>(nil)
  }
}

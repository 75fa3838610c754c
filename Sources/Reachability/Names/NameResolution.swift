internal import Netlink
public import Posix

/// How the addresses of a name were found out, once.
public struct NameResolution: Sendable {
  /// One question to a nameserver, and what it said.
  public struct Step: Sendable {
    /// Who was asked.
    public let server: Nameserver
    /// The whole name: what was asked for may have had a domain appended.
    public let name: String
    /// Which addresses were asked for.
    public let family: IPAddress.Family
    /// What came back.
    public let answer: DNSAnswer
    /// How long that took.
    public let duration: Duration
  }

  /// Where the addresses come from.
  public enum Source: Sendable {
    /// The hosts file.
    case hostsFile
    /// Nameservers.
    case nameservers
    /// The C library, which asks services that only it knows.
    case system
  }

  /// The name.
  public let name: String
  /// Where its addresses come from.
  public let source: Source
  /// All of them, IPv4 first, then by value.
  public let addresses: [IPAddress]
  /// For how long they hold, where that is told.
  public let lifetime: Duration?
  /// The nameservers that were not asked, since there is no path to them, and why not.
  public let pathless: [(server: Nameserver, reason: Reason)]
  /// What the others were asked, in the order in which the answers came.
  public let steps: [Step]

  /// Whether there was nobody to ask.
  public var isCutOff: Bool { source == .nameservers && steps.isEmpty }
}

extension NameResolution {
  /// Resolves a name as a watch does, and waits for it: as long as nameservers and services take.
  ///
  /// - Parameters:
  ///   - name: what is resolved.
  ///   - files: what says how.
  ///   - kernel: is asked for paths to nameservers.
  ///   - evaluator: judges them.
  /// - Throws: what the kernel says where it cannot be asked.
  init(
    of name: String, files: ResolverFiles, _ kernel: inout Kernel, _ evaluator: Evaluator
  ) throws(SystemError) {
    let settings = ResolverSettings(reading: files)
    self.name = name
    switch settings.source(of: name) {
    case .file(let known):
      (source, addresses, lifetime, pathless, steps) = (.hostsFile, known, nil, [], [])
    case .system:
      let answer = NameAnswer(askingSystem: name)
      (source, pathless, steps) = (.system, [], [])
      (addresses, lifetime) = (answer.addresses, nil)
    case .nameservers(let candidates):
      source = .nameservers
      var queries: [RouteQuery] = []
      let judgement = NameserverJudgement(of: settings.nameservers, by: evaluator, &queries)
      let verdicts = judgement.verdicts(by: evaluator, queries, try kernel.answers(to: queries))
      pathless = verdicts.compactMap { server, verdict in
        verdict.reason.map { (server, $0) }
      }
      let servers = verdicts.filter { $0.verdict.status == .reachable }.map(\.server)
      let (answer, steps) = try NameResolution.ask(servers, candidates)
      (addresses, lifetime) = (answer.addresses, answer.lifetime)
      self.steps = steps
    }
  }

  /// Asks nameservers on a loop of its own.
  private static func ask(
    _ servers: [Nameserver], _ candidates: [String]
  ) throws(SystemError) -> (NameAnswer, [Step]) {
    guard !servers.isEmpty else { return (.failure(.unreachable), []) }
    let loop = try EventLoop()
    let result = Lock<(answer: NameAnswer, steps: [Step])>((.failure(.notAsked), []))
    loop.post {
      let channels = servers.compactMap { try? DNSChannel(to: $0, on: loop) }
      guard !channels.isEmpty else { return loop.stop() }
      _ = NameLookup(
        candidates, asking: channels,
        noting: { step in result.withLock { $0.steps.append(step) } },
        completion: { answer in
          result.withLock { $0.answer = answer }
          for channel in channels { channel.close() }
          loop.stop()
        })
    }
    loop.run()
    return result.withLock { $0 }
  }
}

extension NameAnswer {
  fileprivate var addresses: [IPAddress] {
    if case .addresses(let found, _, _) = self { found } else { [] }
  }

  fileprivate var lifetime: Duration? {
    if case .addresses(_, let lifetime, _) = self { lifetime } else { nil }
  }
}

internal import Posix

extension NetworkReachability {
  /// Asks the kernel now, whether or not it watches.
  ///
  /// Nothing is sent, not even a question to a name server: a host is judged by the default route,
  /// `localhost` by the loopback interface, and a probe is left out. Other services are not asked
  /// either: whether a path is metered stays unknown.
  ///
  /// - Throws: ``ReachabilityError/noKernelAccess(operation:code:)`` where the kernel cannot be
  ///   asked.
  public func query() throws(ReachabilityError) -> State {
    var asked = target
    asked.allowsWWAN = true
    asked.subject = target.subject.withoutNames
    do {
      return State(try Verdict(asking: asked), allowsWWAN: allowsWWAN)
    } catch {
      throw ReachabilityError(error)
    }
  }
}

extension Target.Subject {
  /// What stands for a host as long as its name must not be asked for.
  fileprivate var withoutNames: Self {
    guard case .host(let name) = self else { return self }
    // RFC 6761: these are the loopback addresses, whatever a name server says.
    let label = name.lowercased().split(separator: ".").last
    return label == "localhost" ? .address(IPAddress(ipv4: 0x7f00_0001)) : .internet
  }
}

extension Verdict {
  /// What the kernel says of a target now; one without a name.
  fileprivate init(asking target: Target) throws(SystemError) {
    var kernel = try Kernel(media: [:])
    try kernel.observe()
    let evaluator = try kernel.evaluator(findsGateways: target.needsGatewayMAC)
    let queries = evaluator.queries(for: target.subject)
    let answers = try kernel.answers(to: queries)
    self = evaluator.verdict(for: target, queries: queries[...], answers: answers[...])
  }
}

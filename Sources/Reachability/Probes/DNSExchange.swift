internal import Posix

/// Asks one name server for the addresses of a name, and passes if there are any.
///
/// Those of IPv4 are asked for first, and those of IPv6 where there are none.
final class DNSExchange: Exchange {
  private let loop: EventLoop
  private let name: String
  private let channel: DNSChannel
  private var started = BootInstant.now
  private var ended: ((ExchangeOutcome) -> Void)?

  /// How long to wait before asking again; then twice as long, and so on.
  static let patience = Duration.seconds(1)

  /// - Parameters:
  ///   - name: what is asked for.
  ///   - server: whom.
  ///   - interface: the interface through which it leaves; nil where the routes decide.
  ///   - timeout: how long the whole probe may take.
  ///   - loop: where it lives.
  ///   - ended: takes the outcome.
  /// - Throws: that this machine has no memory for it.
  init(
    asking name: String, of server: Nameserver, through interface: String?, timeout: Duration,
    on loop: EventLoop, ended: @escaping (ExchangeOutcome) -> Void
  ) throws(ProbeSocketError) {
    self.loop = loop
    self.name = name
    self.ended = ended
    var tries = 1
    while DNSExchange.patience * (1 << tries) <= timeout { tries += 1 }
    let count = tries
    channel = try ProbeSocketError.unavailable { () throws(SystemError) in
      // What is this machine's own cannot be reached through another interface.
      try DNSChannel(
        to: server, through: server.address.isLoopback ? nil : interface,
        timeout: DNSExchange.patience, tries: count, on: loop)
    }
    ask(.ipv4)
  }

  func cancel() {
    ended = nil
    channel.close()
  }

  private func ask(_ family: IPAddress.Family) {
    started = .now
    channel.ask(name, for: family) { [self] answer in take(answer, family) }
  }

  private func take(_ answer: DNSAnswer, _ family: IPAddress.Family) {
    switch answer {
    case .addresses: end(.passed(latency: BootInstant.now - started))
    case .noData where family == .ipv4: ask(.ipv6)
    case .noData, .noSuchName: end(.failed(.dns))
    case .failure(let failure):
      switch failure {
      // After a silence c-ares says no more of an error that followed.
      case .silent: end(.failed(channel.refusal ?? .timeout))
      case .failed, .refused, .notImplemented, .malformed: end(.failed(.dns))
      case .unreachable: end(.failed(channel.refusal ?? .refused))
      case .notAsked: end(.unavailable)
      }
    }
  }

  private func end(_ outcome: ExchangeOutcome) {
    let ended = ended
    self.ended = nil
    channel.close()
    ended?(outcome)
  }
}

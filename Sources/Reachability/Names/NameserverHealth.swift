internal import Posix

/// Which nameservers answer; time is an argument.
///
/// One that was silent is asked after the others for a while. Once all are, nothing is gained by
/// asking for thousands of names and waiting for each: one at a time is tried until somebody answers.
struct NameserverHealth {
  private var silentUntil: [Nameserver: BootInstant] = [:]
  private var lastAnswer: BootInstant?
  private var lastFailure = BootInstant(nanoseconds: 0)
  private var failures = 0

  /// When the next question may be asked while nobody answers; nil while somebody does.
  private(set) var nextAttempt: BootInstant?

  /// How long a silent server is asked after the others.
  static let patience = Duration.seconds(60)
  /// The longest wait between two attempts while nobody answers.
  static let longestWait = Duration.seconds(8)

  /// The servers in the order in which they are to be asked.
  func order(_ servers: [Nameserver], at now: BootInstant) -> [Nameserver] {
    let isSilent = { (server: Nameserver) in (silentUntil[server] ?? now) > now }
    return servers.filter { !isSilent($0) } + servers.filter(isSilent)
  }

  /// Notes what a server said.
  mutating func note(_ answer: DNSAnswer, of server: Nameserver, at now: BootInstant) {
    switch answer {
    case .failure(.silent), .failure(.unreachable):
      silentUntil[server] = now + NameserverHealth.patience
    case .failure(.notAsked): break
    default:
      silentUntil[server] = nil
      lastAnswer = now
      failures = 0
      nextAttempt = nil
    }
  }

  /// Notes that a name could not be found out about.
  ///
  /// - Parameters:
  ///   - start: when its first question was asked.
  ///   - now: the present.
  /// - Returns: whether nobody answers: no server has, about any name, since that start.
  mutating func noteFailure(since start: BootInstant, at now: BootInstant) -> Bool {
    if let lastAnswer, lastAnswer >= start { return false }
    // Those that were asked for at the same time fail at the same time.
    if nextAttempt != nil, start < lastFailure { return true }
    lastFailure = now
    nextAttempt = now + min(NameserverHealth.longestWait, .seconds(1) * (1 << min(failures, 8)))
    failures += 1
    return true
  }
}

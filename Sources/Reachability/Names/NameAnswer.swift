internal import Posix

/// What is found out about a name in one go.
enum NameAnswer: Equatable, Sendable {
  /// Its addresses, IPv4 first, then by value; for how long they hold, and the family that could not
  /// be found out about.
  case addresses([IPAddress], lifetime: Duration, unanswered: IPAddress.Family? = nil)
  /// It is not there, or has no address.
  case absent
  /// Nothing, and why.
  case failure(DNSFailure)

  /// What nameservers said about either family.
  ///
  /// Addresses of one family stand whatever became of the other; that there are none is known only
  /// once neither has failed. A name that is not there has addresses of no family.
  init(ipv4: DNSAnswer, ipv6: DNSAnswer) {
    switch (ipv4, ipv6) {
    case (.addresses(let left, let leftLifetime), .addresses(let right, let rightLifetime)):
      let all = (left + right).sorted().prefix(DNSAnswer.mostAddresses)
      self = .addresses(Array(all), lifetime: min(leftLifetime, rightLifetime))
    case (.addresses(let found, let lifetime), .failure):
      self = .addresses(found, lifetime: lifetime, unanswered: .ipv6)
    case (.failure, .addresses(let found, let lifetime)):
      self = .addresses(found, lifetime: lifetime, unanswered: .ipv4)
    case (.addresses(let found, let lifetime), _), (_, .addresses(let found, let lifetime)):
      self = .addresses(found, lifetime: lifetime)
    case (.noSuchName, _), (_, .noSuchName), (.noData, .noData): self = .absent
    case (.failure(let failure), _), (_, .failure(let failure)): self = .failure(failure)
    }
  }
}

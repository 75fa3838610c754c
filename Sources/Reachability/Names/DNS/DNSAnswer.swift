public import Posix

/// What one nameserver says to a question for the addresses of a name.
public enum DNSAnswer: Equatable, Sendable {
  /// Its addresses, IPv4 first, then by value; and for how long they hold, by the record that holds
  /// least.
  case addresses([IPAddress], lifetime: Duration)
  /// The name is there, without an address of the family that was asked for.
  case noData
  /// No such name is there: NXDOMAIN.
  case noSuchName
  /// No answer that says whether it is there.
  case failure(DNSFailure)

  /// More addresses than this of one name are not looked at.
  public static let mostAddresses = 32
}

/// Why a nameserver gave no answer.
public enum DNSFailure: String, Hashable, Sendable {
  /// Nothing came back in time.
  case silent
  /// It said SERVFAIL, or sent the question elsewhere.
  case failed
  /// It said REFUSED.
  case refused
  /// It cannot do what it was asked for: FORMERR, NOTIMP, or a code of a later time.
  case notImplemented = "not implemented"
  /// What came back is no answer.
  case malformed
  /// Nobody listens there, or no packet can be sent there.
  case unreachable
  /// This machine lacked what a question takes.
  case notAsked = "not asked"
}

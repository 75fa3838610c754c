public import Posix

/// What is sent to find out whether a target answers, and how its answers count.
public struct Probe: Hashable, Sendable {
  /// Where a probe goes that is not sent to its target's subject.
  public indirect enum Destination: Hashable, Sendable {
    /// An address, on the interface that `zone` names where it is given.
    case address(IPAddress, zone: String? = nil)
    /// A host name; as long as it has no address, probes fail with reason `dns`.
    case host(String)
  }

  /// What is sent.
  public enum Kind: Hashable, Sendable {
    /// A connection to a port, closed as soon as it stands.
    case tcp(port: UInt16)
    /// An echo request of ICMP, from a socket that takes no privilege; where the system allows this
    /// process none, `obstacle` says so and the target stays unknown.
    case icmp
    /// A name server is asked for the addresses of a name, at port 53; it passes if there are any.
    /// A subject without an address has the name servers of this system asked.
    case dns(name: String)
    /// A GET request of HTTP; where libcurl is missing, `obstacle` says so and the target stays
    /// unknown.
    indirect case http(HTTPCheck)
  }

  /// What is sent.
  public var kind: Kind
  /// Where to, for a subject that has no address of its own; else nil.
  public var destination: Destination?
  /// How often, give or take a tenth.
  public var every = Duration.seconds(30)
  /// How long an answer is waited for.
  public var timeout = Duration.seconds(3)
  /// How many failures in a row make a target unreachable.
  public var fall = 3
  /// How many passes in a row make it reachable again.
  public var rise = 2

  /// How often a probe may be sent.
  public static let intervals = Duration.milliseconds(100)...Duration.seconds(86400)
  /// How long one may take.
  public static let timeouts = Duration.milliseconds(10)...Duration.seconds(3600)

  /// A probe every 30 s that may take 3 s; three failures count, and two passes.
  public init(_ kind: Kind) { self.kind = kind }
}

/// What one probe found.
public enum ProbeResult: Hashable, Sendable {
  /// An answer, the time that it took, and the address that gave it.
  case pass(latency: Duration, address: IPAddress)
  /// None, and why; with a sign-in page's address where the reason is `portal`.
  case failure(Reason, url: String? = nil)
}

extension NetworkReachability {
  /// Whether a target can be reached, and over what.
  ///
  /// WiFi stands for all that is no mobile network, a cable among it, as it always has in this
  /// field; ``NetworkReachability/State/path`` tells the medium.
  public enum Status: Int, Hashable, Sendable, CaseIterable {
    /// Not known yet, or not watched.
    case unknown = -1
    /// Nothing leads there.
    case notReachable = 0
    /// A mobile network leads there.
    case reachableViaWWAN = 1
    /// Something else leads there: WiFi, a cable, the machine itself.
    case reachableViaWiFi = 2

    /// What flags amount to.
    ///
    /// A connection that must be made first counts where traffic or a demand makes it without a
    /// person.
    ///
    /// - Parameters:
    ///   - flags: how a packet would leave.
    ///   - allowsWWAN: whether a path over WWAN counts.
    public init(_ flags: Flags, allowsWWAN: Bool = true) {
      if !flags.letsPacketsLeave || (flags.isWWAN && !allowsWWAN) {
        self = .notReachable
      } else {
        self = flags.isWWAN ? .reachableViaWWAN : .reachableViaWiFi
      }
    }

    /// Whether the target can be reached, over whatever it is.
    public var isReachable: Bool { self == .reachableViaWWAN || self == .reachableViaWiFi }
  }

  /// What is known of a target at one moment.
  public struct State: Hashable, Sendable {
    /// Whether it can be reached, and over what.
    public let status: Status
    /// Why it cannot be reached; nil where it can, and where nothing is known.
    public let reason: Reason?
    private let verdict: Verdict

    /// How a packet would leave, whatever is allowed and whatever a probe says.
    public var flags: Flags { verdict.path.flags }
    /// The way there, as far as it is known: medium, interface, VPN, whether it is metered.
    public var path: Path { verdict.path }
    /// Whether it can be reached.
    public var isReachable: Bool { status.isReachable }
    /// Whether it can be reached over anything but WWAN.
    public var isReachableViaWiFi: Bool { status == .reachableViaWiFi }
    /// Whether it can be reached over WWAN.
    public var isReachableViaWWAN: Bool { status == .reachableViaWWAN }

    /// Nothing is known.
    static let unknown = State(.unknown, allowsWWAN: true)

    /// What a verdict amounts to.
    init(_ verdict: Verdict, allowsWWAN: Bool) {
      self.verdict = verdict
      switch verdict.status {
      case .unknown: status = .unknown
      case .unreachable, .portal: status = .notReachable
      case .reachable: status = Status(verdict.path.flags, allowsWWAN: allowsWWAN)
      }
      let isRefused = verdict.status == .reachable && status == .notReachable
      reason = isRefused && verdict.path.flags.isWWAN ? .wwanNotAllowed : verdict.reason
    }

    /// Whether there is nothing to tell to somebody who knows the other.
    func isAlike(_ other: State) -> Bool {
      status == other.status && flags == other.flags && verdict.isAlike(other.verdict)
    }
  }
}

extension NetworkReachability.State: CustomStringConvertible {
  /// `reachableViaWiFi: wired (eth0)`, `notReachable: no-carrier` or `unknown`.
  public var description: String {
    if let reason { return "\(status): \(reason.rawValue)" }
    guard isReachable, let medium = path.medium else { return "\(status)" }
    return "\(status): \(medium)" + (path.interface.map { " (\($0))" } ?? "")
  }
}

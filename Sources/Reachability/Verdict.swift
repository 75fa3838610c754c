/// What is claimed of a target at one moment, and why.
public struct Verdict: Hashable, Sendable {
  /// Whether it can be reached.
  public var status: Status
  /// Why not; nil when it can.
  public var reason: Reason?
  /// What brought the verdict about.
  public var cause: Cause
  /// How the kernel would send.
  public var path: Path
  /// The probe's round trip.
  public var latency: Duration?
  /// The sign-in page that a portal redirects to.
  public var url: String?

  /// A verdict, built by hand.
  public init(
    _ status: Status, reason: Reason? = nil, cause: Cause = .local, path: Path = Path(),
    latency: Duration? = nil, url: String? = nil
  ) {
    self.status = status
    self.reason = reason
    self.cause = cause
    self.path = path
    self.latency = latency
    self.url = url
  }

  /// What every target starts with.
  public static let unknown = Verdict(.unknown)

  /// The medium by which the target is reached; nil where it is not.
  public var via: Medium? {
    status == .reachable || status == .portal ? path.medium : nil
  }

  /// The properties that make a change when one of them differs.
  public enum Property: String, CaseIterable, Sendable {
    case status, via, vpn, metered, interface, gateway, ssid
  }

  /// Which properties differ between two verdicts.
  public func changes(from other: Verdict) -> [Property] {
    Property.allCases.filter { property in
      switch property {
      case .status: status != other.status
      case .via: via != other.via
      case .vpn: path.isVPN != other.path.isVPN
      case .metered: path.isMetered != other.path.isMetered
      case .interface: path.interface != other.path.interface
      case .gateway: path.gateway != other.path.gateway
      case .ssid: path.ssid != other.path.ssid
      }
    }
  }

  /// Whether nothing that a change is made of differs.
  public func isAlike(_ other: Verdict) -> Bool {
    status == other.status && via == other.via && path.isVPN == other.path.isVPN
      && path.isMetered == other.path.isMetered && path.interface == other.path.interface
      && path.gateway == other.path.gateway && path.ssid == other.path.ssid
  }
}

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
  public struct Changes: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Whether it can be reached.
    public static let status = Changes(rawValue: 1 << 0)
    /// The medium by which it is reached.
    public static let via = Changes(rawValue: 1 << 1)
    /// Whether a tunnel is used.
    public static let vpn = Changes(rawValue: 1 << 2)
    /// Whether the path is metered.
    public static let metered = Changes(rawValue: 1 << 3)
    /// The interface.
    public static let interface = Changes(rawValue: 1 << 4)
    /// The router.
    public static let gateway = Changes(rawValue: 1 << 5)
    /// The WiFi network.
    public static let ssid = Changes(rawValue: 1 << 6)

    /// Every property by its name in events.
    public static let named: [(name: String, change: Changes)] = [
      ("status", .status), ("via", .via), ("vpn", .vpn), ("metered", .metered),
      ("interface", .interface), ("gateway", .gateway), ("ssid", .ssid),
    ]
  }

  /// Which properties differ between two verdicts.
  public func changes(from other: Verdict) -> Changes {
    var changes: Changes = []
    if status != other.status { changes.insert(.status) }
    if via != other.via { changes.insert(.via) }
    if path.isVPN != other.path.isVPN { changes.insert(.vpn) }
    if path.isMetered != other.path.isMetered { changes.insert(.metered) }
    if path.interface != other.path.interface { changes.insert(.interface) }
    if path.gateway != other.path.gateway { changes.insert(.gateway) }
    if path.ssid != other.path.ssid { changes.insert(.ssid) }
    return changes
  }

  /// Whether nothing that a change is made of differs.
  public func isAlike(_ other: Verdict) -> Bool { changes(from: other).isEmpty }
}

/// Whether a target can be reached, as far as is known.
public enum Status: String, Hashable, Sendable, CaseIterable {
  /// Not yet judged; never told as unreachable.
  case unknown
  /// Nothing leads there, or its probe says so.
  case unreachable
  /// An HTTP probe met a sign-in page.
  case portal
  /// Packets can leave for it, and its probe, where it has one, passes.
  case reachable
}

/// Why a target is not reachable.
public enum Reason: String, Hashable, Sendable, CaseIterable {
  case noRoute = "no-route"
  case linkDown = "link-down"
  case noCarrier = "no-carrier"
  case noAddress = "no-address"
  case interfaceMissing = "interface-missing"
  case blackhole
  case prohibited
  case hostUnreachable = "host-unreachable"
  case filtered
  case notPermitted = "not-permitted"
  case dns
  case timeout
  case refused
  case reset
  case tls
  case httpStatus = "http-status"
  case portal
  case wwanNotAllowed = "wwan-not-allowed"
  case meteredNotAllowed = "metered-not-allowed"
  case networkDiffers = "network-differs"

  /// Whether the path went with its link or carrier, which no waiting brings back.
  public var isLossOfLink: Bool {
    self == .linkDown || self == .noCarrier || self == .interfaceMissing
  }
}

/// What brought a transition about.
public enum Cause: String, Hashable, Sendable, CaseIterable {
  /// This machine's link, address or route.
  case local
  /// The probe.
  case remote
  /// A name's resolution.
  case dns
  /// The first verdict after the daemon started.
  case restart
  /// The first verdict after a script was loaded anew.
  case reload
  /// The machine's waking from suspend.
  case resume
}

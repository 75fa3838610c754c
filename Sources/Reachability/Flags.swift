/// How a packet would leave, with the raw values of SCNetworkReachability.
public struct Flags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The path is one that comes and goes: ppp, a tunnel, WWAN.
  public static let transientConnection = Flags(rawValue: 1 << 0)
  /// A packet can leave for the target.
  public static let reachable = Flags(rawValue: 1 << 1)
  /// A connection must be made first.
  public static let connectionRequired = Flags(rawValue: 1 << 2)
  /// Traffic makes the connection.
  public static let connectionOnTraffic = Flags(rawValue: 1 << 3)
  /// Making the connection needs a person.
  public static let interventionRequired = Flags(rawValue: 1 << 4)
  /// A program's demand makes the connection.
  public static let connectionOnDemand = Flags(rawValue: 1 << 5)
  /// The target is an address of this machine.
  public static let isLocalAddress = Flags(rawValue: 1 << 16)
  /// No router lies between.
  public static let isDirect = Flags(rawValue: 1 << 17)
  /// The path leads over a mobile network.
  public static let isWWAN = Flags(rawValue: 1 << 18)

  /// Every flag by its name in events, in the order of the raw values.
  public static let named: [(name: String, flag: Flags)] = [
    ("transient_connection", .transientConnection), ("reachable", .reachable),
    ("connection_required", .connectionRequired), ("connection_on_traffic", .connectionOnTraffic),
    ("intervention_required", .interventionRequired),
    ("connection_on_demand", .connectionOnDemand), ("is_local_address", .isLocalAddress),
    ("is_direct", .isDirect), ("is_wwan", .isWWAN),
  ]
}

extension Flags {
  /// Whether the path is one that comes and goes: ppp, a tunnel, WWAN.
  public var isTransientConnection: Bool { contains(.transientConnection) }
  /// Whether a connection must be made first.
  public var isConnectionRequired: Bool { contains(.connectionRequired) }
  /// Whether traffic makes the connection.
  public var isConnectionOnTraffic: Bool { contains(.connectionOnTraffic) }
  /// Whether making the connection needs a person.
  public var isInterventionRequired: Bool { contains(.interventionRequired) }
  /// Whether a program's demand makes the connection.
  public var isConnectionOnDemand: Bool { contains(.connectionOnDemand) }
  /// Whether the target is an address of this machine.
  public var isLocalAddress: Bool { contains(.isLocalAddress) }
  /// Whether no router lies between.
  public var isDirect: Bool { contains(.isDirect) }
  /// Whether the path leads over a mobile network.
  public var isWWAN: Bool { contains(.isWWAN) }
  /// Whether a connection that comes and goes must be made first.
  public var isConnectionRequiredAndTransient: Bool {
    isSuperset(of: [.connectionRequired, .transientConnection])
  }

  /// Whether packets can leave, if need be over a connection that they or the program bring about.
  var letsPacketsLeave: Bool {
    guard contains(.reachable) else { return false }
    guard isConnectionRequired else { return true }
    return (isConnectionOnDemand || isConnectionOnTraffic) && !isInterventionRequired
  }
}

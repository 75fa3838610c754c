internal import Reachability

/// The events that a hook can have a handler for, named by what becomes true.
public struct HandlerSet: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The target becomes reachable.
  public static let reachable = HandlerSet(rawValue: 1 << 0)
  /// The target becomes unreachable.
  public static let unreachable = HandlerSet(rawValue: 1 << 1)
  /// A sign-in page stands before the target.
  public static let portal = HandlerSet(rawValue: 1 << 2)
  /// The target is reached by cable.
  public static let wired = HandlerSet(rawValue: 1 << 3)
  /// The target is reached by WiFi.
  public static let wifi = HandlerSet(rawValue: 1 << 4)
  /// The target is reached over a mobile network.
  public static let wwan = HandlerSet(rawValue: 1 << 5)
  /// Anything that a change is made of differs.
  public static let change = HandlerSet(rawValue: 1 << 6)

  /// Every handler by its name in scripts, in the order in which an event calls them.
  public static let named: [(name: String, handler: HandlerSet)] = [
    ("reachable", .reachable), ("unreachable", .unreachable), ("portal", .portal),
    ("wired", .wired), ("wifi", .wifi), ("wwan", .wwan), ("change", .change),
  ]

  /// The names of the handlers in the set, in order.
  public var names: [String] { HandlerSet.named.filter { contains($0.handler) }.map(\.name) }

  /// The handlers of what is true, without regard to what was before.
  init(of verdict: Verdict) {
    switch verdict.status {
    case .reachable: self = [.reachable, HandlerSet(medium: verdict.via)]
    case .unreachable: self = .unreachable
    case .portal: self = .portal
    case .unknown: self = []
    }
  }

  /// The handlers that an event calls: those of what becomes true by it; where it is no change,
  /// those of what is true.
  public init(matching event: Event) {
    self = HandlerSet(of: event.verdict)
    guard !event.changed.isEmpty else { return }
    insert(.change)
    guard event.was == event.verdict.status else { return }
    subtract([.reachable, .unreachable, .portal])
    if event.wasVia == event.verdict.via { subtract([.wired, .wifi, .wwan]) }
  }

  private init(medium: Medium?) {
    switch medium {
    case .wired: self = .wired
    case .wifi: self = .wifi
    case .wwan: self = .wwan
    default: self = []
    }
  }
}

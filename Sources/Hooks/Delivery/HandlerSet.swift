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

  /// The handlers that an event calls.
  public init(matching event: Event) {
    self = event.changed.isEmpty ? [] : .change
    // A repeat, which is no change, goes to the handlers of what is true.
    let isRepeat = event.changed.isEmpty
    if event.was != event.verdict.status || isRepeat {
      switch event.verdict.status {
      case .reachable: insert(.reachable)
      case .unreachable: insert(.unreachable)
      case .portal: insert(.portal)
      case .unknown: break
      }
    }
    guard event.verdict.status == .reachable,
      event.wasVia != event.verdict.via || event.was != .reachable || isRepeat
    else { return }
    switch event.verdict.via {
    case .wired: insert(.wired)
    case .wifi: insert(.wifi)
    case .wwan: insert(.wwan)
    default: break
    }
  }
}

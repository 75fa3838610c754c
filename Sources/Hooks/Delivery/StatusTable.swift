internal import Reachability

/// A value for each status that hooks hear of; nil where there is none.
struct StatusTable<Value: Hashable & Sendable>: Hashable, Sendable {
  private var unreachable: Value?
  private var portal: Value?
  private var reachable: Value?

  /// The statuses that hooks hear of.
  static var statuses: [Status] { [.reachable, .unreachable, .portal] }

  /// The same for every status.
  init(_ value: Value? = nil) {
    unreachable = value
    portal = value
    reachable = value
  }

  /// The value for a status; none for unknown, of which no hook hears.
  subscript(status: Status) -> Value? {
    get {
      switch status {
      case .unknown: nil
      case .unreachable: unreachable
      case .portal: portal
      case .reachable: reachable
      }
    }
    set {
      switch status {
      case .unknown: break
      case .unreachable: unreachable = newValue
      case .portal: portal = newValue
      case .reachable: reachable = newValue
      }
    }
  }
}

internal import Reachability

/// The events that a hook can have a handler for, named by what becomes true.
public enum HandlerName: String, CaseIterable, Hashable, Sendable {
  case reachable, unreachable, portal, wired, wifi, wwan, change

  /// Which of a hook's handlers an event calls, in the order in which it calls them.
  public static func matching(_ event: Event, among handlers: Set<HandlerName>) -> [HandlerName] {
    allCases.filter { handlers.contains($0) && $0.matches(event) }
  }

  private func matches(_ event: Event) -> Bool {
    switch self {
    case .reachable: event.becomes(.reachable)
    case .unreachable: event.becomes(.unreachable)
    case .portal: event.becomes(.portal)
    case .wired: event.becomes(via: .wired)
    case .wifi: event.becomes(via: .wifi)
    case .wwan: event.becomes(via: .wwan)
    case .change: !event.changed.isEmpty
    }
  }
}

extension Event {
  fileprivate func becomes(_ status: Status) -> Bool {
    verdict.status == status && (was != status || isWithoutChange)
  }

  /// A medium becomes true when it changes, or when the target becomes reachable by it.
  fileprivate func becomes(via medium: Medium) -> Bool {
    verdict.status == .reachable && verdict.via == medium
      && (wasVia != medium || was != .reachable || isWithoutChange)
  }

  private var isWithoutChange: Bool { changed.isEmpty }
}

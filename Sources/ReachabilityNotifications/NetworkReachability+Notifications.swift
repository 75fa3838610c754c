public import Foundation
public import Reachability

extension NetworkReachability {
  /// The name of the notification that a state was found, the first one or another.
  ///
  /// Its object is the instance; its user info holds the status under ``statusKey``.
  public static let changeNotification = Notification.Name("ReachabilityChange")
  /// The key of the `NetworkReachability.Status` in a notification's user info.
  public static let statusKey = "status"

  /// Posts a notification for the state that stands, as soon as one does, and then for each change
  /// in order; a center that was given before gets no more.
  ///
  /// They are posted where closures are called, with the promises of
  /// ``NetworkReachability/onChange``: none comes once `stop()` has returned.
  public func postNotifications(to center: NotificationCenter = .default) {
    setObserver(NetworkReachability.notificationsName) { [weak self] state in
      guard let self else { return }
      center.post(
        name: NetworkReachability.changeNotification, object: self,
        userInfo: [NetworkReachability.statusKey: state.status])
    }
  }

  /// Posts no more notifications; none comes once this has returned.
  public func endNotifications() { setObserver(NetworkReachability.notificationsName, nil) }

  private static let notificationsName = "notifications"
}

extension Notification {
  /// The status that a notification of a reachability tells; nil in any other.
  public var reachabilityStatus: NetworkReachability.Status? {
    guard name == NetworkReachability.changeNotification else { return nil }
    return userInfo?[NetworkReachability.statusKey] as? NetworkReachability.Status
  }
}

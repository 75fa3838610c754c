import Foundation
import ReachabilityNotifications
import TestSupport
import Testing

@testable import Reachability

@Suite struct Notifications {
  private let reachability = NetworkReachability()
  private let center = NotificationCenter()

  private func tell(_ flags: Flags, _ round: Int) {
    var path = Path()
    path.flags = flags
    reachability.broadcast.take(Verdict(.reachable, path: path), ofRound: round)
  }

  @Test func `a notification tells the status, the first one too, until the end`() {
    let told = Record<NetworkReachability.Status?>()
    let name = NetworkReachability.changeNotification
    let token = center.addObserver(forName: name, object: reachability, queue: nil) {
      #expect($0.reachabilityStatus == $0.userInfo?["status"] as? NetworkReachability.Status)
      #expect($0.object is NetworkReachability)
      told.note($0.reachabilityStatus)
    }
    reachability.postNotifications(to: center)
    let round = reachability.broadcast.begin()
    tell(.reachable, round)
    tell(.reachable, round)
    tell([.reachable, .isWWAN], round)
    #expect(eventually { told.all == [.reachableViaWiFi, .reachableViaWWAN] })
    reachability.endNotifications()
    tell(.reachable, round)
    reachability.stop()
    #expect(told.all == [.reachableViaWiFi, .reachableViaWWAN])
    center.removeObserver(token)
  }

  @Test func `closure and notifications stand beside each other`() {
    let told = Record<String>()
    let token = center.addObserver(
      forName: NetworkReachability.changeNotification, object: nil, queue: nil
    ) { _ in told.note("notification") }
    reachability.onChange = { _ in told.note("closure") }
    reachability.postNotifications(to: center)
    tell(.reachable, reachability.broadcast.begin())
    #expect(eventually { told.all.sorted() == ["closure", "notification"] })
    center.removeObserver(token)
  }

  @Test func `another notification tells no status`() {
    let other = Notification(
      name: .init("other"), userInfo: ["status": NetworkReachability.Status.notReachable])
    #expect(other.reachabilityStatus == nil)
  }
}

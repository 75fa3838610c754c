import Posix
import Testing

@testable import Hooks

@Suite struct Notifications {
  private func at(_ seconds: Int64) -> BootInstant {
    BootInstant(nanoseconds: seconds * 1_000_000_000)
  }

  @Test func `ten are allowed at once, and one more each two seconds`() {
    var allowance = NotificationAllowance(at: at(100))
    let atOnce = (0..<12).map { _ in allowance.take(at: at(100)) }
    #expect(atOnce.filter(\.self).count == 10)
    #expect([101, 102, 103, 104].map { allowance.take(at: at($0)) } == [false, true, false, true])
    #expect((0..<12).filter { _ in allowance.take(at: at(9999)) }.count == 10)
  }

  @Test func `long texts are cut, and no entity with them`() {
    let notification = DesktopNotification(
      title: String(repeating: "t", count: 300), body: String(repeating: "&", count: 3000),
      urgency: .normal, script: "s", place: nil)
    #expect(notification.plainTitle.count == 200)
    #expect(notification.text(asMarkup: false) == String(repeating: "&", count: 1999) + "…")
    #expect(notification.text(asMarkup: true) == String(repeating: "&amp;", count: 1999) + "…")
  }
}

@Suite struct HiddenTextsInLogs {
  @Test(arguments: [
    ("say swordfish!", "say ***!"), ("swordfishswordfish", "******"), ("sword", "sword"),
    ("the key line-one-of-two", "the key ***"), ("line-one-of-two\nshort", "***"),
    ("only short", "only short"), ("line-one-of-two\\nshort", "***"),
    ("a\\u{1b}b and a\u{1b}b", "*** and ***"),
  ])
  func `what is hidden is not shown, in whichever form`(text: String, shown: String) {
    var hidden = HiddenTexts()
    hidden.add("swordfish")
    hidden.add("line-one-of-two\nshort")
    hidden.add("a\u{1b}b")
    hidden.add("")
    #expect(hidden.redacting(text) == shown)
  }
}

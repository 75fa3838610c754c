import Posix
import Reachability
import Testing

@testable import Hooks

@Suite struct ToldTexts {
  private var told: Told {
    var path = Path()
    path.medium = .wifi
    path.isVPN = true
    path.isMetered = false
    path.interface = "wlan0"
    path.gateway = IPAddress("192.0.2.1")
    path.ssid = "Café \u{1}"
    var told = Told()
    told.last = Told.Heard(verdict: Verdict(.reachable, path: path), since: 1_700_000_000)
    told.calls[.reachable] = BootInstant(nanoseconds: 5)
    told.calls[.portal] = BootInstant(nanoseconds: 6)
    told.heldUntil = BootInstant(nanoseconds: 7)
    told.repeatsFrom = BootInstant(nanoseconds: 8)
    told.repeats = 3
    told.failures = 4
    told.text = TextDigest(value: .max)
    return told
  }

  @Test func `what was told comes back as it was`() {
    #expect(Told(told.text(boot: "b"), boot: "b") == told)
    var owed = told
    owed.unfinished = Told.Heard(verdict: Verdict(.unreachable), since: 9)
    #expect(Told(owed.text(boot: "b"), boot: "b") == owed)
    #expect(Told(Told().text(boot: "b"), boot: "b") == Told())
  }

  @Test func `the next boot knows what is owed, and nothing else`() {
    #expect(Told(told.text(boot: "b"), boot: "c") == nil)
    var owed = told
    owed.unfinished = Told.Heard(verdict: Verdict(.unreachable), since: 9)
    let next = Told(owed.text(boot: "b"), boot: "c")
    #expect(next?.last == owed.last)
    #expect(next?.unfinished == owed.unfinished)
    #expect(next?.calls == StatusTable())
    #expect(next?.heldUntil == nil)
    #expect(next?.repeatsFrom == nil)
    #expect(next?.repeats == 0)
    #expect(next?.failures == 0)
  }

  @Test(arguments: ["", "{}", "[]", #"{"last":{"status":"well","since":1}}"#, #"{"last":{}}"#])
  func `a text of another kind says nothing`(text: String) {
    #expect(Told(text, boot: "b") == nil)
  }
}

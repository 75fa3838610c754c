import Posix
import Reachability
import Testing

@testable import Hooks

@Suite struct TimelineRecorders {
  private let boot = BootInstant(nanoseconds: 5_000_000_000_000)

  private func recorder() -> TimelineRecorder { TimelineRecorder(offset: { _ in 3600 }) }

  private func transition(
    _ target: String, _ verdict: Verdict, after milliseconds: Double
  ) -> (target: String, transition: Transition) {
    let transition = Transition(
      target: TargetID(1), from: .unknown, to: verdict,
      instant: BootInstant(nanoseconds: boot.nanoseconds + Int64(milliseconds * 1e6)),
      time: 1_796_058_000 + Int64(milliseconds / 1000), sequence: 1)
    return (target, transition)
  }

  private func verdict(_ ssid: String) -> Verdict {
    var path = Path()
    path.medium = .wifi
    path.ssid = ssid
    path.flags = .reachable
    return Verdict(.reachable, path: path)
  }

  @Test func `second 0 is the first that happens, and each moment is written as one`() {
    var recorder = recorder()
    var text = recorder.note([
      transition("internet", verdict("Home"), after: 20),
      transition("my nas", Verdict(.unreachable, reason: .dns, cause: .dns), after: 20),
      transition("internet", verdict("Café"), after: 20),
    ])
    text += recorder.note([transition("my nas", verdict("Home"), after: 1270.9)])
    #expect(
      text == """
        @start 2026-11-30T18:00:00+01:00
        0 "my nas" unreachable reason=dns cause=dns
        0 internet reachable wifi ssid=Café
        1.25 "my nas" reachable wifi ssid=Home

        """)
  }

  @Test func `moments within one millisecond stay apart`() {
    var recorder = recorder()
    var text = ""
    for (name, time) in [("a", 0), ("b", 0.2), ("c", 0.4), ("d", 2.7), ("e", 5)] {
      text += recorder.note([transition("internet", verdict(name), after: time)])
    }
    let seconds = text.split(separator: "\n").dropFirst().map { $0.prefix { $0 != " " } }
    #expect(seconds == ["0", "0.001", "0.002", "0.003", "0.005"])
  }

  @Test func `nothing is written before something happens`() {
    var recorder = recorder()
    #expect(recorder.note([]) == "")
    #expect(recorder.note(suspendOf: .seconds(9), until: boot) == "")
  }

  @Test func `a suspend is written with when it began, and what it changed comes after it`() throws
  {
    var recorder = recorder()
    var text = recorder.note([transition("internet", verdict("Home"), after: 0)])
    text += recorder.note(
      suspendOf: .seconds(3600),
      until: BootInstant(nanoseconds: boot.nanoseconds + 3_700_400_000_000))
    text += recorder.note([transition("internet", verdict("Café"), after: 3_700_400.5)])
    #expect(
      text == """
        @start 2026-11-30T18:00:00+01:00
        0 internet reachable wifi ssid=Home
        100.4 @suspend 1h
        3700.4 internet reachable wifi ssid=Café

        """)
    #expect(try Timeline(parsing: Array(text.utf8), named: "t.txt").moments.count == 3)
  }

  @Test func `a suspend that seems to begin before what was told begins after it`() throws {
    var recorder = recorder()
    var text = recorder.note([transition("internet", verdict("Home"), after: 0)])
    let end = BootInstant(nanoseconds: boot.nanoseconds + 10_000_000_000)
    text += recorder.note(suspendOf: .seconds(11), until: end)
    text += recorder.note(suspendOf: .microseconds(1), until: end)
    #expect(text.hasSuffix("\n0.001 @suspend 9s999ms\n"))
    _ = try Timeline(parsing: Array(text.utf8), named: "t.txt")
  }
}

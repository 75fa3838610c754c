import Testing

@testable import Posix

@Suite struct DurationText {
  @Test(arguments: [
    ("250ms", Duration.milliseconds(250)), ("10s", .seconds(10)), ("1m30s", .seconds(90)),
    ("2h", .seconds(7200)), ("0", .zero), ("1.5s", .milliseconds(1500)),
  ])
  func `a duration is read from its units`(text: String, expected: Duration) {
    #expect(Duration(parsing: text) == expected)
  }

  @Test(arguments: ["", "10", "s", "1s1m", "1m1m", "-5s", "1e3s", "10 s", "5x", "..s"])
  func `what is no duration is refused`(text: String) {
    #expect(Duration(parsing: text) == nil)
  }

  @Test func `what 64 bits of nanoseconds do not hold is refused`() {
    #expect(Duration(parsing: "999999999h") == nil)
  }

  @Test(arguments: ["2562047h47m16.9s", "2562047h47m16.8547758s"])
  func `the longest durations count and are written without wrapping round`(text: String) throws {
    let duration = try #require(Duration(parsing: text))
    #expect(duration.nanoseconds > .max - 10)
    #expect(duration.text == "2562047h47m16s")
  }

  @Test(arguments: ["250ms", "10s", "1m30s", "2h", "0s", "1.5s", "1m0.5s", "59m1.001s", "1h5s"])
  func `a duration is written as it would be read`(text: String) {
    #expect(Duration(parsing: text)?.text == text)
  }

  @Test(arguments: ["999999999h", "153722868m", "999999999m"])
  func `a duration of centuries is refused or read, never a trap`(text: String) {
    // 292 years is what 64 bits of nanoseconds hold.
    #expect(Duration(parsing: text).map { $0 > .seconds(9_000_000_000) } ?? true)
  }

  @Test(arguments: [
    (Duration.nanoseconds(499_999), "0s"), (.nanoseconds(500_000), "1ms"),
    (.milliseconds(999), "999ms"),
    (.nanoseconds(999_600_000), "1s"), (.milliseconds(59_990), "59.99s"), (.seconds(60), "1m"),
    (.seconds(3600), "1h"), (.seconds(3661), "1h1m1s"), (.seconds(86400), "24h"),
    (.milliseconds(-1500), "-1.5s"), (.milliseconds(-20), "-20ms"), (.nanoseconds(-1), "0s"),
    (.milliseconds(1050), "1.05s"),
  ])
  func `a duration is written in the largest units`(duration: Duration, text: String) {
    #expect(duration.text == text)
  }

  @Test(arguments: [
    (Duration.zero, "0s"), (.nanoseconds(499), "0s"), (.nanoseconds(500), "0.001ms"),
    (.microseconds(7), "0.007ms"), (.microseconds(310), "0.31ms"), (.microseconds(1642), "1.64ms"),
    (.nanoseconds(9_996_000), "10ms"), (.microseconds(12_345), "12.3ms"),
    (.microseconds(253_444), "253ms"), (.nanoseconds(999_499_999), "999ms"),
    (.nanoseconds(999_500_000), "1s"), (.microseconds(2_001_364), "2s"),
    (.milliseconds(2_356), "2.36s"), (.seconds(90), "1m30s"), (.seconds(3661), "1h1m"),
  ])
  func `what was measured is written to three digits`(duration: Duration, text: String) {
    #expect(duration.measuredText == text)
  }

  @Test(arguments: [
    (Duration.zero, "0s"), (.nanoseconds(1), "0.000001ms"), (.microseconds(1640), "1.64ms"),
    (.milliseconds(1500), "1s500ms"), (.seconds(3661), "1h1m1s"), (.seconds(7200), "2h"),
    (.nanoseconds(3_600_000_000_001), "1h0.000001ms"),
    (.nanoseconds(Int64.max), "2562047h47m16s854.775807ms"),
  ])
  func `written exactly, a duration is read as the same`(duration: Duration, text: String) {
    #expect(duration.exactText == text)
    #expect(Duration(parsing: text) == duration)
  }

  @Test func `the longest durations are written too`() {
    #expect(Duration.seconds(Int64.max).text.hasSuffix("s"))
    #expect(Duration.seconds(Int64.min).text.hasPrefix("-"))
  }
}

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
}

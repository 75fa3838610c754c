import Testing

@testable import Posix

@Suite struct BootInstants {
  @Test func `the clock does not run backwards`() {
    var last = BootInstant.now
    for _ in 0..<1000 {
      let next = BootInstant.now
      #expect(next >= last)
      last = next
    }
  }

  @Test func `a moment that no timer can hold becomes the last one`() {
    #expect(BootInstant(nanoseconds: 5) + .nanoseconds(7) == BootInstant(nanoseconds: 12))
    #expect(BootInstant(nanoseconds: 5) + .seconds(Int64.max) == BootInstant(nanoseconds: .max))
  }

  @Test(arguments: [
    (Duration.milliseconds(1500), Int64(1_500_000_000)), (.zero, 0), (.seconds(-1), -1_000_000_000),
    (.seconds(Int64.max), Int64.max), (.seconds(Int64.min), Int64.min),
    (.seconds(9_223_372_036) + .milliseconds(900), Int64.max),
    (.seconds(-9_223_372_036) - .milliseconds(900), Int64.min),
  ])
  func `a duration in nanoseconds is at most what 64 bits hold`(
    duration: Duration, nanoseconds: Int64
  ) {
    #expect(duration.nanoseconds == nanoseconds)
  }
}

import Posix
import TestSupport
import Testing

@testable import Hooks

@Suite struct QuietHourPeriods {
  private let monday: Int64 = 1_796_000_400 / 86400 * 86400

  private func hours(_ text: String) throws -> QuietHours {
    try #require(QuietHours(parsing: text))
  }

  private func at(_ hour: Int64, _ minute: Int64 = 0, _ second: Int64 = 0) -> Int64 {
    monday + hour * 3600 + minute * 60 + second
  }

  @Test func `they are quiet from their first minute to before their last`() throws {
    let day = try hours("12:30-13:00")
    let utc: (Int64) -> Int64 = { _ in 0 }
    #expect(
      day.period(at: at(12, 29, 59), offset: utc)
        == .init(isQuiet: false, seconds: at(12, 29, 59)..<at(12, 30)))
    #expect(
      day.period(at: at(12, 30), offset: utc) == .init(isQuiet: true, seconds: at(12, 30)..<at(13)))
    #expect(
      day.period(at: at(13), offset: utc) == .init(isQuiet: false, seconds: at(13)..<at(36, 30)))
  }

  @Test func `they may lie over midnight`() throws {
    let night = try hours("22:00-07:00")
    let east: (Int64) -> Int64 = { _ in 3600 }
    #expect(
      night.period(at: at(20, 59), offset: east)
        == .init(isQuiet: false, seconds: at(20, 59)..<at(21)))
    #expect(
      night.period(at: at(23), offset: east) == .init(isQuiet: true, seconds: at(23)..<at(30)))
    #expect(night.period(at: at(2), offset: east) == .init(isQuiet: true, seconds: at(2)..<at(6)))
    #expect(
      try hours("22:00-24:00").period(at: at(23, 30), offset: { _ in 0 }).seconds.upperBound
        == at(24))
  }

  @Test func `a night in which the clock is set forward is an hour shorter`() throws {
    // At 01:00 UTC local time goes from 02:00 to 03:00.
    let step = at(25)
    let summer: (Int64) -> Int64 = { [step] in $0 < step ? 3600 : 7200 }
    #expect(
      try hours("22:00-07:00").period(at: at(22), offset: summer).seconds.upperBound == at(29))
    // An hour that is left out ends, and begins, with it.
    #expect(try hours("22:00-02:30").period(at: at(22), offset: summer).seconds.upperBound == step)
    #expect(try hours("02:30-07:00").period(at: at(22), offset: summer).seconds.upperBound == step)
    // One that lies in it alone does not come.
    #expect(
      try hours("02:10-02:50").period(at: at(22), offset: summer)
        == .init(isQuiet: false, seconds: at(22)..<at(48, 10)))
  }

  @Test func `a night in which the clock is set back is an hour longer`() throws {
    // At 01:00 UTC local time goes from 03:00 to 02:00.
    let step = at(25)
    let winter: (Int64) -> Int64 = { [step] in $0 < step ? 7200 : 3600 }
    #expect(
      try hours("22:00-07:00").period(at: at(22), offset: winter).seconds.upperBound == at(30))
    // An hour that comes twice is quiet twice.
    let early = try hours("02:15-02:45")
    #expect(early.period(at: at(24), offset: winter).seconds.upperBound == at(24, 15))
    #expect(early.period(at: at(24, 15), offset: winter).seconds.upperBound == at(24, 45))
    #expect(early.period(at: at(24, 45), offset: winter).seconds.upperBound == at(25, 15))
    #expect(early.period(at: at(25, 15), offset: winter).seconds.upperBound == at(25, 45))
    // The clock is set back into them.
    #expect(
      try hours("02:30-07:00").period(at: at(24, 45), offset: winter)
        == .init(isQuiet: true, seconds: at(24, 45)..<step))
  }

  @Test func `a period ends where looking at each second finds its end`() throws {
    var random = Seeded(7)
    for _ in 0..<300 {
      let step = at(Int64(random.below(48)), Int64(random.below(60)))
      let offsets = (0..<2).map { _ in
        Int64(random.below(27) - 12) * 3600 + Int64(random.below(4)) * 900
      }
      let far = abs(offsets[0] - offsets[1]) > 7200
      let offset: (Int64) -> Int64 = { $0 < step ? offsets[0] : far ? offsets[0] : offsets[1] }
      let start = random.below(1440)
      let hours = try self.hours(
        clock(start) + "-" + clock((start + 1 + random.below(1439)) % 1440))
      let time = at(Int64(random.below(48)), Int64(random.below(60)), Int64(random.below(60)))
      let period = hours.period(at: time, offset: offset)
      let isQuiet: (Int64) -> Bool = { second in
        let minute = Int((second + offset(second)) % 86400 / 60)
        return hours.start < hours.end
          ? minute >= hours.start && minute < hours.end
          : minute >= hours.start || minute < hours.end
      }
      #expect(period.isQuiet == isQuiet(time))
      var end = time
      while isQuiet(end) == period.isQuiet { end += 1 }
      #expect(period.seconds == time..<end, "\(hours.text)")
    }
  }

  private func clock(_ minute: Int) -> String {
    let digits = { (number: Int) in (number < 10 ? "0" : "") + "\(number)" }
    return "\(digits(minute / 60)):\(digits(minute % 60))"
  }

  @Test(arguments: [
    "", "-", "22:00", "22:00-", "22:00-07:00-", "2:00-07:00", "22.00-07.00", "22:60-07:00",
    "24:01-07:00", "25:00-07:00", "-1:00-07:00", "22:00 -07:00", "２２:00-07:00", "22:00–07:00",
  ])
  func `what is no pair of times is refused`(text: String) {
    #expect(QuietHours(parsing: text) == nil)
  }

  @Test func `the C library tells the steps of a time zone`() async {
    await #expect(processExitsWith: .success) {
      setTimeZone("CET-1CEST,M3.5.0,M10.5.0/3")
      // 2026-03-28 21:00 UTC, the evening before the clocks go forward.
      let evening: Int64 = 1_774_731_600
      let night = QuietHours(parsing: "22:00-07:00")
      let period = night?.period(at: evening, offset: WallClock.offset)
      precondition(period == .init(isQuiet: true, seconds: evening..<(evening + 8 * 3600)))
    }
  }
}

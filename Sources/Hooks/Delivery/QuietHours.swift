/// Hours of each day, by the clock on the wall, in which a hook hears nothing.
struct QuietHours: Hashable, Sendable {
  /// The minute of the day at which they begin.
  let start: Int
  /// The minute of the day at which they end, itself not one of them.
  let end: Int

  /// Reads `22:00-07:00`, also over midnight, and nil from anything else; `24:00` is midnight too.
  init?(parsing text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count == 2, let start = QuietHours.minute(parts[0]),
      let end = QuietHours.minute(parts[1])
    else { return nil }
    self.start = start % QuietHours.day
    self.end = end % QuietHours.day
  }

  /// Whether they begin and end at once.
  var isEmpty: Bool { start == end }

  /// As `22:00-07:00`.
  var text: String { "\(QuietHours.text(start))-\(QuietHours.text(end))" }

  private static let day = 24 * 60

  private static func minute(_ text: some Collection<UInt8>) -> Int? {
    let digits = text.map { Int($0) - 0x30 }
    guard digits.count == 5, digits[2] == 10,
      [0, 1, 3, 4].allSatisfy({ (0...9).contains(digits[$0]) })
    else { return nil }
    let hour = digits[0] * 10 + digits[1]
    let minute = digits[3] * 10 + digits[4]
    guard hour < 24 ? minute < 60 : hour == 24 && minute == 0 else { return nil }
    return hour * 60 + minute
  }

  private static func text(_ minute: Int) -> String {
    let digits = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
    return "\(digits(minute / 60)):\(digits(minute % 60))"
  }
}

extension QuietHours {
  /// A time in which it is quiet throughout, or not quiet throughout.
  struct Period: Hashable, Sendable {
    var isQuiet: Bool
    /// Unix seconds.
    var seconds: Range<Int64>
  }

  /// What a moment belongs to, until that ends.
  ///
  /// - Parameters:
  ///   - time: the moment, in Unix seconds.
  ///   - offset: how many seconds local time is ahead of UTC at a moment; where that changes the
  ///     clock on the wall decides, so that an hour may come twice or not at all.
  /// - Returns: the period from that moment on.
  func period(at time: Int64, offset: (Int64) -> Int64) -> Period {
    let isQuiet = isQuiet(time + offset(time))
    var end = time
    // A day has one change of the offset, where it has any.
    for _ in 0..<4 {
      end = nextStep(after: end, isQuiet, offset)
      if self.isQuiet(end + offset(end)) != isQuiet { break }
    }
    return Period(isQuiet: isQuiet, seconds: time..<end)
  }

  private func isQuiet(_ localTime: Int64) -> Bool {
    let minute = Int(floorRemainder(localTime, 86400) / 60)
    return start < end ? (start..<end).contains(minute) : !(end..<start).contains(minute)
  }

  /// When the clock on the wall will show the hour that ends the present state, or when it is set
  /// forward or back before that.
  private func nextStep(after time: Int64, _ isQuiet: Bool, _ offset: (Int64) -> Int64) -> Int64 {
    let present = offset(time)
    let second = Int64(isQuiet ? end : start) * 60
    let wait = floorRemainder(second - time - present, 86400)
    var late = time + (wait == 0 ? 86400 : wait)
    guard offset(late) != present else { return late }
    var early = time
    while late - early > 1 {
      let middle = early + (late - early) / 2
      if offset(middle) == present { early = middle } else { late = middle }
    }
    return late
  }

  private func floorRemainder(_ number: Int64, _ divisor: Int64) -> Int64 {
    let remainder = number % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}

/// A date and time of day to the second, of a clock that says how far it is ahead of UTC, or of
/// whoever reads it: `2026-11-30T18:00:00Z`, `2026-11-30T18:00:00+01:00`, `2026-11-30T18:00:00`.
public struct WallTime: Hashable, Sendable {
  /// The seconds since 1970-01-01 00:00 by that clock.
  private let local: Int64
  /// How many minutes it is ahead of UTC; nil for local time where it is read.
  private let offset: Int64?

  /// A moment as a clock shows it.
  ///
  /// - Parameters:
  ///   - seconds: the moment, in Unix seconds.
  ///   - offset: how many seconds the clock is ahead of UTC; UTC is taken where these are no whole
  ///     minutes.
  public init(_ seconds: Int64, offset: Int64) {
    let minutes = offset % 60 == 0 && WallTime.offsets.contains(offset / 60) ? offset / 60 : 0
    let most = WallTime.seconds(9999, 12, 31, 23, 59, 59)
    local = min(max(seconds, 86400), most - 86400) + minutes * 60
    self.offset = minutes
  }

  /// A time of whoever reads it, so many seconds after 1970-01-01 00:00 by their clock.
  init(local: Int64) {
    self.local = local
    offset = nil
  }

  /// The moment in Unix seconds.
  ///
  /// - Parameter localOffset: how many seconds local time is ahead of UTC at a moment, given in Unix
  ///   seconds.
  /// - Returns: what it is for the clock named in the text, and else for that of local time.
  public func seconds(offset localOffset: (Int64) -> Int64) -> Int64 {
    if let offset { return local - offset * 60 }
    return local - localOffset(local - localOffset(local))
  }
}

extension WallTime: CustomStringConvertible {
  /// Reads a date and time of RFC 3339, whose offset can be left out for local time; from 1970 on.
  ///
  /// - Throws: what is wrong with it.
  init(parsing text: String) throws(FieldError) {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int64? {
      let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
      guard range.upperBound <= bytes.count, bytes[range].allSatisfy(digits.contains) else {
        return nil
      }
      return bytes[range].reduce(0) { $0 * 10 + Int64($1 - digits.lowerBound) }
    }
    func has(_ signs: String, at places: Int...) -> Bool {
      zip(signs.utf8, places).allSatisfy { $1 < bytes.count && bytes[$1] == $0 }
    }
    guard has("--T::", at: 4, 7, 10, 13, 16), let year = number(0..<4), let month = number(5..<7),
      let day = number(8..<10), let hour = number(11..<13), let minute = number(14..<16),
      let second = number(17..<19)
    else {
      throw FieldError("\"\(text.printable)\" is not a time, as in 2026-11-30T18:00:00")
    }
    guard year >= 1970, (1...12).contains(month),
      (1...WallTime.days(inMonth: month, of: year)).contains(day), hour < 24, minute < 60,
      second < 60
    else { throw FieldError("there is no \(text.printable)") }
    local = WallTime.seconds(year, month, day, hour, minute, second)
    switch bytes.count {
    case 19: offset = nil
    case 20 where has("Z", at: 19): offset = 0
    case 25:
      guard has(":", at: 22), has("+", at: 19) || has("-", at: 19), let hours = number(20..<22),
        let minutes = number(23..<25), hours < 24, minutes < 60
      else { fallthrough }
      offset = (hours * 60 + minutes) * (has("-", at: 19) ? -1 : 1)
    default:
      throw FieldError(
        "\"\(text.printable)\" ends neither as local time does, nor with Z or an offset such as "
          + "+01:00")
    }
  }

  /// As it is read.
  public var description: String {
    let (year, month, day) = WallTime.date(local / 86400)
    let time = local % 86400
    let text =
      "\(WallTime.digits(year, 4))-\(WallTime.digits(month))-\(WallTime.digits(day))"
      + "T\(WallTime.digits(time / 3600)):\(WallTime.digits(time / 60 % 60))"
      + ":\(WallTime.digits(time % 60))"
    guard let offset else { return text }
    guard offset != 0 else { return text + "Z" }
    let distance = Int64(offset.magnitude)
    return text + (offset < 0 ? "-" : "+")
      + "\(WallTime.digits(distance / 60)):\(WallTime.digits(distance % 60))"
  }

  private static func digits(_ number: Int64, _ count: Int = 2) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}

extension WallTime {
  private static let offsets: ClosedRange<Int64> = -1439...1439

  private static func isLeap(_ year: Int64) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The days from 1970 to the beginning of a year; of the Gregorian calendar, as all of this.
  private static func days(before year: Int64) -> Int64 {
    let past = year - 1
    return 365 * (year - 1970) + past / 4 - past / 100 + past / 400
      - (1969 / 4 - 1969 / 100 + 1969 / 400)
  }

  private static func seconds(
    _ year: Int64, _ month: Int64, _ day: Int64, _ hour: Int64, _ minute: Int64, _ second: Int64
  ) -> Int64 {
    let months = (1..<month).reduce(0) { $0 + days(inMonth: $1, of: year) }
    let day = days(before: year) + months + day - 1
    return ((day * 24 + hour) * 60 + minute) * 60 + second
  }

  /// The date so many days after the first of 1970.
  private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // No year is longer, so it is this one or a later one.
    var year = 1970 + days / 366
    while self.days(before: year + 1) <= days { year += 1 }
    var day = days - self.days(before: year)
    var month: Int64 = 1
    while day >= self.days(inMonth: month, of: year) {
      day -= self.days(inMonth: month, of: year)
      month += 1
    }
    return (year, month, day + 1)
  }
}

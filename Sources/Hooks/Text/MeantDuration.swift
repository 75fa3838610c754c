internal import Posix

extension Duration {
  /// The duration that a text was meant to be which is none: `10s` for `10`, `10 s` and `10sec`, `24h`
  /// for `1d`; nil where that cannot be told.
  static func meant(by text: String) -> String? {
    guard text.utf8.count <= 64 else { return nil }
    var rest = text.lowercased().filter { $0 != " " }[...]
    var meant = ""
    while !rest.isEmpty {
      let number = rest.prefix { !$0.isLetter }
      let unit = rest.dropFirst(number.count).prefix(while: \.isLetter)
      rest = rest.dropFirst(number.count + unit.count)
      if let known = units.first(where: { $0.names.contains(String(unit)) })?.unit {
        meant += "\(number)\(known)"
      } else if ["d", "day", "days"].contains(unit), let days = Int16(number) {
        meant += "\(Int(days) * 24)h"
      } else {
        return nil
      }
    }
    return Duration(parsing: meant) == nil ? nil : meant
  }

  private static let units = [
    (unit: "ms", names: ["ms", "msec", "msecs", "millisecond", "milliseconds"]),
    (unit: "s", names: ["", "s", "sec", "secs", "second", "seconds"]),
    (unit: "m", names: ["m", "min", "mins", "minute", "minutes"]),
    (unit: "h", names: ["h", "hr", "hrs", "hour", "hours"]),
  ]
}

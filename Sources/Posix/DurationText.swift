extension Duration {
  /// Reads `250ms`, `10s`, `1m30s` or `2h`, and nil from anything else.
  ///
  /// Whole or decimal numbers with `ms`, `s`, `m` or `h`, in falling order; a bare `0` too.
  public init?(parsing text: some StringProtocol) {
    if text == "0" {
      self = .zero
      return
    }
    var rest = Substring(text)
    var total = Duration.zero
    var smallest = Unit.none
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && ($0.isWholeNumber || $0 == ".") }
      rest = rest.dropFirst(digits.count)
      let letters = rest.prefix { $0.isASCII && $0.isLetter }
      rest = rest.dropFirst(letters.count)
      guard let unit = Unit(rawValue: String(letters)), unit.isSmaller(than: smallest),
        let number = Double(digits), number < 1e9,
        let nanoseconds = Int64(exactly: (number * unit.nanoseconds).rounded())
      else { return nil }
      total += .nanoseconds(nanoseconds)
      smallest = unit
    }
    guard smallest != .none else { return nil }
    self = total
  }

  /// The duration in the largest units that hold it: `1m30s`, `250ms`, `0s`; to the millisecond
  /// below an hour, from there on to the second.
  public var text: String {
    let milliseconds = (nanoseconds.magnitude / 500_000 + 1) / 2
    if milliseconds == 0 { return "0s" }
    let sign = self < .zero ? "-" : ""
    if milliseconds < 1000 { return "\(sign)\(milliseconds)ms" }
    let seconds = milliseconds / 1000
    let fraction = milliseconds % 1000
    var text = sign
    if seconds >= 3600 { text += "\(seconds / 3600)h" }
    if seconds / 60 % 60 > 0 { text += "\(seconds / 60 % 60)m" }
    if fraction > 0, seconds < 3600 {
      let thousandths = String(1000 + fraction).dropFirst()
      text += "\(seconds % 60).\(String(thousandths).trimmingTrailingZeros)s"
    } else if seconds % 60 > 0 || text == sign {
      text += "\(seconds % 60)s"
    }
    return text
  }

  /// What was measured, to three digits and the microsecond: `0.31ms`, `1.64ms`, `253ms`, `2s`.
  public var measuredText: String {
    var step: UInt64 = 1000
    while nanoseconds.magnitude / 1000 >= step { step *= 10 }
    let rounded = (nanoseconds.magnitude + step / 2) / step * step
    guard rounded < 1_000_000_000, rounded % 1_000_000 > 0 else {
      return Duration.nanoseconds(Int64(clamping: rounded)).text
    }
    let fraction = String(1_000_000 + rounded % 1_000_000).dropFirst()
    return "\(rounded / 1_000_000).\(String(fraction).trimmingTrailingZeros)ms"
  }

  /// A duration that is not negative, to the nanosecond, as `init(parsing:)` reads it:
  /// `1h30m0.25ms`, `0s`.
  public var exactText: String {
    let total = max(0, nanoseconds)
    let seconds = total / 1_000_000_000
    let rest = total % 1_000_000_000
    var text = ""
    if seconds >= 3600 { text += "\(seconds / 3600)h" }
    if seconds / 60 % 60 > 0 { text += "\(seconds / 60 % 60)m" }
    if seconds % 60 > 0 || total == 0 { text += "\(seconds % 60)s" }
    if rest > 0 {
      let millionths = rest % 1_000_000
      let fraction = String(1_000_000 + millionths).dropFirst()
      text += "\(rest / 1_000_000)"
      if millionths > 0 { text += ".\(String(fraction).trimmingTrailingZeros)" }
      text += "ms"
    }
    return text
  }

  private enum Unit: String {
    case milliseconds = "ms"
    case seconds = "s"
    case minutes = "m"
    case hours = "h"
    case none = ""

    var nanoseconds: Double {
      switch self {
      case .milliseconds: 1e6
      case .seconds: 1e9
      case .minutes: 60e9
      case .hours: 3600e9
      case .none: .infinity
      }
    }

    func isSmaller(than other: Unit) -> Bool { self != .none && nanoseconds < other.nanoseconds }
  }
}

extension String {
  fileprivate var trimmingTrailingZeros: Substring {
    self[..<(lastIndex { $0 != "0" }.map(index(after:)) ?? startIndex)]
  }
}

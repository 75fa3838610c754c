/// A value of a message on D-Bus; variants are taken for what they hold.
public indirect enum BusValue: Hashable, Sendable {
  case boolean(Bool)
  /// Of any width; beyond 63 bits the greatest that fits.
  case integer(Int64)
  case number(Double)
  /// A string, an object's path or a signature.
  case string(String)
  case array([BusValue])
  /// An array of entries whose keys are strings or paths.
  case dictionary([String: BusValue])
  case structure([BusValue])

  /// The text, where it is one.
  public var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The whole number, where it is one.
  public var integer: Int64? {
    guard case .integer(let number) = self else { return nil }
    return number
  }

  /// The elements of an array or a structure.
  public var elements: [BusValue]? {
    switch self {
    case .array(let values), .structure(let values): values
    // An empty array of entries is an empty dictionary.
    case .dictionary(let entries) where entries.isEmpty: []
    default: nil
    }
  }

  /// The entries, where it is a dictionary.
  public var entries: [String: BusValue]? {
    switch self {
    case .dictionary(let entries): entries
    case .array(let values) where values.isEmpty: [:]
    default: nil
    }
  }
}

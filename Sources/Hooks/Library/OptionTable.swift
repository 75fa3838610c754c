internal import Lua
internal import Posix
internal import Reachability

/// An option that is not as it should be: which one, of what, and what it should be.
struct OptionError: Error {
  let message: String

  /// What a script wrote may be in the message, so it is made safe for a terminal.
  init(_ message: String) { self.message = message.printable }
}

/// The one table that a function of the library takes, read key by key; unknown keys are errors.
struct OptionTable {
  private let owner: String
  private let table: LuaTable

  /// - Parameters:
  ///   - arguments: what the function was called with.
  ///   - owner: the function, as errors call it.
  ///   - form: the keys it takes, and whether it takes items at 1, 2, 3 too.
  /// - Throws: what is not one table, or which key is unknown, with the nearest valid one.
  init(_ arguments: [LuaValue], for owner: String, as form: TableForm) throws(OptionError) {
    guard arguments.count == 1, case .table(let table)? = arguments.first else {
      throw OptionError("\(owner) takes one table: \(owner){ … }")
    }
    self.init(table, for: owner)
    try check(form)
  }

  private init(_ table: LuaTable, for owner: String) {
    self.table = table
    self.owner = owner
  }

  private func check(_ form: TableForm) throws(OptionError) {
    let keys = form.keys
    guard form.items != nil || table.array.isEmpty else {
      throw OptionError("\(owner): a value without a key; its keys are \(keys.listed)")
    }
    for field in table.fields {
      guard case .string(let key) = field.key else {
        throw OptionError("\(owner): a key that is no name; its keys are \(keys.listed)")
      }
      guard keys.contains(key) else {
        let hint = Nearest.match(to: key, among: keys)
        throw OptionError(
          "\(owner): unknown key \"\(key)\"; "
            + (form.instead[key] ?? hint.map { "did you mean \"\($0)\"?" }
              ?? "its keys are \(keys.listed)"))
      }
    }
  }

  /// The same table under a longer name, for errors that say which hook they are about.
  func named(_ name: String) -> OptionTable { OptionTable(table, for: "\(owner) \"\(name)\"") }

  /// The values at 1, 2, 3.
  var items: [LuaValue] { table.array }

  /// A value as it is.
  func value(_ key: String) -> LuaValue? { table[key] }

  func string(_ key: String) throws(OptionError) -> String? {
    switch table[key] {
    case nil: return nil
    case .string(let text)?: return text
    case let other?: throw mismatch(key, "a string", other)
    }
  }

  func bytes(_ key: String) throws(OptionError) -> [UInt8]? {
    guard let value = table[key] else { return nil }
    guard let bytes = value.stringBytes else { throw mismatch(key, "a string", value) }
    return bytes
  }

  func boolean(_ key: String) throws(OptionError) -> Bool? {
    switch table[key] {
    case nil: return nil
    case .boolean(let flag)?: return flag
    case let other?: throw mismatch(key, "true or false", other)
    }
  }

  func function(_ key: String) throws(OptionError) -> LuaFunction? {
    switch table[key] {
    case nil: return nil
    case .function(let function)?: return function
    case let other?: throw mismatch(key, "a function", other)
    }
  }

  /// Seconds as a number, or a text such as `10s`.
  func duration(_ key: String, least: Duration = .zero) throws(OptionError) -> Duration? {
    guard let value = table[key] else { return nil }
    let duration = try OptionTable.duration(value) { self.mismatch(key, $0, value) }
    guard duration >= least else {
      throw error("\"\(key)\" must be at least \(least.text), not \(value.described)")
    }
    return duration
  }

  /// How long a wait may take: 30 s, or what is left until the run's deadline where that is less.
  func timeout(within left: Duration) throws(OptionError) -> Duration {
    guard let timeout = try duration("timeout") else { return min(.seconds(30), left) }
    guard timeout <= left else {
      throw error(
        "a timeout of \(timeout.text) is longer than the \(left.text) left until the hook's deadline"
      )
    }
    return timeout
  }

  /// A whole number from 1.
  func count(_ key: String, least: Int64 = 1, most: Int64) throws(OptionError) -> Int? {
    guard let value = table[key] else { return nil }
    guard case .integer(let number) = value, (least...most).contains(number) else {
      throw mismatch(key, "a whole number from \(least) to \(most)", value)
    }
    return Int(number)
  }

  /// A table of strings by name.
  func strings(_ key: String) throws(OptionError) -> [(key: String, value: String)]? {
    guard let value = table[key] else { return nil }
    guard case .table(let inner) = value, inner.array.isEmpty else {
      throw mismatch(key, "a table of strings", value)
    }
    var pairs: [(key: String, value: String)] = []
    for field in inner.fields {
      guard case .string(let name) = field.key, case .string(let text) = field.value else {
        throw mismatch(key, "a table of strings", field.value)
      }
      pairs.append((name, text))
    }
    return pairs.sorted { $0.key < $1.key }
  }

  /// A table within the table, whose keys are checked too.
  func table(_ key: String, as form: TableForm) throws(OptionError) -> OptionTable? {
    guard let value = table[key] else { return nil }
    guard case .table(let inner) = value else { throw mismatch(key, "a table", value) }
    let options = OptionTable(inner, for: "\(owner): \(key)")
    try options.check(form)
    return options
  }

  /// One string, or a list of them.
  func texts(_ key: String, most: Int) throws(OptionError) -> [String] {
    let expected = "a string, or a list of 1 to \(most) of them"
    guard let value = table[key] else { return [] }
    guard case .table(let inner) = value else {
      guard case .string(let text) = value else { throw mismatch(key, expected, value) }
      return [text]
    }
    guard inner.fields.isEmpty, (1...most).contains(inner.array.count) else {
      throw mismatch(key, expected, value)
    }
    var texts: [String] = []
    for item in inner.array {
      guard case .string(let text) = item else { throw mismatch(key, expected, item) }
      texts.append(text)
    }
    return texts
  }

  /// One duration, or a table of durations by status.
  func durations(
    _ key: String, least: Duration = .zero
  ) throws(OptionError) -> StatusTable<Duration> {
    guard case .table(let inner)? = table[key] else {
      return StatusTable(try duration(key, least: least))
    }
    let options = OptionTable(inner, for: "\(owner): \(key)")
    try options.check(.durations)
    var durations = StatusTable<Duration>()
    for status in StatusTable<Duration>.statuses {
      durations[status] = try options.duration(status.rawValue, least: least)
    }
    return durations
  }

  /// One of a few words.
  func word(_ key: String, of words: [String]) throws(OptionError) -> String? {
    guard let value = table[key] else { return nil }
    guard case .string(let text) = value else {
      throw mismatch(key, words.listed(before: "or"), value)
    }
    guard words.contains(text) else {
      let hint = Nearest.hint(for: text, among: words)
      throw OptionError(mismatch(key, words.listed(before: "or"), value).message + hint)
    }
    return text
  }

  func error(_ complaint: String) -> OptionError { OptionError("\(owner): \(complaint)") }

  func mismatch(_ key: String, _ expected: String, _ value: LuaValue) -> OptionError {
    error("\"\(key)\" must be \(expected), not \(value.described)")
  }

  /// Reads a duration; `mismatch` makes the error where it is none, of what was expected.
  static func duration(
    _ value: LuaValue, _ mismatch: (String) -> OptionError
  ) throws(OptionError) -> Duration {
    let expected = "a duration: seconds, or a text such as \"10s\" or \"1h30m\""
    switch value {
    case .integer(let seconds) where (0...1_000_000_000).contains(seconds):
      return .seconds(seconds)
    case .number(let seconds) where seconds >= 0 && seconds <= 1e9:
      return .nanoseconds(Int64(seconds * 1e9))
    case .string(let text):
      if let duration = Duration(parsing: text) { return duration }
      let hint = Duration.meant(by: text).map { ": did you mean \"\($0)\"?" } ?? ""
      throw OptionError("\(mismatch(expected).message); the units are ms, s, m and h\(hint)")
    default: throw mismatch(expected)
    }
  }
}

extension LuaValue {
  /// What a message calls the value.
  var described: String {
    switch self {
    case .nil: "nil"
    case .boolean(let flag): "\(flag)"
    case .integer(let integer): "\(integer)"
    case .number(let number): "\(number)"
    case .string(let text): "\"\(text.prefix(40))\""
    case .bytes: "a string that is not UTF-8"
    case .table: "a table"
    case .function: "a function"
    case .object(let object): object.classID == LuaClass.target.id ? "a target" : "a timer"
    case .unsupported(let type): "a \(type)"
    }
  }

  /// The bytes of a string, or of a number as Lua writes it.
  var stringBytes: [UInt8]? {
    switch self {
    case .string(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    case .integer(let integer): Array("\(integer)".utf8)
    case .number(let number): Array("\(number)".utf8)
    default: nil
    }
  }
}

extension [String] {
  /// `a, b and c`.
  var listed: String { listed(before: "and") }

  func listed(before conjunction: String) -> String {
    guard count > 1, let last else { return first ?? "none" }
    return dropLast().joined(separator: ", ") + " \(conjunction) " + last
  }
}

/// Reads a type as lua-language-server does, and tells which names it is made of.
///
/// Names, literals, `a|b`, `a[]`, `a?`, `table<a, b>` and `fun(x?: a, ...: b): c`.
struct LuaType {
  private(set) var names: [String] = []
  /// What stands behind the type.
  private(set) var rest: Substring

  struct Unreadable: Error {
    let text: String
  }

  /// Reads a type at the beginning of a text.
  init(_ text: Substring) throws {
    rest = text
    try readUnion()
  }

  private mutating func readUnion() throws {
    repeat {
      try readUnit()
      while take("[]") || take("?") {}
    } while take("|")
  }

  private mutating func readUnit() throws {
    if take("(") {
      try readUnion()
      try need(")")
    } else if take("\"") {
      guard let end = rest.firstIndex(of: "\"") else { throw Unreadable(text: String(rest)) }
      rest = rest[rest.index(after: end)...]
    } else if take("fun(") {
      try readParameters()
      if take(":") {
        skipSpace()
        try readUnion()
      }
    } else {
      let name = rest.prefix { $0.isLetter || $0 == "." || $0 == "_" }
      guard !name.isEmpty else { throw Unreadable(text: String(rest)) }
      names.append(String(name))
      rest = rest[name.endIndex...]
      guard take("<") else { return }
      repeat {
        skipSpace()
        try readUnion()
      } while take(",")
      try need(">")
    }
  }

  private mutating func readParameters() throws {
    guard !take(")") else { return }
    repeat {
      skipSpace()
      if !take("...") {
        let name = rest.prefix { $0.isLetter || $0 == "_" }
        guard !name.isEmpty else { throw Unreadable(text: String(rest)) }
        rest = rest[name.endIndex...]
        _ = take("?")
      }
      try need(":")
      skipSpace()
      try readUnion()
    } while take(",")
    try need(")")
  }

  private mutating func skipSpace() { while take(" ") {} }

  private mutating func need(_ text: String) throws {
    guard take(text) else { throw Unreadable(text: String(rest)) }
  }

  private mutating func take(_ text: String) -> Bool {
    guard rest.hasPrefix(text) else { return false }
    rest = rest.dropFirst(text.count)
    return true
  }
}

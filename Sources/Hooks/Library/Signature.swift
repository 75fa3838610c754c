/// A key of a table, a parameter or a result, as the author of a script is told of it.
struct Field: Sendable {
  /// What scripts call it.
  let name: String
  /// Whether it may be left out, or be nil.
  let isOptional: Bool
  /// What it is, as language servers for Lua write types: `string`, `reach.Duration|boolean`.
  let type: String
  /// What it means.
  let summary: String

  /// - Parameters:
  ///   - name: what scripts call it, with `?` behind it where it may be left out or be nil.
  ///   - type: what it is, as language servers for Lua write types.
  ///   - summary: what it means.
  init(_ name: String, _ type: String, _ summary: String) {
    isOptional = name.hasSuffix("?")
    self.name = isOptional ? String(name.dropLast()) : name
    self.type = type
    self.summary = summary
  }
}

/// A function, as the author of a script is told of it.
struct Signature: Sendable {
  /// A global (`print`), a dotted name (`reach.log.info`) or a class's method (`target:wait`).
  let name: String
  var takes: [Field] = []
  var returns: Field?
  /// What it does, and an example.
  let summary: String
}

/// A table that scripts give or get.
///
/// What a function takes is checked by its form, so that no key is accepted that nobody is told of.
struct TableForm: Sendable {
  /// What editors call it: `reach.RunOptions`.
  let name: String
  let summary: String
  /// What its values at 1, 2, 3 are; nil where it has none.
  let items: String?
  let fields: [Field]
  /// What is said of keys that one may expect, and it does not have.
  let instead: [String: String]

  init(
    _ name: String, _ summary: String, items: String? = nil, instead: [String: String] = [:],
    _ fields: [Field]
  ) {
    self.name = name
    self.summary = summary
    self.items = items
    self.instead = instead
    self.fields = fields
  }

  /// The names of its fields, in order.
  var keys: [String] { fields.map(\.name) }
}

/// The few words that a value can be.
struct WordList: Sendable {
  /// What editors call it: `reach.Status`.
  let name: String
  let summary: String
  let words: [(word: String, meaning: String)]

  /// The words of an enumeration, each with what it means.
  init<Word: CaseIterable & RawRepresentable<String>>(
    _ name: String, _ summary: String, meaning: (Word) -> String
  ) {
    self.name = name
    self.summary = summary
    words = Word.allCases.map { ($0.rawValue, meaning($0)) }
  }

  /// A type of a few words that has no name: `"low"|"normal"`.
  static func union(_ words: [String]) -> String {
    words.map { "\"\($0)\"" }.joined(separator: "|")
  }
}

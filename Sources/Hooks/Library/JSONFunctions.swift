internal import Lua

extension LibraryFunction {
  static let jsonEncode = LibraryFunction(
    name: "reach.json.encode", takes: [Field("value", "any", "What is written.")],
    returns: Field("text", "string", "JSON, in one line."),
    summary: """
      Writes a value as JSON: `reach.json.encode{ status = e.status }`.

      A table with items is an array, any other an object, the empty one too; keys come in order.
      Nil is null. What JSON does not have is an error that names its place.
      """
  ) { _, call, results throws(OptionError) in
    guard call.arguments.count == 1, let value = call.arguments.first else {
      throw OptionError("reach.json.encode takes one value")
    }
    results.string(try JSONWriter.text(of: value, for: "reach.json.encode"))
    return .returned
  }

  static let jsonDecode = LibraryFunction(
    name: "reach.json.decode", takes: [Field("text", "string", "JSON.")],
    returns: Field("value", "any", "What it stands for."),
    summary: """
      Reads JSON: `reach.json.decode(answer.body).version`.

      Arrays and objects are tables, and null is nil: as if its key were not there. What is no JSON
      is an error that names the byte.
      """
  ) { _, call, results throws(OptionError) in
    let bytes: [UInt8]
    switch call.arguments.first {
    case .string(let text)?: bytes = Array(text.utf8)
    case .bytes(let other)?: bytes = other
    case let other:
      throw OptionError("reach.json.decode takes a string, not \((other ?? .nil).described)")
    }
    do throws(JSONReader.Fault) { results.value(try JSONReader.read(bytes)) } catch {
      throw OptionError("reach.json.decode: \(error)")
    }
    return .returned
  }
}

extension JSONWriter {
  /// A text of more bytes is refused.
  static let longest = 4 << 20

  /// A value of Lua as JSON.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - owner: what errors begin with.
  /// - Returns: the text, at most `longest` bytes.
  /// - Throws: which part of the value JSON does not have.
  static func text(of value: LuaValue, for owner: String) throws(OptionError) -> String {
    var writer = JSONWriter()
    var path = "value"
    do throws(Unwritable) { try writer.write(value, at: &path) } catch {
      throw OptionError("\(owner): \(error.complaint)")
    }
    guard writer.text.utf8.count <= JSONWriter.longest else {
      throw OptionError("\(owner): more than \(JSONWriter.longest >> 20) MiB of JSON")
    }
    return writer.text
  }

  private struct Unwritable: Error {
    let complaint: String
  }

  private mutating func write(_ value: LuaValue, at path: inout String) throws(Unwritable) {
    switch value {
    case .nil: self.value(nil as String?)
    case .boolean(let flag): self.value(flag)
    case .integer(let integer): self.value(integer)
    case .number(let number):
      guard number.isFinite else {
        throw Unwritable(complaint: "\(path): JSON has no number that is not finite")
      }
      self.value(number)
    case .string(let text):
      try makeRoom(for: text)
      self.value(text)
    case .bytes: throw Unwritable(complaint: "\(path): a string that is not UTF-8")
    case .table(let table): try write(table, at: &path)
    case .function, .object, .unsupported:
      throw Unwritable(complaint: "\(path): \(value.described) cannot be written as JSON")
    }
  }

  private mutating func write(_ table: LuaTable, at path: inout String) throws(Unwritable) {
    guard table.array.isEmpty || table.fields.isEmpty else {
      throw Unwritable(complaint: "\(path): both a list and a table with keys")
    }
    let length = path.utf8.count
    if !table.array.isEmpty {
      try enclose("[", "]") { json throws(Unwritable) in
        for (index, item) in table.array.enumerated() {
          path += "[\(index + 1)]"
          try json.write(item, at: &path)
          path.cut(to: length)
        }
      }
      return
    }
    let fields = try JSONWriter.fields(of: table, at: path)
    try enclose("{", "}") { json throws(Unwritable) in
      for (key, value) in fields {
        try json.makeRoom(for: key)
        json.key(key)
        path += ".\(key)"
        try json.write(value, at: &path)
        path.cut(to: length)
      }
    }
  }

  private static func fields(
    of table: LuaTable, at path: String
  ) throws(Unwritable) -> [(String, LuaValue)] {
    var fields: [(String, LuaValue)] = []
    for field in table.fields {
      guard case .string(let key) = field.key else {
        let gap = if case .integer = field.key { "; a list has no gaps" } else { "" }
        throw Unwritable(complaint: "\(path): a key that is \(field.key.described)\(gap)")
      }
      fields.append((key, field.value))
    }
    return fields.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
  }

  private func makeRoom(for text: String) throws(Unwritable) {
    guard self.text.utf8.count + text.utf8.count + 2 <= JSONWriter.longest else {
      throw Unwritable(complaint: "more than \(JSONWriter.longest >> 20) MiB of JSON")
    }
  }
}

extension String {
  /// Keeps so many bytes, which end where a character does.
  fileprivate mutating func cut(to length: Int) {
    self = String(decoding: utf8.prefix(length), as: UTF8.self)
  }
}

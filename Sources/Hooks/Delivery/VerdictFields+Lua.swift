internal import Lua
internal import Posix

extension VerdictFields {
  /// Sets a field by its name and a value of a script: truth values where events have them, seconds
  /// or a text for a duration, a whole number for the flags, and else a text.
  ///
  /// - Throws: what is wrong, with the nearest right thing.
  mutating func set(_ key: String, to value: LuaValue) throws(FieldError) {
    let field = try VerdictField.named(key, beside: ["status"])
    let mismatch = FieldError("\(key): \(value.described.printable) is not \(field.expectation)")
    let text: String
    switch (field.kind, value) {
    case (.text, .string(let string)): text = string
    case (.boolean, .boolean(let flag)): text = "\(flag)"
    case (.integer, .integer(let number)): text = "\(number)"
    case (.duration, _):
      do throws(OptionError) {
        text = try OptionTable.duration(value) { OptionError($0) }.exactText
      } catch {
        throw mismatch
      }
    default: throw mismatch
    }
    do throws(FieldError) { try set(key, to: text) } catch {
      // What a number is not is told without the quotes of a text.
      if case .integer = value { throw mismatch }
      throw error
    }
  }
}

/// One place among what a command takes beside options.
struct Operand: Equatable {
  /// What stands for it: `PATH`.
  let placeholder: String
  let isOptional: Bool
  let isRepeated: Bool

  /// Reads a command's operands as it declares them: `SCRIPT/HOOK STATUS [KEY=VALUE…]`.
  static func list(_ declaration: String) -> [Operand] {
    declaration.split(separator: " ").map { part in
      var word = part
      let isOptional = word.hasPrefix("[") && word.hasSuffix("]")
      if isOptional { word = word.dropFirst().dropLast() }
      let isRepeated = word.hasSuffix("…")
      if isRepeated { word = word.dropLast() }
      return Operand(
        placeholder: String(word), isOptional: isOptional, isRepeated: isRepeated)
    }
  }
}

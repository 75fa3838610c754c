/// A line of a text.
public struct LuaPosition: Hashable, Sendable {
  /// What the text was loaded as, whole: a path, where it is a file's.
  public var file: String
  /// The line, from 1.
  public var line: Int

  /// Names a line.
  public init(file: String, line: Int) {
    self.file = file
    self.line = line
  }
}

extension LuaPosition {
  /// What Lua's messages call a file: of a long name its end alone.
  ///
  /// As `luaO_chunkid` makes it, whose texts have 59 bytes at most (`LUA_IDSIZE`).
  private static func shortName(of file: String) -> String {
    let bytes = file.utf8
    return bytes.count <= 59 ? file : "..." + String(decoding: bytes.suffix(56), as: UTF8.self)
  }

  /// Reads the position at the beginning of a message, where it is a line of one of some files.
  ///
  /// - Parameters:
  ///   - message: what Lua says, such as `hook.lua:3: unexpected symbol`.
  ///   - files: the names of all texts that were loaded; of two that messages call alike the first
  ///     counts.
  /// - Returns: the position and what follows it; nil where the message begins otherwise.
  public static func read(
    from message: String, among files: [String]
  ) -> (position: LuaPosition, rest: String)? {
    for file in files {
      let name = Array((shortName(of: file) + ":").utf8)
      guard message.utf8.starts(with: name) else { continue }
      let rest = message.utf8.dropFirst(name.count)
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      let end = rest.dropFirst(digits.count)
      guard let line = Int(Substring(digits)), line > 0, end.starts(with: ": ".utf8) else {
        continue
      }
      return (LuaPosition(file: file, line: line), String(Substring(end.dropFirst(2))))
    }
    return nil
  }
}

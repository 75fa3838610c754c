internal import Posix

extension ScriptFinding {
  /// A warning of a spec that tests nothing; nil for one that has its hook.
  ///
  /// That is the script that it is named after, or one that it names itself: a text in quotes that
  /// leads to a script, as `reach.test` takes it.
  ///
  /// - Parameter path: the spec, a `*_test.lua`.
  init?(straySpec path: String) {
    let spec = ScriptSource(foundAt: path)
    let hook = String(spec.name.dropLast("_test".count))
    let folder = path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)
    let start = folder.hasSuffix("/") ? String(folder) : ""
    guard !ScriptFinding.isScript(hook, in: start) else { return nil }
    // One that cannot be read is not known to name none; `reach test` says what is wrong with it.
    guard let text = try? spec.read() else { return nil }
    let names = ScriptFinding.quotedTexts(in: text)
    guard !names.contains(where: { ScriptFinding.isScript($0, in: start) }) else { return nil }
    code = .straySpec
    script = spec.name
    file = path
    line = nil
    message =
      "there is no \(hook).lua beside it, nor \(hook)/main.lua, nor does it name another hook"
  }

  private static func isScript(_ name: String, in folder: String) -> Bool {
    guard !name.isEmpty, !name.utf8.contains(0) else { return false }
    let path = name.hasPrefix("/") ? name : folder + name
    let candidates = name.hasSuffix(".lua") ? [path] : ["\(path).lua", "\(path)/main.lua"]
    return candidates.contains { FileKind(of: $0) != .missing }
  }

  /// What stands between quotes or brackets, wherever in the text that is.
  private static func quotedTexts(in text: [UInt8]) -> Set<String> {
    var texts: Set<String> = []
    for quotes in ["\"", "'", "[]"] {
      for part in text.split(whereSeparator: { quotes.utf8.contains($0) || $0 == 0x0a }) {
        texts.insert(String(decoding: part, as: UTF8.self))
      }
    }
    return texts
  }
}

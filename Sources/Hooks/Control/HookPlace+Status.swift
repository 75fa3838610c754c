internal import Lua

extension HookPlace {
  /// The scripts, each before its hooks, in what a daemon answers to `status --json`.
  public static func all(inStatus text: String) -> [HookPlace] {
    guard case .table(let status)? = try? JSONReader.read(Array(text.utf8)) else { return [] }
    return status.tables("scripts").flatMap { script -> [HookPlace] in
      guard let name = script.text("script") else { return [] }
      let hooks = script.tables("hooks").compactMap { $0.text("name") }
      return [HookPlace(script: name)] + hooks.map { HookPlace(script: name, hook: $0) }
    }
  }

  private init(script: String, hook: String? = nil) {
    self.script = script
    self.hook = hook
  }
}

extension LuaTable {
  /// The tables in the list at a key.
  fileprivate func tables(_ key: String) -> [LuaTable] {
    guard case .table(let list)? = self[key] else { return [] }
    return list.array.compactMap { if case .table(let table) = $0 { table } else { nil } }
  }
}

/// What luacheck is told of all that scripts find: names alone.
///
/// See https://luacheck.readthedocs.io/en/stable/config.html.
struct LuacheckSettings {
  /// The whole `.luacheckrc`.
  static let text: String = {
    let lua =
      LuaNames.globals
      + LuaNames.libraries.flatMap { library in library.names.map { "\(library.name).\($0)" } }
    let hooks =
      lua + LibraryFunction.all.map(\.signature).filter { !$0.isMethod }.map(\.name)
      + LibraryValue.all.map(\.field.name)
    let specs =
      lua.filter { $0 != "assert" } + SpecFunction.shared.map(\.name)
      + SpecDeclarations.functions.filter { !$0.isMethod }.map(\.name)
      + [LibraryValue.hostName.name]
    return """
      -- What hooks and their specs (NAME_test.lua) find, for luacheck.
      -- \(EditorFile.mark)

      stds.reach = {
        read_globals = {
      \(Names(hooks).text(indent: "    "))
        },
      }
      stds.reach_test = {
        read_globals = {
      \(Names(specs).text(indent: "    "))
        },
      }
      std = "reach"
      files["**/*_test.lua"] = { std = "reach_test" }

      """
  }()

  /// Names, and those within them.
  private struct Names {
    private var within: [String: Names] = [:]

    init(_ names: [String] = []) { for name in names { insert(name) } }

    private mutating func insert(_ name: String) {
      let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
      var inner = within[parts[0]] ?? Names()
      if parts.count > 1 { inner.insert(parts[1]) }
      within[parts[0]] = inner
    }

    func text(indent: String, path: String = "") -> String {
      within.sorted { $0.key < $1.key }.map { name, inner in
        let path = path + name
        if path == LibraryValue.store.name {
          return "\(indent)\(name) = { read_only = false, other_fields = true },"
        }
        if inner.within.isEmpty { return "\(indent)\"\(name)\"," }
        return """
          \(indent)\(name) = {
          \(indent)  fields = {
          \(inner.text(indent: indent + "    ", path: path + "."))
          \(indent)  },
          \(indent)},
          """
      }.joined(separator: "\n")
    }
  }
}

/// What luacheck is told of all that scripts find: names alone.
///
/// See https://luacheck.readthedocs.io/en/stable/config.html.
struct LuacheckSettings {
  /// The whole `.luacheckrc`.
  static let text: String = {
    var hooks = Names()
    for name in LuaNames.globals { hooks.insert(name) }
    for (library, names) in LuaNames.libraries {
      for name in names { hooks.insert("\(library).\(name)") }
    }
    for function in LibraryFunction.all where !function.signature.isMethod {
      hooks.insert(function.name)
    }
    for value in LibraryValue.all { hooks.insert(value.field.name) }
    var specs = Names()
    for signature in SpecDeclarations.functions where !signature.isMethod {
      specs.insert(signature.name)
    }
    return """
      -- What hooks and their specs (NAME_test.lua) find, for luacheck.
      -- \(EditorFile.mark)

      stds.reach = {
        read_globals = {
      \(hooks.text(indent: "    "))
        },
      }
      stds.reach_test = {
        read_globals = {
      \(specs.text(indent: "    "))
        },
      }
      std = "reach"
      files["**/*_test.lua"] = { std = "+reach_test" }

      """
  }()

  /// Names, and those within them.
  private struct Names {
    private var within: [String: Names] = [:]

    mutating func insert(_ name: String) {
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

/// A file by which an editor knows what scripts find; it lies in their folder.
package struct EditorFile: Sendable {
  /// Where it lies, seen from the scripts' folder.
  package let path: String
  package let text: String

  /// The folder that it lies in; nil where that is the scripts'.
  package var folder: String? {
    path.lastIndex(of: "/").map { String(path[..<$0]) }
  }

  /// All that a folder of scripts wants.
  package static let all = [
    EditorFile(path: definitions, text: EditorDefinitions.text),
    EditorFile(path: ".luarc.json", text: languageServerSettings(library: "types")),
    EditorFile(path: ".luacheckrc", text: LuacheckSettings.text),
  ]

  private static let definitions = "types/reach.lua"

  /// The line by which a file is known to be ours: what is ours is kept up to date.
  static let mark = "Written by `reach new`, which keeps it up to date while this line is here."

  /// Whether a text is that of an older or newer version, to be written anew.
  package func replaces(_ text: String) -> Bool {
    self.text.contains(EditorFile.mark) && text.contains(EditorFile.mark)
  }

  /// The settings of lua-language-server, https://luals.github.io/wiki/settings.
  ///
  /// - Parameter library: the folder of the definitions, seen from that of the settings.
  /// - Returns: JSON.
  static func languageServerSettings(library: String) -> String {
    let builtins = LuaNames.disabledLibraries.map { "    \"\($0)\": \"disable\"" }
    return """
      {
        "runtime.version": "Lua 5.4",
        "runtime.builtin": {
      \(builtins.joined(separator: ",\n"))
        },
        "workspace.library": ["\(library)"],
        "workspace.checkThirdParty": false
      }

      """
  }
}

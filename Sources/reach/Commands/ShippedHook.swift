internal import Hooks
internal import Posix

/// A hook that Reach ships, to be copied.
struct ShippedHook {
  private let name: String
  private let folder: String

  /// Finds a hook by its name, such as `pause-sync`.
  ///
  /// - Throws: what there is instead, or where was looked.
  init(named name: String) throws(UsageError) {
    let folders = ShippedHook.folders
    guard let folder = folders.first(where: { !ShippedHook.names(in: $0).isEmpty }) else {
      throw UsageError("no hooks are shipped in \(folders.joined(separator: ", nor in "))")
    }
    let names = ShippedHook.names(in: folder)
    guard names.contains(name) else {
      let hint =
        Nearest.match(to: name, among: names).map { "did you mean \"\($0)\"?" }
        ?? "there are \(names.joined(separator: ", "))"
      throw UsageError("no hook \"\(name.printable)\" in \(folder); \(hint.printable)")
    }
    self.name = name
    self.folder = folder
  }

  /// The names of all of them.
  static var names: [String] { folders.lazy.map(names).first { !$0.isEmpty } ?? [] }

  /// The hooks in a folder; none where there is no such folder.
  private static func names(in folder: String) -> [String] {
    FileDescriptor.names(inFolder: folder)
      .filter { $0.hasSuffix(".lua") && !$0.hasPrefix(".") && !ScriptSource.isSpec($0) }
      .map { String($0.dropLast(4)) }
  }

  /// Where shipped hooks may lie: beside this program, in the source tree that it was built in, and
  /// where packages put them.
  private static var folders: [String] {
    let standard = "/usr/share/reach/hooks"
    guard case .link(let program) = FileKind(of: "/proc/self/exe") else { return [standard] }
    let parts = program.split(separator: "/")
    var folders = ["/" + (parts.dropLast(2) + ["share/reach/hooks"]).joined(separator: "/")]
    if let build = parts.lastIndex(of: ".build") {
      folders.append("/" + (parts[..<build] + ["hooks"]).joined(separator: "/"))
    }
    return folders.contains(standard) ? folders : folders + [standard]
  }

  /// The hook and its spec, if it has one, under another name and by their paths.
  func copy(named other: String) throws -> [(path: String, text: String)] {
    var files: [(path: String, text: String)] = []
    for ending in [".lua", "_test.lua"] {
      let path = "\(folder)/\(name)\(ending)"
      guard ending == ".lua" || FileKind(of: path) != .missing else { continue }
      let text = try ScriptSource(name: name, path: path).read()
      files.append(
        ("\(other)\(ending)", String(decoding: text, as: UTF8.self).renaming(name, to: other)))
    }
    return files
  }
}

extension String {
  /// The text with another name wherever this one stands by itself: not as a part of a longer one.
  fileprivate func renaming(_ name: String, to other: String) -> String {
    var result = ""
    var rest = self[...]
    while let range = rest.firstRange(of: name) {
      let before = rest[..<range.lowerBound].last ?? result.last
      let isWhole =
        before?.belongsToName != true && rest[range.upperBound...].first?.belongsToName != true
      result += rest[..<range.lowerBound] + (isWhole ? other : name)
      rest = rest[range.upperBound...]
    }
    return result + rest
  }
}

extension Character {
  fileprivate var belongsToName: Bool { isLetter || isNumber || self == "-" || self == "_" }
}

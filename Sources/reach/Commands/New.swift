internal import Hooks
internal import Posix

/// Writes a hook and its spec to start from, with what an editor wants to know.
enum New: Command {
  static let name = "new"
  static let summary = "write a hook and its spec to start from, in the current folder"
  static let operands = "NAME"
  static let options = [from]
  static let details = """
    NAME.lua is the hook, and NAME_test.lua its spec, which reach test runs. Beside them lie
    types/reach.lua, .luarc.json and .luacheckrc: by these an editor with lua-language-server, and
    luacheck, know what hooks find. Nothing that is there is overwritten, except types/reach.lua and
    .luacheckrc of another version of Reach.

    Shipped hooks are looked for in ../share/reach/hooks, seen from this program, in the hooks of the
    source tree that it was built in, and in /usr/share/reach/hooks.

    """

  private static let from = Option(
    "--from", "HOOK", "copy a shipped hook, such as pause-sync, with its spec if it has one")

  static func run(_ arguments: Arguments) throws -> ExitCode {
    let name = try scriptName(arguments.operands)
    // What lay in a folder that others can change would not be run.
    _ = try TrustedFile(".")
    let start = try arguments.value(from).map { try ShippedHook(named: $0).copy(named: name) }
    let files = start ?? HookTemplate.files(named: name)
    // `NAME/main.lua` is a script of that name, too.
    for path in files.map(\.path) + ["\(name)/main.lua"] where FileKind(of: path) != .missing {
      throw UsageError("\(path) is there already, so nothing was written")
    }
    let outcomes = try EditorFile.all.map { (path: $0.path, outcome: try write($0)) }
    for file in files {
      try FileDescriptor.writeNew(Array(file.text.utf8), toFile: file.path)
    }
    let written = files.map(\.path) + outcomes.filter { $0.outcome == .written }.map(\.path)
    StandardStream.output.write("wrote \(written.joined(separator: ", "))\n")
    for (path, outcome) in outcomes where outcome == .otherwiseThere {
      StandardStream.output.write("left \(path) as it is\n")
    }
    let verbs = zip(["check", "test"], files).map { "reach \($0) \($1.path)" }
    StandardStream.output.write("now try: \(verbs.joined(separator: " && "))\n")
    return .success
  }

  /// What became of an editor's file.
  private enum Outcome {
    case written
    case there
    /// Another one is there, which is not ours.
    case otherwiseThere
  }

  private static func write(_ file: EditorFile) throws -> Outcome {
    guard FileKind(of: file.path) == .missing else {
      let present = text(ofFile: file.path)
      if present == file.text { return .there }
      guard let present, file.replaces(present) else { return .otherwiseThere }
      try FileDescriptor.write(Array(file.text.utf8), toFile: file.path)
      return .written
    }
    if let folder = file.folder { try FileDescriptor.makeFolders(folder, mode: 0o755) }
    try FileDescriptor.writeNew(Array(file.text.utf8), toFile: file.path)
    return .written
  }

  /// What a file holds; nil where it cannot be read.
  private static func text(ofFile path: String) -> String? {
    do {
      let bytes = try TrustedFile(path).descriptor.readAll(limit: 1 << 20)
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      return nil
    }
  }

  // MARK: The name

  private static func scriptName(_ operands: [String]) throws(UsageError) -> String {
    guard let name = operands.first, operands.count == 1 else {
      throw UsageError("one name is needed, as in reach new watch-nas")
    }
    if let fault = fault(ofName: name) {
      let meant = String(nearestName(to: name))
      let hint = self.fault(ofName: meant) == nil ? "; did you mean \"\(meant)\"?" : ""
      throw UsageError("\"\(name.printable)\" is no name for a script: \(fault)\(hint)")
    }
    return name
  }

  /// Why `NAME.lua` would not be found as a script that is called so; nil where it would be.
  private static func fault(ofName name: String) -> String? {
    if !name.allSatisfy(\.isNamePart) || name.isEmpty {
      return "it is made of letters, digits, - and _"
    }
    if name.first?.isDash == true { return "it begins with a letter or a digit" }
    if name == "main" { return "a main.lua is called after its folder" }
    if name.hasSuffix("_test") { return "a spec is called so" }
    if name.utf8.count > longestName { return "it is longer than \(longestName) bytes" }
    return nil
  }

  private static let longestName = 100

  private static func nearestName(to name: String) -> Substring {
    var name = name.split(separator: "/").last ?? ""
    for ending in [".lua", "_test"] where name.hasSuffix(ending) { name.removeLast(ending.count) }
    let parts = name.split { !$0.isNamePart || $0.isDash }
    return parts.joined(separator: "-")[...]
  }
}

extension Character {
  fileprivate var isNamePart: Bool { isLetter || isWholeNumber || isDash }
  fileprivate var isDash: Bool { self == "-" || self == "_" }
}

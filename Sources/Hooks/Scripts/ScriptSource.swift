internal import Posix

/// A script that was found: where it lies, and what the logs call it.
public struct ScriptSource: Hashable, Sendable {
  /// The file's name without `.lua`, or its folder's where the file is `main.lua`.
  public let name: String
  /// The file, as it was found.
  public let path: String

  package init(name: String, path: String) {
    self.name = name
    self.path = path
  }

  /// The script that a file is, named after it.
  init(foundAt path: String) { self.init(name: ScriptSource.scriptName(of: path), path: path) }

  /// The folder that relative paths of its commands start from.
  public var folder: String {
    let absolute = path.hasPrefix("/") ? path : "\(Program.directory)/\(path)"
    return String(absolute[..<(absolute.lastIndex(of: "/") ?? absolute.endIndex)])
  }

  /// Reads its text.
  ///
  /// - Throws: why it cannot be read or is not to be trusted.
  public func read() throws(ScriptError) -> [UInt8] {
    let file = try ScriptSource.open(path)
    guard !file.isFolder else { throw ScriptError("\(path): a folder, not a script") }
    let text: [UInt8]
    do { text = try file.descriptor.readAll(limit: ScriptSource.largest + 1) } catch {
      throw ScriptError("\(path): \(SystemError.text(of: error.code))")
    }
    guard text.count <= ScriptSource.largest else {
      throw ScriptError("\(path): larger than \(ScriptSource.largest >> 20) MiB")
    }
    return text
  }

  /// A message about the script, with its path in front where the message has none.
  func located(_ message: String) -> String {
    message.hasPrefix("\(path):") ? message : "\(path): \(message)"
  }

  private static let largest = 4 << 20

  fileprivate static func open(_ path: String) throws(ScriptError) -> TrustedFile {
    do { return try TrustedFile(path) } catch {
      throw ScriptError("\(error)", cause: ScriptError.Cause(error))
    }
  }
}

/// A script that cannot be run: one line that says what is wrong, and where.
public struct ScriptError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Why it cannot be.
  enum Cause: Hashable, Sendable {
    /// It cannot be read, or what was read is no script.
    case unreadable
    /// Others could have written it.
    case unsafe
    /// Another one has its name.
    case nameTaken

    /// Why a file was not opened.
    init(_ refusal: TrustedFile.Refusal) {
      switch refusal {
      case .writable, .foreign: self = .unsafe
      case .system, .tooManyLinks, .special: self = .unreadable
      }
    }
  }

  /// What is wrong, and where.
  public let description: String
  /// The script that is refused, as it was found.
  let path: String?
  let cause: Cause

  init(_ description: String, path: String? = nil, cause: Cause = .unreadable) {
    self.description = description
    self.path = path
    self.cause = cause
  }
}

extension ScriptSource {
  /// What was found at some paths.
  public struct Discovery: Sendable {
    /// The scripts, in the order of the paths and by name within a folder.
    public var sources: [ScriptSource] = []
    /// Files that are refused, while the others run.
    public var refusals: [ScriptError] = []
    /// The specs beside scripts, found in a folder or named among them.
    var specs: [String] = []

    /// Nothing was found.
    public init() {}
  }

  /// The folder that is read where no path is given: `/etc/reach/hooks` for root, and
  /// `$XDG_CONFIG_HOME/reach/hooks` for any other user.
  public static var standardFolder: String {
    if Program.isRoot { return "/etc/reach/hooks" }
    let home = Program.environment("HOME") ?? "/"
    return (Program.folder("XDG_CONFIG_HOME") ?? "\(home)/.config") + "/reach/hooks"
  }

  /// Finds the scripts at files and in folders.
  ///
  /// In a folder these are `name.lua` and `name/main.lua`; dot files, `lib/` and `*_test.lua` are
  /// not. A second script of one name is refused.
  ///
  /// - Parameter paths: files and folders.
  /// - Returns: what was found, with what was refused.
  /// - Throws: where a path itself cannot be opened, or all are specs.
  public static func discover(_ paths: [String]) throws(ScriptError) -> Discovery {
    var discovery = Discovery()
    for path in paths { try discovery.add(path) }
    try discovery.checkForSpecs(among: paths)
    return discovery
  }

  /// Whether a file says by its name that it tests a script.
  package static func isSpec(_ path: String) -> Bool { path.hasSuffix("_test.lua") }

  fileprivate static func scriptName(of path: String) -> String {
    let parts = path.split(separator: "/").map(String.init)
    guard let last = parts.last else { return path }
    if last == "main.lua", parts.count > 1 { return parts[parts.count - 2] }
    return last.hasSuffix(".lua") ? String(last.dropLast(4)) : last
  }
}

extension ScriptSource.Discovery {
  /// Adds what is found at a path.
  mutating func add(_ path: String) throws(ScriptError) {
    let opened = try ScriptSource.open(path)
    if opened.isFolder {
      try addFolder(path, opened)
    } else if ScriptSource.isSpec(path) {
      specs.append(path)
    } else {
      add(ScriptSource(foundAt: path))
    }
  }

  /// A spec among scripts, as `*.lua` names them, is passed over; one alone was mistaken for a script.
  func checkForSpecs(among paths: [String]) throws(ScriptError) {
    guard sources.isEmpty, refusals.isEmpty, let spec = paths.first(where: specs.contains) else {
      return
    }
    throw ScriptError("\(spec): a spec, which is run by reach test \(spec)")
  }

  fileprivate mutating func addFolder(
    _ path: String, _ folder: borrowing TrustedFile
  ) throws(ScriptError) {
    let names: [String]
    do { names = try folder.descriptor.names() } catch {
      throw ScriptError("\(path): \(SystemError.text(of: error.code))")
    }
    let start = path.hasSuffix("/") ? path : "\(path)/"
    for name in names where !name.hasPrefix(".") && name != "lib" {
      if ScriptSource.isSpec(name) {
        specs.append(start + name)
      } else if name.hasSuffix(".lua") {
        addFile(start + name, named: String(name.dropLast(4)))
      } else {
        addFile("\(start)\(name)/main.lua", named: name, isOptional: true)
      }
    }
  }

  private mutating func addFile(_ path: String, named name: String, isOptional: Bool = false) {
    do {
      let file = try TrustedFile(path)
      if !file.isFolder { add(ScriptSource(name: name, path: path)) }
    } catch {
      if isOptional, error.isAbsence { return }
      refusals.append(ScriptError("\(error)", path: path, cause: ScriptError.Cause(error)))
    }
  }

  fileprivate mutating func add(_ source: ScriptSource) {
    if let first = sources.first(where: { $0.name == source.name }) {
      guard first.path != source.path else { return }
      refusals.append(
        ScriptError(
          "\(source.path): a second script named \"\(source.name)\"; the first is \(first.path)",
          path: source.path, cause: .nameTaken))
    } else {
      sources.append(source)
    }
  }
}

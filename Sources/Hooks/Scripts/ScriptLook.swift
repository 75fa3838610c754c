internal import Posix

/// What lies at the paths that scripts are read from, at one moment, and where a change of it shows.
struct ScriptLook: Sendable {
  private(set) var discovery = ScriptSource.Discovery()
  /// What the scripts and the files that they required hold, by path.
  private(set) var contents: [String: Result<[UInt8], ScriptError>] = [:]
  private(set) var plan = WatchPlan()
  /// Paths that are there and cannot be opened now: what was found at them stays.
  private var unreadable: [String] = []

  /// Looks; blocks for as long as the file system does.
  ///
  /// - Parameters:
  ///   - paths: files, and folders of scripts.
  ///   - libraries: the files that the scripts required, and may be there or not.
  init(_ paths: [String], libraries: Set<String>) {
    // What is watched is found out first: a change after that is one that the watch tells.
    for path in paths { plan.add(scriptsAt: path) }
    for path in paths {
      do throws(ScriptError) { try discovery.add(path) } catch {
        discovery.refusals.append(error)
        if FileKind(of: path) != .missing { unreadable.append(path) }
      }
    }
    let scripts = discovery.sources.map(\.path)
    for path in scripts + discovery.refusals.compactMap(\.path) { plan.add(path) }
    for path in libraries { plan.add(path) }
    for path in libraries.union(scripts) {
      contents[path] = Result { () throws(ScriptError) in
        try ScriptSource(name: path, path: path).read()
      }
    }
  }

  /// Whether a script that was found before is still to run.
  func isThere(_ source: ScriptSource) -> Bool {
    discovery.sources.contains(source)
      || discovery.refusals.contains { $0.path == source.path && $0.cause != .nameTaken }
      || unreadable.contains { source.path == $0 || source.path.hasPrefix("\($0)/") }
  }
}

/// The folders in which a change can make paths lead to other files, or to other bytes.
struct WatchPlan: Hashable, Sendable {
  /// What is of interest in a folder, beside its being removed or renamed itself.
  struct Interest: Hashable, Sendable {
    /// Names of which something depends.
    var names: Set<String> = []
    /// Whether scripts in it are found by whatever name.
    var isOfScripts = false

    /// Whether nothing within the folder is.
    var isEmpty: Bool { names.isEmpty && !isOfScripts }

    /// Whether something that has happened to a name in the folder may matter.
    func includes(_ name: String) -> Bool {
      if names.contains(name) { return true }
      // A script, or a folder of one; folders are rarely named like files.
      return isOfScripts && !name.hasPrefix(".")
        && (name.hasSuffix(".lua") || !name.contains("."))
    }

    mutating func formUnion(_ other: Interest) {
      names.formUnion(other.names)
      isOfScripts = isOfScripts || other.isOfScripts
    }
  }

  /// By the folder's path, in which no link is left.
  private(set) var folders: [String: Interest] = [:]

  private static let mostLinks = 40

  /// Adds a file, whether it is there or not.
  mutating func add(_ path: String) { _ = follow(path, FileKind.init) }

  /// Adds a file, or a folder and the folders of single scripts in it.
  mutating func add(scriptsAt path: String) {
    guard let folder = follow(path, FileKind.init) else { return }
    folders[folder, default: Interest()].isOfScripts = true
    for name in FileDescriptor.names(inFolder: folder)
    where !name.hasPrefix(".") && name != "lib" && !name.hasSuffix(".lua") {
      let entry = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
      switch FileKind(of: entry) {
      case .folder, .link: add("\(entry)/main.lua")
      case .file, .missing: break
      }
    }
  }

  /// Follows a path from the root through all links, and notes in which folder each step of it could
  /// become another.
  ///
  /// - Returns: where it ends, if that is a folder.
  mutating func follow(_ path: String, _ kind: (String) -> FileKind) -> String? {
    var rest = WatchPlan.steps(of: path.hasPrefix("/") ? path : "\(Program.directory)/\(path)")
    var above: [String] = []
    var links = 0
    while let step = rest.popLast() {
      if step == ".." {
        _ = above.popLast()
        continue
      }
      let folder = "/" + above.joined(separator: "/")
      switch kind("/" + (above + [step]).joined(separator: "/")) {
      case .folder:
        folders[folder, default: Interest()].formUnion(Interest())
        above.append(step)
      case .link(let target):
        folders[folder, default: Interest()].names.insert(step)
        links += 1
        guard links <= WatchPlan.mostLinks else { return nil }
        if target.hasPrefix("/") { above = [] }
        rest += WatchPlan.steps(of: target)
      case .file, .missing:
        folders[folder, default: Interest()].names.insert(step)
        return nil
      }
    }
    let end = "/" + above.joined(separator: "/")
    folders[end, default: Interest()].formUnion(Interest())
    return end
  }

  /// The parts of a path, the first one last.
  private static func steps(of path: String) -> [String] {
    path.split(separator: "/").filter { $0 != "." }.map(String.init).reversed()
  }
}

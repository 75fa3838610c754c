internal import Glibc
internal import Posix

/// The folders in which a change can make a path lead to another file, or to other bytes.
///
/// A path is followed through symbolic links; each step lies in a folder, where the name of that step
/// can be replaced. Where a folder is missing, the nearest one above stands for it.
struct SymlinkChain {
  /// The names that matter in a folder.
  struct Watch: Hashable {
    let folder: String
    let name: String
  }

  private(set) var watches: [Watch] = []
  /// The file at the end, whether it is there or not.
  private(set) var end: String

  /// The kernel follows no more links than this; path_resolution(7).
  static let mostSteps = 40

  /// Follows a path, which begins at the root.
  ///
  /// - Parameters:
  ///   - path: where to begin.
  ///   - readLink: the text of a symbolic link; nil for what is none.
  ///   - isFolder: whether a folder is there.
  init(
    from path: String, readLink: (String) -> String? = SymlinkChain.readLink,
    isFolder: (String) -> Bool = SymlinkChain.isFolder
  ) {
    end = path
    for _ in 0..<SymlinkChain.mostSteps {
      let (folder, name) = SymlinkChain.split(end)
      watches.append(SymlinkChain.watch(folder, name, isFolder))
      guard let target = readLink(end) else { return }
      end = target.hasPrefix("/") ? target : folder == "/" ? "/\(target)" : "\(folder)/\(target)"
    }
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return ("/", path) }
    let folder = String(path[..<slash])
    return (folder.isEmpty ? "/" : folder, String(path[path.index(after: slash)...]))
  }

  private static func watch(
    _ folder: String, _ name: String, _ isFolder: (String) -> Bool
  ) -> Watch {
    var watch = Watch(folder: folder, name: name)
    while watch.folder != "/", !isFolder(watch.folder) {
      let (above, missing) = split(watch.folder)
      watch = Watch(folder: above, name: missing)
    }
    return watch
  }

  private static func readLink(_ path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let length = readlink(path, base, buffer.count)
      guard length > 0 else { return nil }
      return String(
        decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    (try? FileDescriptor(opening: path, flags: O_DIRECTORY | O_RDONLY)) != nil
  }
}

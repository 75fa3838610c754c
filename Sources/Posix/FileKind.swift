internal import Glibc

/// What lies at a path, which is not followed where it is a link.
public enum FileKind: Hashable, Sendable {
  case folder
  /// A symbolic link, with its text.
  case link(String)
  /// A file, or something else that is neither a folder nor a link.
  case file
  /// Nothing, or nothing that one may know of.
  case missing

  /// Looks what lies at a path; lstat(2).
  public init(of path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      self = .missing
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: self = .folder
    case S_IFLNK: self = FileKind.target(of: path).map(FileKind.link) ?? .missing
    default: self = .file
    }
  }

  private static func target(of path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let length = readlink(path, base, buffer.count)
      guard length > 0 else { return nil }
      return String(decoding: UnsafeRawBufferPointer(buffer)[..<length], as: UTF8.self)
    }
  }
}

extension FileDescriptor {
  /// The names in the folder at a path, in order; none where it cannot be read.
  public static func names(inFolder path: String) -> [String] {
    guard let folder = try? FileDescriptor(opening: path, flags: O_RDONLY | O_DIRECTORY) else {
      return []
    }
    return (try? folder.names()) ?? []
  }
}

internal import CPosix
internal import Glibc

/// A file or folder that nobody but root and oneself can have put there or can change.
///
/// The way to it is opened from the root down, one folder at a time, and each step is checked on the
/// descriptor that the next one starts from: what is read is what was checked.
public struct TrustedFile: ~Copyable {
  /// The open file or folder.
  public let descriptor: FileDescriptor
  /// Whether it is a folder.
  public let isFolder: Bool

  /// Why a file is not opened.
  public enum Refusal: Error, Equatable, Sendable, CustomStringConvertible {
    case system(SystemError)
    case writable(path: String)
    case foreign(path: String, owner: UInt32)
    case tooManyLinks(path: String)
    case special(path: String)

    /// Whether nothing lies at the path.
    public var isAbsence: Bool {
      if case .system(let error) = self { error.isAbsence } else { false }
    }

    /// What is wrong, where, and what to do about it.
    public var description: String {
      switch self {
      case .system(let error): "\(error)"
      case .writable(let path):
        "\(path): writable by others, so not used; try: chmod go-w \(path)"
      case .foreign(let path, let owner):
        "\(path): owned by user \(owner), so not used; try: chown \(Program.userID) \(path)"
      case .tooManyLinks(let path): "\(path): too many levels of symbolic links"
      case .special(let path): "\(path): neither a file nor a folder"
      }
    }
  }

  /// Opens a file or folder, following symbolic links.
  ///
  /// - Throws: `Refusal` where it cannot be opened, or where a step of the way belongs to another
  ///   user or can be written by group or others. A sticky folder such as /tmp passes.
  public init(_ path: String) throws(Refusal) { self = try TrustedFile.walk(to: path) }

  private init(_ descriptor: consuming FileDescriptor, isFolder: Bool) {
    self.descriptor = descriptor
    self.isFolder = isFolder
  }

  private static func walk(to path: String) throws(Refusal) -> TrustedFile {
    var rest = steps(of: path.hasPrefix("/") ? path : "\(Program.directory)/\(path)")
    var folders: [String] = []
    var links = 0
    while true {
      let here = try openFolder(folders)
      guard let step = rest.popLast() else {
        let path = "/" + folders.joined(separator: "/")
        let folder = try open(".", in: here.number, O_RDONLY | O_DIRECTORY, path)
        return TrustedFile(folder, isFolder: true)
      }
      if step == ".." {
        _ = folders.popLast()
        continue
      }
      let full = "/" + (folders + [step]).joined(separator: "/")
      let entry = try open(step, in: here.number, cposix_open_path | O_NOFOLLOW, full)
      let status = try examine(entry, full)
      switch status.st_mode & S_IFMT {
      case S_IFLNK:
        try check(status, full)
        links += 1
        guard links <= 40 else { throw .tooManyLinks(path: path) }
        let target = target(of: entry)
        if target.hasPrefix("/") { folders = [] }
        rest += steps(of: target)
      case S_IFDIR:
        try check(status, full)
        folders.append(step)
      case S_IFREG where rest.isEmpty:
        let file = try open(step, in: here.number, O_RDONLY | O_NOFOLLOW, full)
        try check(try examine(file, full), full)
        return TrustedFile(file, isFolder: false)
      case S_IFREG:
        throw .system(SystemError("open \(path)", code: ENOTDIR))
      default:
        throw .special(path: full)
      }
    }
  }

  /// Opens a folder by its steps from the root, checking each.
  private static func openFolder(_ steps: [String]) throws(Refusal) -> FileDescriptor {
    var folder = try open("/", in: nil, cposix_open_path | O_DIRECTORY, "/")
    try check(try examine(folder, "/"), "/")
    var path = ""
    for step in steps {
      path += "/\(step)"
      let next = try open(
        step, in: folder.number, cposix_open_path | O_DIRECTORY | O_NOFOLLOW, path)
      try check(try examine(next, path), path)
      folder = next
    }
    return folder
  }

  private static func open(
    _ name: String, in folder: Int32?, _ flags: Int32, _ path: String
  ) throws(Refusal) -> FileDescriptor {
    do { return try FileDescriptor(opening: name, in: folder, flags: flags) } catch {
      throw .system(SystemError("open \(path)", code: error.code))
    }
  }

  private static func examine(
    _ file: borrowing FileDescriptor, _ path: String
  ) throws(Refusal) -> stat {
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw .system(SystemError("examine \(path)")) }
    return status
  }

  private static func check(_ status: stat, _ path: String) throws(Refusal) {
    guard status.st_uid == 0 || status.st_uid == Program.userID else {
      throw .foreign(path: path, owner: status.st_uid)
    }
    let isSticky = status.st_mode & S_IFMT == S_IFDIR && status.st_mode & S_ISVTX != 0
    let isLink = status.st_mode & S_IFMT == S_IFLNK
    guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 || isSticky || isLink else {
      throw .writable(path: path)
    }
  }

  private static func target(of link: borrowing FileDescriptor) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let base = buffer.baseAddress else { return "" }
      let length = readlinkat(link.number, "", base, buffer.count)
      let bytes = UnsafeRawBufferPointer(buffer)[..<max(0, length)]
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// The parts of a path, the first one last.
  private static func steps(of path: String) -> [String] {
    path.split(separator: "/").filter { $0 != "." }.map(String.init).reversed()
  }
}

extension FileDescriptor {
  /// The names in an open folder, in order.
  public borrowing func names() throws(SystemError) -> [String] {
    let copy = dup(number)
    guard copy >= 0, let folder = fdopendir(copy) else { throw SystemError("list a folder") }
    defer { closedir(folder) }
    rewinddir(folder)
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}

extension Program {
  /// The folder that relative paths start from.
  public static var directory: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let base = buffer.baseAddress, getcwd(base, buffer.count) != nil else { return "/" }
      return String(cString: base)
    }
  }
}

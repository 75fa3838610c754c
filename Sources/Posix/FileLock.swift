internal import CPosix
internal import Glibc

extension FileDescriptor {
  /// The flags that open a file for writing, and make it where it is not there.
  public static var createForWriting: Int32 { O_RDWR | O_CREAT | O_NOFOLLOW }

  /// Locks the whole file against other processes for as long as this descriptor is open.
  ///
  /// - Returns: nil where it is locked now; else the process that holds it.
  public borrowing func lockForWriting() throws(SystemError) -> Int32? {
    var holder: pid_t = 0
    switch cposix_lock(number, &holder) {
    case 0: return nil
    case 1: return holder
    default: throw SystemError("lock a file")
    }
  }

  /// Gives what lies at a path another one, in the same file system.
  public static func move(_ path: String, to place: String) throws(SystemError) {
    guard rename(path, place) == 0 else { throw SystemError("rename \(path) to \(place)") }
  }

  /// Whether something lies at a path.
  public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Makes the folders above a file that are missing, the last of them for nobody else.
  public static func makeFolders(ofFile path: String) throws(SystemError) {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    try makeFolders(String(path[..<slash]), mode: 0o700)
  }

  /// Makes a folder and those above it that are missing.
  public static func makeFolders(_ path: String, mode: UInt32) throws(SystemError) {
    var made = path.hasPrefix("/") ? "" : "."
    let steps = path.split(separator: "/")
    for (index, step) in steps.enumerated() {
      made += "/\(step)"
      let isLast = index == steps.count - 1
      guard mkdir(made, isLast ? mode : 0o755) != 0, errno != EEXIST else { continue }
      throw SystemError("make the folder \(made)")
    }
  }
}

internal import Posix

/// The folder that one daemon at a time keeps its state in: mode 0700, and locked.
public struct StateFolder: ~Copyable {
  private let lock: FileDescriptor

  /// `/var/lib/reach` for root, `$XDG_STATE_HOME/reach` for others.
  public static var standard: String {
    if Program.isRoot { return "/var/lib/reach" }
    let home = Program.environment("HOME") ?? "/"
    return (Program.folder("XDG_STATE_HOME") ?? "\(home)/.local/state") + "/reach"
  }

  /// Makes the folder where it is not there, and locks it.
  ///
  /// - Throws: what the kernel says, and where another daemon holds the lock, which.
  public init(_ path: String) throws(ScriptError) {
    let file = try StateFolder.open(path)
    if let holder = try StateFolder.lock(file) {
      throw ScriptError("\(path): in use by another reach, process \(holder)")
    }
    lock = file
  }

  private static func open(_ path: String) throws(ScriptError) -> FileDescriptor {
    do {
      try FileDescriptor.makeFolders(path, mode: 0o700)
      return try FileDescriptor(opening: "\(path)/lock", flags: FileDescriptor.createForWriting)
    } catch {
      throw ScriptError("\(error)")
    }
  }

  private static func lock(
    _ file: borrowing FileDescriptor
  ) throws(ScriptError) -> Int32? {
    do { return try file.lockForWriting() } catch { throw ScriptError("\(error)") }
  }
}

internal import Glibc
internal import Posix

/// A folder that is gone with this value, for scripts that tests write.
public final class TemporaryFolder: Sendable {
  /// Where it lies.
  public let path: String

  /// Makes an empty folder.
  public init() throws {
    var template = Array("/tmp/reach-test.XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw SystemError("make a folder") }
    path = String(cString: made)
  }

  deinit {
    _ = system("rm -rf '\(path)'")
  }

  /// Writes a file, and the folders that it needs.
  @discardableResult
  public func write(_ name: String, _ text: String, mode: UInt32 = 0o644) throws -> String {
    let full = "\(path)/\(name)"
    let folder = full.split(separator: "/").dropLast().joined(separator: "/")
    try FileDescriptor.makeFolders("/" + folder, mode: 0o755)
    let file = try FileDescriptor(opening: full, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: mode)
    _ = try Array(text.utf8).withUnsafeBytes { try file.write($0) }
    chmod(full, mode)
    return full
  }

  /// What a file holds; empty where there is none.
  public func read(_ name: String) -> String {
    guard let file = try? FileDescriptor(opening: "\(path)/\(name)", flags: O_RDONLY),
      let bytes = try? file.readAll(limit: 1 << 20)
    else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }
}

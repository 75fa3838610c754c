internal import CPosix
internal import Glibc

extension FileDescriptor {
  /// Writes a whole file; blocks for as long as the file system does.
  ///
  /// A symbolic link is followed to what it leads to. A file is replaced at one moment, by one in
  /// the same folder that is complete on disk, and keeps its mode and, where the caller may give it,
  /// its owner. A device, a pipe or a file of the kernel's own, as in /sys, is written in place.
  ///
  /// - Parameters:
  ///   - bytes: what the file holds then, or what is added.
  ///   - path: the file; its folder must be there.
  ///   - appends: whether the bytes are added at its end.
  /// - Throws: what the system says, and of which file.
  public static func write(
    _ bytes: [UInt8], toFile path: String, appending appends: Bool = false
  ) throws(SystemError) {
    var status = stat()
    let isThere = stat(path, &status) == 0
    let kind = status.st_mode & S_IFMT
    if isThere, kind == S_IFDIR { throw SystemError("write \(path)", code: EISDIR) }
    if isThere, kind != S_IFREG || cposix_is_kernels_file(path) {
      // Who reads from a pipe or a terminal may be long in coming.
      let file = try FileDescriptor(opening: path, flags: O_WRONLY | O_NONBLOCK | O_NOCTTY)
      try file.writeAll(bytes, path)
    } else if appends {
      let file = try FileDescriptor(
        opening: path, flags: O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY, mode: 0o666)
      try file.writeAll(bytes, path)
    } else {
      try replace(try destination(of: path), with: bytes, like: isThere ? status : nil)
    }
  }

  /// Writes a file that must not be there yet, for oneself to change and others to read.
  ///
  /// - Throws: what the system says, and of which file; what was written until then is gone.
  public static func writeNew(_ bytes: [UInt8], toFile path: String) throws(SystemError) {
    let file = try FileDescriptor(
      opening: path, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
    do throws(SystemError) { try file.writeAll(bytes, path) } catch {
      unlink(path)
      throw error
    }
  }

  /// Where links lead, also where nothing is there yet.
  private static func destination(of path: String) throws(SystemError) -> String {
    var path = path
    for _ in 0..<40 {
      guard let target = linkTarget(of: path) else { return path }
      let folder = path[..<(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)]
      path = target.hasPrefix("/") ? target : folder + target
    }
    throw SystemError("write \(path)", code: ELOOP)
  }

  private static func linkTarget(of path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let length = readlink(path, base, buffer.count)
      guard length > 0 else { return nil }
      return String(decoding: UnsafeRawBufferPointer(buffer)[..<length], as: UTF8.self)
    }
  }

  private static func replace(
    _ path: String, with bytes: [UInt8], like former: stat?
  ) throws(SystemError) {
    let slash = path.lastIndex(of: "/")
    let folder = String(path[..<(slash.map(path.index(after:)) ?? path.startIndex)])
    let name = path[(slash.map(path.index(after:)) ?? path.startIndex)...]
    // Names have 255 bytes at most.
    let number = String(UInt64.random(in: 0 ... .max), radix: 36)
    let draft = "\(folder).\(String(decoding: name.utf8.prefix(200), as: UTF8.self)).\(number)"
    let file: FileDescriptor
    do {
      file = try FileDescriptor(
        opening: draft, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o666)
    } catch {
      throw SystemError("replace \(path)", code: error.code)
    }
    do throws(SystemError) {
      if let former {
        // Only root can give a file away; a change of owner takes bits of the mode away.
        _ = fchown(file.number, former.st_uid, former.st_gid)
        guard fchmod(file.number, former.st_mode & 0o7777) == 0 else {
          throw SystemError("replace \(path)")
        }
      }
      try file.writeAll(bytes, path)
      guard fsync(file.number) == 0, rename(draft, path) == 0 else {
        throw SystemError("replace \(path)")
      }
    } catch {
      unlink(draft)
      throw error
    }
    // The name too is on disk then; a file system that cannot say so has it nevertheless.
    let parent = try? FileDescriptor(
      opening: folder.isEmpty ? "." : folder, flags: O_RDONLY | O_DIRECTORY)
    if let parent { fsync(parent.number) }
  }

  private borrowing func writeAll(_ bytes: [UInt8], _ path: String) throws(SystemError) {
    var rest = bytes[...]
    // Nothing is a write too, for a file of the kernel's.
    repeat {
      let count = retryingInterrupts {
        rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var wait = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        guard poll(&wait, 1, FileDescriptor.writePatience) > 0 else {
          throw SystemError("write \(path)", code: ETIMEDOUT)
        }
      } else {
        throw SystemError("write \(path)")
      }
    } while !rest.isEmpty
  }

  /// How many milliseconds a pipe or device may take nothing.
  private static let writePatience: Int32 = 2000
}

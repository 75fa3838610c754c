internal import CPosix
internal import Glibc

/// Owns a descriptor of the operating system and closes it at the end of its life.
public struct FileDescriptor: ~Copyable, Sendable {
  /// The number the kernel knows it by; valid for as long as this value lives.
  public let number: Int32

  /// Takes over a descriptor that nobody else closes.
  public init(owning number: Int32) { self.number = number }

  deinit { _ = Glibc.close(number) }

  /// Opens a file; close-on-exec always.
  ///
  /// - Parameters:
  ///   - path: where it lies; a relative path starts at `directory`.
  ///   - directory: an open folder, or nil for the current one.
  ///   - flags: as of open(2).
  ///   - mode: permissions of a file that is made.
  /// - Throws: what open(2) says.
  public init(
    opening path: String, in directory: Int32? = nil, flags: Int32, mode: UInt32 = 0o600
  ) throws(SystemError) {
    let number = retryingInterrupts {
      cposix_openat(directory ?? AT_FDCWD, path, flags | O_CLOEXEC, mode)
    }
    guard number >= 0 else { throw SystemError("open \(path)") }
    self.number = number
  }

  /// Opens a file to be read.
  ///
  /// - Throws: what open(2) says.
  public init(reading path: String) throws(SystemError) {
    try self.init(opening: path, flags: O_RDONLY)
  }

  /// Reads up to the size of `buffer`; 0 at the end, nil where nothing is there yet.
  public borrowing func read(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int? {
    let count = retryingInterrupts { Glibc.read(number, buffer.baseAddress, buffer.count) }
    if count >= 0 { return count }
    if errno == EAGAIN { return nil }
    throw SystemError("read")
  }

  /// Reads all that is there, up to `limit` bytes.
  public borrowing func readAll(limit: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16384)
    while bytes.count < limit {
      let wanted = min(chunk.count, limit - bytes.count)
      let count = retryingInterrupts {
        chunk.withUnsafeMutableBytes { Glibc.read(number, $0.baseAddress, wanted) }
      }
      if count == 0 { break }
      guard count > 0 else { throw SystemError("read") }
      bytes += chunk[..<count]
    }
    return bytes
  }

  /// Writes as much of `bytes` as the other side takes now; nil where it takes nothing.
  public borrowing func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int? {
    let count = retryingInterrupts { Glibc.write(number, bytes.baseAddress, bytes.count) }
    if count >= 0 { return count }
    if errno == EAGAIN { return nil }
    throw SystemError("write")
  }

  /// The two ends of a new pipe; close-on-exec.
  public static func pipe() throws(SystemError) -> Pipe {
    var numbers: (Int32, Int32) = (-1, -1)
    let result = withUnsafeMutablePointer(to: &numbers) {
      $0.withMemoryRebound(to: Int32.self, capacity: 2) { cposix_pipe($0) }
    }
    guard result == 0 else { throw SystemError("make a pipe") }
    return Pipe(
      reading: FileDescriptor(owning: numbers.0), writing: FileDescriptor(owning: numbers.1))
  }

  /// Whether its group or others may read it, going by the mode of the file.
  public var isReadableByOthers: Bool {
    var status = stat()
    return fstat(number, &status) != 0 || status.st_mode & (S_IRGRP | S_IROTH) != 0
  }

  /// Makes reads and writes return at once where they would wait.
  public borrowing func setNonBlocking() {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }
}

/// A pipe's two ends.
public struct Pipe: ~Copyable {
  /// Where bytes come out.
  public let reading: FileDescriptor
  /// Where bytes go in.
  public let writing: FileDescriptor
}

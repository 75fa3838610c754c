internal import CPosix
internal import Glibc

/// Bytes of a file, mapped into memory: what is written stays though the process is killed, and
/// costs no system call; mmap(2) with MAP_SHARED.
///
/// Threads may write to different places at once.
// @unchecked: the pointer is set once; who writes where is for the caller to see to.
public final class SharedMapping: @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer
  private let size: Int

  /// Maps the first bytes of a file, which is made where it is not there, and made that long.
  ///
  /// - Parameters:
  ///   - path: the file; a symbolic link is refused.
  ///   - size: how many bytes.
  /// - Throws: what the system says, such as ENOSPC: a page without room on the disk would end the
  ///   process once it is written to.
  public init(ofFile path: String, size: Int) throws(SystemError) {
    let file = try FileDescriptor(opening: path, flags: FileDescriptor.createForWriting)
    let code = posix_fallocate(file.number, 0, off_t(size))
    guard code == 0 else { throw SystemError("make room for \(path)", code: code) }
    guard
      let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0),
      memory != MAP_FAILED
    else { throw SystemError("map \(path)") }
    self.memory = memory
    self.size = size
  }

  deinit { munmap(memory, size) }

  /// All there is now.
  public var bytes: [UInt8] {
    Array(UnsafeRawBufferPointer(start: memory, count: size))
  }

  /// Replaces bytes from a place on; what would lie beyond the end is left out.
  public func write(_ bytes: [UInt8], at place: Int) {
    guard place >= 0, place < size else { return }
    let count = min(bytes.count, size - place)
    bytes.withUnsafeBytes { source in
      guard let base = source.baseAddress else { return }
      memcpy(memory + place, base, count)
    }
  }

  /// Replaces one byte, after all that the thread has written before; several threads may at once.
  public func write(_ byte: UInt8, at place: Int) {
    guard place >= 0, place < size else { return }
    cposix_store(memory + place, byte)
  }
}

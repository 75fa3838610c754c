internal import Glibc

/// A file that is written piece by piece, each of which is in it wholly or not at all.
public struct GrowingFile: ~Copyable {
  private let descriptor: FileDescriptor
  private let path: String
  /// Whether it can be cut off, as a pipe or a terminal cannot.
  private let isRegular: Bool
  /// How long it is with the last whole piece; nil before there is one.
  private var length: off_t?

  /// Opens a file, or makes it where there is none.
  ///
  /// - Parameters:
  ///   - path: the file. What it holds stays until the first piece is written.
  ///   - replaces: whether it may hold anything.
  /// - Throws: what the system says; EEXIST where there is something in the file.
  public init(_ path: String, replacing replaces: Bool) throws(SystemError) {
    let file = try FileDescriptor(
      opening: path, flags: O_WRONLY | O_CREAT | O_NOCTTY, mode: 0o666)
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw SystemError("examine \(path)") }
    let isRegular = status.st_mode & S_IFMT == S_IFREG
    if isRegular, status.st_size > 0, !replaces {
      throw SystemError("write \(path)", code: EEXIST)
    }
    descriptor = file
    self.path = path
    self.isRegular = isRegular
  }

  /// Writes a piece, and waits until all of it is taken.
  ///
  /// - Throws: what the system says; the file then ends with the piece before.
  public mutating func append(_ text: String) throws(SystemError) {
    let end = length ?? 0
    if isRegular, length == nil {
      guard ftruncate(descriptor.number, 0) == 0 else { throw SystemError("write \(path)") }
    }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = retryingInterrupts {
        rest.withUnsafeBytes { Glibc.write(descriptor.number, $0.baseAddress, $0.count) }
      }
      guard count > 0 else {
        let error = SystemError("write \(path)")
        if isRegular, ftruncate(descriptor.number, end) == 0 {
          lseek(descriptor.number, end, SEEK_SET)
        }
        throw error
      }
      rest = rest.dropFirst(count)
    }
    length = end + off_t(text.utf8.count)
  }
}

extension SystemError {
  /// Whether something is there that must not be: EEXIST.
  public var isPresence: Bool { code == EEXIST }
}

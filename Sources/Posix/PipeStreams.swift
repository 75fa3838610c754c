internal import Glibc

/// Reads a child's output to its end on an event loop, and keeps the beginning of what came.
final class PipeReader {
  private(set) var bytes: [UInt8] = []
  private(set) var isTruncated = false

  private let loop: EventLoop
  private let limit: Int
  private var near: FileDescriptor?
  private var far: FileDescriptor?
  private var source: EventLoop.Source?

  /// Makes the pipe; more than `limit` bytes are read and dropped, so that the child never waits.
  init(on loop: EventLoop, limit: Int) throws(SystemError) {
    self.loop = loop
    self.limit = limit
    let pipe = try FileDescriptor.pipe()
    pipe.reading.setNonBlocking()
    near = .some(pipe.reading)
    far = .some(pipe.writing)
  }

  /// The end that the child writes to; gone once reading has begun.
  var childEnd: Int32 { far?.number ?? -1 }

  /// Gives the child's end up and reads what it writes.
  func begin(ended: @escaping () -> Void) throws(SystemError) {
    far = nil
    source = try near?.watch(on: loop) { [self] in
      guard readAvailable() else { return }
      close()
      ended()
    }
  }

  var isOpen: Bool { source != nil }

  /// Takes what is there and reads no further.
  func finish() {
    guard isOpen else { return }
    _ = readAvailable()
    close()
  }

  private func close() {
    if let source { loop.cancel(source) }
    source = nil
    near = nil
  }

  /// Reads what is there; true at the pipe's end.
  private func readAvailable() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 1) { buffer in
      // A writer that never pauses must not hold the loop.
      for _ in 0..<16 {
        guard let count = try? near?.read(into: buffer) else { return false }
        if count == 0 { return true }
        let kept = min(count, limit - bytes.count)
        bytes.append(contentsOf: buffer[..<kept])
        if kept < count { isTruncated = true }
      }
      return false
    }
  }
}

/// Writes a child's input on an event loop, and closes it after the last byte.
final class PipeWriter {
  private let loop: EventLoop
  private var rest: ArraySlice<UInt8>
  private var near: FileDescriptor?
  private var far: FileDescriptor?
  private var source: EventLoop.Source?

  /// Makes the pipe.
  init(_ bytes: [UInt8], on loop: EventLoop) throws(SystemError) {
    self.loop = loop
    rest = bytes[...]
    let pipe = try FileDescriptor.pipe()
    pipe.writing.setNonBlocking()
    near = .some(pipe.writing)
    far = .some(pipe.reading)
  }

  /// The end that the child reads from; gone once writing has begun.
  var childEnd: Int32 { far?.number ?? -1 }

  /// Gives the child's end up and writes whenever the child takes more.
  func begin() throws(SystemError) {
    far = nil
    source = try near?.watch(on: loop, .writable) { [self] in writeAvailable() }
  }

  func close() {
    if let source { loop.cancel(source) }
    source = nil
    near = nil
  }

  private func writeAvailable() {
    do {
      let count = try rest.withUnsafeBytes { (bytes) throws(SystemError) in
        try near?.write(bytes)
      }
      rest = rest.dropFirst(count ?? 0)
      if rest.isEmpty { close() }
    } catch {
      // The child reads no more.
      close()
    }
  }
}

extension FileDescriptor {
  fileprivate borrowing func watch(
    on loop: EventLoop, _ interest: EventLoop.Interest = .readable, _ body: @escaping () -> Void
  ) throws(SystemError) -> EventLoop.Source {
    try loop.watch(self, interest, body)
  }
}

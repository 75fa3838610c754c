import Glibc
import Posix

@testable import Netlink

/// The bytes of an integer as the kernel lays it out on this machine: the lowest first.
func raw(_ value: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: value.littleEndian) { Array($0) }
}

/// An attribute with its header and padding.
func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
  let bytes = raw(UInt16(4 + value.count)) + raw(type) + value
  return bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
}

/// A whole message with a right length.
func message(_ type: UInt16, _ parts: [UInt8]...) -> [UInt8] {
  let payload = Array(parts.joined())
  return raw(UInt32(16 + payload.count)) + raw(type) + [0, 0] + raw(UInt32(0)) + raw(UInt32(0))
    + payload
}

/// What `body` makes of the first message that is found in the bytes.
func read<Value>(_ bytes: [UInt8], _ body: (Message) -> Value?) -> Value? {
  bytes.withUnsafeBytes { buffer in
    var messages = MessageSequence(Bytes(buffer))
    return messages.next().flatMap(body)
  }
}

/// Memory behind which nothing can be read, so that a read beyond the end of bytes is a crash.
final class Guarded {
  private let pages: UnsafeMutableRawPointer
  private static let size = 4096

  init?() {
    let result = mmap(
      nil, 2 * Guarded.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let result, result != MAP_FAILED,
      mprotect(result + Guarded.size, Guarded.size, PROT_NONE) == 0
    else { return nil }
    pages = result
  }

  deinit { munmap(pages, 2 * Guarded.size) }

  func withBytes<Result>(_ bytes: some Collection<UInt8>, _ body: (Bytes) -> Result) -> Result {
    let start = pages + (Guarded.size - bytes.count)
    let buffer = UnsafeMutableRawBufferPointer(start: start, count: bytes.count)
    buffer.copyBytes(from: bytes)
    return body(Bytes(UnsafeRawBufferPointer(buffer)))
  }
}

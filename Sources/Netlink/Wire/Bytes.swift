internal import Posix

/// Bytes that lie in a receive buffer, read with bounds checks; valid until the buffer is reused.
public struct Bytes {
  private let buffer: UnsafeRawBufferPointer

  /// A view on bytes that stay in place for as long as it is used.
  public init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

  var count: Int { buffer.count }

  /// Reads a C struct or integer, or nothing where the bytes end before it does.
  func load<Value: BitwiseCopyable>(_: Value.Type, at offset: Int = 0) -> Value? {
    guard offset >= 0, count - offset >= MemoryLayout<Value>.size else { return nil }
    return buffer.loadUnaligned(fromByteOffset: offset, as: Value.self)
  }

  func prefix(_ length: Int) -> Bytes {
    Bytes(UnsafeRawBufferPointer(rebasing: buffer.prefix(max(0, length))))
  }

  func dropFirst(_ length: Int) -> Bytes {
    Bytes(UnsafeRawBufferPointer(rebasing: buffer.dropFirst(max(0, length))))
  }

  /// The text up to the first NUL; bytes that are no UTF-8 are replaced.
  var text: String { String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self) }

  var address: IPAddress? { IPAddress(networkBytes: buffer) }

  var hardwareAddress: HardwareAddress? { HardwareAddress(networkBytes: buffer) }

  /// A copy that outlasts the buffer.
  var copy: [UInt8] { Array(buffer) }
}

/// Netlink pads every message and attribute to four bytes.
func aligned(_ length: Int) -> Int { (length + 3) & ~3 }

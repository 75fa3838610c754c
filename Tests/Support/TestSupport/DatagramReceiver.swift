internal import Glibc
internal import Posix

/// Takes datagrams at a path or, after an `@`, at a name in the abstract namespace; unix(7).
public final class DatagramReceiver: Sendable {
  private let descriptor: FileDescriptor
  private let taken = Record<String>()

  /// Listens there.
  public init(at address: String) throws {
    descriptor = FileDescriptor(
      owning: socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0))
    var place = sockaddr_un()
    place.sun_family = sa_family_t(AF_UNIX)
    let path = Array(address.utf8)
    withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: path) }
    if address.hasPrefix("@") { place.sun_path.0 = 0 }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
    let number = descriptor.number
    let result = withUnsafePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, length) }
    }
    guard result == 0 else { throw SystemError("listen at \(address)") }
  }

  /// All that has come until now, in its order.
  public var all: [String] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while let count = try? bytes.withUnsafeMutableBytes({ try descriptor.read(into: $0) }) {
      taken.note(String(decoding: bytes[..<count], as: UTF8.self))
    }
    return taken.all
  }
}

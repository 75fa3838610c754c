internal import CNetlink
internal import Posix

/// Builds requests, several to a datagram where wanted.
struct MessageWriter {
  private(set) var bytes: [UInt8] = []
  private var start = 0

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Appends one request: header, fixed part, then what `attributes` adds.
  mutating func request<Info: BitwiseCopyable>(
    _ type: Int, flags: Int32 = 0, sequence: UInt32, _ info: Info,
    attributes: (inout MessageWriter) -> Void = { _ in }
  ) {
    start = bytes.count
    append(
      nlmsghdr(
        nlmsg_len: 0, nlmsg_type: UInt16(type), nlmsg_flags: UInt16(NLM_F_REQUEST | flags),
        nlmsg_seq: sequence, nlmsg_pid: 0))
    append(info)
    pad()
    attributes(&self)
    let length = UInt32(bytes.count - start)
    withUnsafeBytes(of: length) { bytes.replaceSubrange(start..<start + 4, with: $0) }
  }

  mutating func attribute(_ type: Int, _ value: Int32) {
    append(rtattr(rta_len: 8, rta_type: UInt16(type)))
    append(value)
  }

  /// A text with its NUL.
  mutating func attribute(_ type: Int, _ value: String) {
    let length = MemoryLayout<rtattr>.size + value.utf8.count + 1
    append(rtattr(rta_len: UInt16(clamping: length), rta_type: UInt16(type)))
    bytes += value.utf8
    bytes.append(0)
    pad()
  }

  mutating func attribute(_ type: Int, _ value: IPAddress) {
    let length = MemoryLayout<rtattr>.size + Int(value.family.bitCount / 8)
    append(rtattr(rta_len: UInt16(length), rta_type: UInt16(type)))
    value.append(to: &bytes)
  }

  private mutating func append<Value: BitwiseCopyable>(_ value: Value) {
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }

  private mutating func pad() {
    while bytes.count % 4 != 0 { bytes.append(0) }
  }
}

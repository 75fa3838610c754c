internal import CNetlink

/// A netlink message as it lies in a datagram: a header, and the bytes that follow it.
struct Message {
  let header: nlmsghdr
  let payload: Bytes

  var type: Int { Int(header.nlmsg_type) }

  /// The payload as rtnetlink lays it out: a C struct, then attributes.
  func split<Info: BitwiseCopyable>(_: Info.Type) -> (info: Info, attributes: Attributes)? {
    payload.load(Info.self).map {
      ($0, Attributes(payload.dropFirst(aligned(MemoryLayout<Info>.size))))
    }
  }

  /// The errno of an NLMSG_ERROR, 0 for an acknowledgement; nil for any other message.
  var errorCode: Int32? {
    guard type == Int(NLMSG_ERROR) else { return nil }
    return payload.load(Int32.self).map { $0 == .min ? .max : -$0 } ?? 0
  }
}

/// The messages of one datagram; never reads past a length that the kernel gave.
struct MessageSequence: Sequence, IteratorProtocol {
  private var rest: Bytes

  init(_ datagram: Bytes) { rest = datagram }

  mutating func next() -> Message? {
    guard let header = rest.load(nlmsghdr.self) else { return nil }
    let length = Int(header.nlmsg_len)
    guard length >= MemoryLayout<nlmsghdr>.size, length <= rest.count else { return nil }
    let payload = rest.prefix(length).dropFirst(MemoryLayout<nlmsghdr>.size)
    rest = rest.dropFirst(aligned(length))
    return Message(header: header, payload: payload)
  }
}

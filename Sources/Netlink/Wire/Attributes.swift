internal import CNetlink
internal import Posix

/// One attribute of a message: the kernel's number for it, and its value.
struct Attribute {
  let type: Int
  let value: Bytes

  /// The value as an integer or struct of exactly that size.
  func load<Value: BitwiseCopyable>(_: Value.Type) -> Value? {
    value.count == MemoryLayout<Value>.size ? value.load(Value.self) : nil
  }
}

/// The attributes that follow a message's fixed part, in the kernel's order.
struct Attributes: Sequence, IteratorProtocol {
  private var rest: Bytes

  init(_ bytes: Bytes) { rest = bytes }

  mutating func next() -> Attribute? {
    guard let header = rest.load(rtattr.self) else { return nil }
    let length = Int(header.rta_len)
    guard length >= MemoryLayout<rtattr>.size, length <= rest.count else { return nil }
    let value = rest.prefix(length).dropFirst(MemoryLayout<rtattr>.size)
    rest = rest.dropFirst(aligned(length))
    let type = Int(header.rta_type) & ~(Int(NLA_F_NESTED) | Int(NLA_F_NET_BYTEORDER))
    return Attribute(type: type, value: value)
  }
}

/// Lets the kernel's names of a route's attributes stand in a `case`.
func ~= (name: rtattr_type_t, type: Int) -> Bool { type == Int(name.rawValue) }

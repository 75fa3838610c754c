internal import CNetlink
internal import Glibc
public import Posix

/// A socket to the kernel's network tables, bound when made and never blocking; netlink(7).
public struct NetlinkSocket: ~Copyable {
  /// Becomes readable when the kernel has sent something.
  public let descriptor: FileDescriptor
  private let port: UInt32
  private let storage: UnsafeMutableRawBufferPointer

  /// The size of a read: the kernel fills dumps up to 32 KiB.
  private static let storageSize = 65536

  /// Opens a socket of NETLINK_ROUTE.
  public init() throws(SystemError) { try self.init(protocol: NETLINK_ROUTE) }

  /// Opens a socket of one of the protocols of netlink(7).
  init(protocol: Int32) throws(SystemError) {
    let number = socket(
      AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
      `protocol`)
    guard number >= 0 else { throw SystemError("open a netlink socket") }
    let descriptor = FileDescriptor(owning: number)
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(number, $0, length) == 0 && getsockname(number, $0, &length) == 0
      }
    }
    guard bound else { throw SystemError("bind a netlink socket") }
    self.descriptor = descriptor
    port = address.nl_pid
    storage = .allocate(byteCount: NetlinkSocket.storageSize, alignment: 8)
  }

  deinit { storage.deallocate() }

  /// Switches an option of SOL_NETLINK on; false where this kernel lacks it.
  borrowing func enable(_ option: Int32) -> Bool {
    var on: Int32 = 1
    return setsockopt(
      descriptor.number, SOL_NETLINK, option, &on, socklen_t(MemoryLayout<Int32>.size)) == 0
  }

  /// Joins a multicast group, RTNLGRP_….
  borrowing func join(_ group: rtnetlink_groups) throws(SystemError) {
    try join(group: group.rawValue)
  }

  /// Joins a multicast group by its number.
  borrowing func join(group: UInt32) throws(SystemError) {
    guard setMembership(Int32(NETLINK_ADD_MEMBERSHIP), group) else {
      throw SystemError("join netlink group \(group)")
    }
  }

  /// Leaves a multicast group; what it has sent already is still to be read.
  borrowing func leave(_ group: rtnetlink_groups) {
    _ = setMembership(Int32(NETLINK_DROP_MEMBERSHIP), group.rawValue)
  }

  private borrowing func setMembership(_ option: Int32, _ group: UInt32) -> Bool {
    var number = group
    return setsockopt(
      descriptor.number, SOL_NETLINK, option, &number, socklen_t(MemoryLayout<UInt32>.size)) == 0
  }

  /// Asks for room for that many bytes; what the kernel grants is less where it limits us.
  borrowing func reserve(_ size: Int32) {
    var size = size
    let length = socklen_t(MemoryLayout<Int32>.size)
    if setsockopt(descriptor.number, SOL_SOCKET, SO_RCVBUFFORCE, &size, length) != 0 {
      setsockopt(descriptor.number, SOL_SOCKET, SO_RCVBUF, &size, length)
    }
  }

  /// Sends requests, one or several in a datagram.
  borrowing func send(_ writer: borrowing MessageWriter) throws(SystemError) {
    let bytes = writer.bytes
    while Glibc.send(descriptor.number, bytes, bytes.count, 0) < 0 {
      guard errno == EINTR else { throw SystemError("send a netlink request") }
    }
  }

  /// What one read gave.
  enum Reception {
    case datagram(Bytes)
    /// The kernel dropped messages: what is queued is followed by a gap.
    case overrun
    case empty
  }

  /// Reads one datagram; those that the kernel did not send are passed over.
  borrowing func receive() throws(SystemError) -> Reception {
    while true {
      var sender = sockaddr_nl()
      var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
      let count = withUnsafeMutablePointer(to: &sender) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          recvfrom(descriptor.number, storage.baseAddress, storage.count, 0, $0, &length)
        }
      }
      if count >= 0 {
        guard sender.nl_pid == 0 else { continue }
        return .datagram(Bytes(UnsafeRawBufferPointer(rebasing: storage[..<count])))
      }
      switch errno {
      case EINTR: continue
      case ENOBUFS: return .overrun
      case EAGAIN: return .empty
      default: throw SystemError("receive from netlink")
      }
    }
  }

  /// Reads several small datagrams at once and gives each, with whether its slot cut it short, to
  /// `body`; returns how many there were.
  ///
  /// For replies, whose port is checked in their headers, on a socket that has joined no group.
  borrowing func receiveMany(_ body: (Bytes, Bool) -> Void) -> Int {
    let slot = 2048
    var datagrams = InlineArray<32, cnetlink_datagram>(repeating: cnetlink_datagram())
    var span = datagrams.mutableSpan
    let count = span.withUnsafeMutableBufferPointer {
      cnetlink_receive_many(
        descriptor.number, storage.baseAddress, slot, UInt32($0.count), $0.baseAddress)
    }
    guard count > 0 else { return 0 }
    for index in 0..<Int(count) {
      let bytes = UnsafeRawBufferPointer(rebasing: storage[(index * slot)...])
      body(Bytes(bytes).prefix(min(slot, Int(span[index].length))), span[index].truncated != 0)
    }
    return Int(count)
  }

  /// Overwrites what was read last: the kernel may have sent keys.
  borrowing func erase() {
    guard let base = storage.baseAddress else { return }
    explicit_bzero(base, storage.count)
  }

  /// Whether a reply is to a request of this socket with that sequence number.
  borrowing func isReply(_ message: Message, to sequence: UInt32) -> Bool {
    message.header.nlmsg_seq == sequence && message.header.nlmsg_pid == port
  }

  /// Whether a reply is to any request of this socket.
  borrowing func isReply(_ message: Message) -> Bool { message.header.nlmsg_pid == port }
}

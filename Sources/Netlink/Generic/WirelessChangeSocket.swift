internal import CNetlink
public import Posix

/// Hears that a WiFi interface joined a network, left it or roamed, of which a roam within one
/// association gives no other sign.
public struct WirelessChangeSocket: ~Copyable {
  private let socket: NetlinkSocket
  private let family: UInt16

  /// Joins the group of nl80211 that tells of associations; no privilege needed.
  ///
  /// - Parameter family: nl80211's; nil is returned where it has no such group.
  /// - Throws: what the kernel says where the group cannot be joined.
  public init?(_ family: GenericFamily) throws(SystemError) {
    guard let group = family.groups[NL80211_MULTICAST_GROUP_MLME] else { return nil }
    let socket = try NetlinkSocket(protocol: NETLINK_GENERIC)
    try socket.join(group: group)
    self.socket = socket
    self.family = family.id
  }

  /// Becomes readable when there are hints.
  public var descriptor: FileDescriptor {
    _read { yield socket.descriptor }
  }

  /// Reads everything that has arrived; whether it says that an association changed.
  public borrowing func drain() throws(SystemError) -> Bool {
    var changed = false
    while true {
      switch try socket.receive() {
      case .datagram(let bytes):
        if WirelessChangeSocket.tellsOfAssociation(bytes, family: family) { changed = true }
      case .overrun: changed = true
      case .empty: return changed
      }
    }
  }

  /// Whether a message in it says that an interface joined, left or roamed.
  static func tellsOfAssociation(_ datagram: Bytes, family: UInt16) -> Bool {
    let commands = [NL80211_CMD_CONNECT, NL80211_CMD_ROAM, NL80211_CMD_DISCONNECT]
    return MessageSequence(datagram).contains { message in
      guard message.type == Int(family), let info = message.payload.load(genlmsghdr.self) else {
        return false
      }
      return commands.contains { $0.rawValue == UInt32(info.cmd) }
    }
  }
}

internal import CNetlink

/// A family of generic netlink: a part of the kernel that is spoken to by a name, under a number that
/// it gets when it is loaded; linux/genetlink.h.
public struct GenericFamily: Hashable, Sendable {
  /// The type of its messages.
  public var id: UInt16
  /// The numbers of its multicast groups, by their names.
  public var groups: [String: UInt32]

  /// A family, built by hand.
  public init(id: UInt16, groups: [String: UInt32] = [:]) {
    self.id = id
    self.groups = groups
  }

  /// Reads a CTRL_CMD_NEWFAMILY; nil for any other message.
  init?(_ message: Message) {
    guard message.type == Int(GENL_ID_CTRL),
      let (info, attributes) = message.split(genlmsghdr.self),
      Int(info.cmd) == CTRL_CMD_NEWFAMILY
    else { return nil }
    var id: UInt16?
    var groups: [String: UInt32] = [:]
    for attribute in attributes {
      switch attribute.type {
      case CTRL_ATTR_FAMILY_ID: id = attribute.load(UInt16.self)
      case CTRL_ATTR_MCAST_GROUPS:
        for group in Attributes(attribute.value) { group.readGroup(into: &groups) }
      default: break
      }
    }
    // The numbers below are the control messages of every netlink protocol.
    guard let id, Int32(id) >= GENL_MIN_ID else { return nil }
    self.init(id: id, groups: groups)
  }
}

extension Attribute {
  fileprivate func readGroup(into groups: inout [String: UInt32]) {
    var name: String?
    var number: UInt32?
    for attribute in Attributes(value) {
      switch attribute.type {
      case CTRL_ATTR_MCAST_GRP_NAME: name = attribute.value.text
      case CTRL_ATTR_MCAST_GRP_ID: number = attribute.load(UInt32.self)
      default: break
      }
    }
    if let name, let number { groups[name] = number }
  }
}

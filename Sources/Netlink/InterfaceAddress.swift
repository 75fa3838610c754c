internal import CNetlink
public import Posix

/// An address that is assigned to an interface; rtnetlink(7), RTM_NEWADDR.
public struct InterfaceAddress: Hashable, Sendable {
  /// The address itself.
  public var address: IPAddress
  /// The interface's index.
  public var interface: Int32
  /// The bits of its subnet.
  public var prefixLength: UInt8
  /// How far it is good for: 0 everywhere, 253 on its link, 254 on this machine; RT_SCOPE_….
  public var scope: UInt8
  /// The IFA_F_… flags of linux/if_addr.h.
  public var flags: UInt32

  /// An address, built by hand.
  public init(
    address: IPAddress, interface: Int32, prefixLength: UInt8, scope: UInt8 = 0, flags: UInt32 = 0
  ) {
    self.address = address
    self.interface = interface
    self.prefixLength = prefixLength
    self.scope = scope
    self.flags = flags
  }

  /// Whether packets may carry it: not while IPv6 still looks for a duplicate, or has found one.
  public var isUsable: Bool { flags & UInt32(IFA_F_TENTATIVE | IFA_F_DADFAILED) == 0 }

  /// Whether it can be the source of packets that leave the link.
  public var isSource: Bool {
    guard isUsable else { return false }
    return address.family == .ipv4 ? scope < UInt8(RT_SCOPE_HOST.rawValue) : scope == 0
  }

  /// Reads an RTM_NEWADDR or RTM_DELADDR; nil for other families.
  init?(_ message: Message) {
    guard let (info, attributes) = message.split(ifaddrmsg.self) else { return nil }
    var flags = UInt32(info.ifa_flags)
    var local: IPAddress?
    var peer: IPAddress?
    for attribute in attributes {
      switch attribute.type {
      case IFA_LOCAL: local = attribute.value.address
      // On a point-to-point link IFA_ADDRESS is the other end; elsewhere it is the address.
      case IFA_ADDRESS: peer = attribute.value.address
      case IFA_FLAGS: flags = attribute.load(UInt32.self) ?? flags
      default: break
      }
    }
    guard let address = local ?? peer, address.family.number == info.ifa_family else { return nil }
    self.init(
      address: address, interface: Int32(bitPattern: info.ifa_index),
      prefixLength: info.ifa_prefixlen, scope: info.ifa_scope, flags: flags)
  }
}

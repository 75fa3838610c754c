internal import CNetlink
public import Posix

/// What the kernel knows of an address on a link; rtnetlink(7), RTM_NEWNEIGH.
public struct Neighbour: Hashable, Sendable {
  /// An address, and the interface on whose link it is.
  public struct Place: Hashable, Sendable {
    /// The interface's index.
    public var interface: Int32
    /// The address.
    public var address: IPAddress

    /// A place, built by hand.
    public init(_ address: IPAddress, interface: Int32) {
      self.interface = interface
      self.address = address
    }
  }

  /// Where it is.
  public var place: Place
  /// Its hardware address, while the kernel has one for it.
  public var hardwareAddress: HardwareAddress?
  /// Whether it was asked and did not answer; IPv6 passes such a router over.
  public var hasFailed: Bool

  /// A neighbour, built by hand.
  public init(
    _ place: Place, hardwareAddress: HardwareAddress? = nil, hasFailed: Bool = false
  ) {
    self.place = place
    self.hardwareAddress = hardwareAddress
    self.hasFailed = hasFailed
  }

  /// Reads an RTM_NEWNEIGH or RTM_DELNEIGH; nil for what is no neighbour of an IP family, such as a
  /// bridge's own table, and for an address that this machine answers for.
  init?(_ message: Message) {
    guard let (info, attributes) = message.split(ndmsg.self),
      info.ndm_flags & UInt8(NTF_PROXY) == 0
    else { return nil }
    var address: IPAddress?
    var hardwareAddress: HardwareAddress?
    for attribute in attributes {
      switch attribute.type {
      case Int(NDA_DST): address = attribute.value.address
      case Int(NDA_LLADDR): hardwareAddress = attribute.value.hardwareAddress
      default: break
      }
    }
    guard let address, address.family.number == info.ndm_family else { return nil }
    self.init(Place(address, interface: info.ndm_ifindex))
    // What is said of an entry that goes is no longer so.
    guard message.type == Int(RTM_NEWNEIGH) else { return }
    self.hardwareAddress = hardwareAddress
    hasFailed = info.ndm_state & UInt16(NUD_FAILED) != 0
  }
}

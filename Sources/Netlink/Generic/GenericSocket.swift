internal import CNetlink
internal import Glibc
public import Posix

/// Asks families of generic netlink: nl80211 for WiFi, WireGuard for its peers.
///
/// The kernel answers a request while it is being sent, so nothing here waits.
public struct GenericSocket: ~Copyable {
  private let socket: NetlinkSocket
  private var writer = MessageWriter()
  private var sequence: UInt32 = 0

  /// Opens the socket; no privilege needed.
  public init() throws(SystemError) {
    socket = try NetlinkSocket(protocol: NETLINK_GENERIC)
    _ = socket.enable(Int32(NETLINK_CAP_ACK))
  }

  /// The family of that name; nil where the kernel has none.
  ///
  /// A kernel that has none tries to load a module for it first, so a name is worth asking for only
  /// where an interface shows that its module is there.
  public mutating func family(named name: String) throws(SystemError) -> GenericFamily? {
    let operation = "ask for netlink family \(name)"
    try send(GENL_ID_CTRL, command: CTRL_CMD_GETFAMILY) { writer in
      writer.attribute(CTRL_ATTR_FAMILY_NAME, name)
    }
    while case .datagram(let bytes) = try socket.receive() {
      for message in MessageSequence(bytes) where socket.isReply(message, to: sequence) {
        if message.errorCode == ENOENT { return nil }
        if let code = message.errorCode { throw SystemError(operation, code: code) }
        return GenericFamily(message)
      }
    }
    throw SystemError(operation, code: ENOBUFS)
  }

  /// All WiFi interfaces of this network namespace, from nl80211's family; throws what the kernel
  /// says, for one where the family has gone.
  public mutating func wirelessInterfaces(
    _ family: GenericFamily
  ) throws(SystemError) -> [WirelessInterface] {
    var found: [WirelessInterface] = []
    try dump(family, command: Int(NL80211_CMD_GET_INTERFACE.rawValue), "list WiFi interfaces") {
      message in
      if message == nil { found.removeAll() }
      if let message, let interface = WirelessInterface(message) { found.append(interface) }
    }
    // Linux 6.1 tells the name only to those who have the kernel do the whole association.
    for position in found.indices where found[position].isNamelessStation {
      found[position].ssid = try joinedNetwork(of: found[position].index, family)?.ssid ?? []
    }
    return found
  }

  /// The network that an interface has joined, as the last scan knows it.
  private mutating func joinedNetwork(
    of interface: Int32, _ family: GenericFamily
  ) throws(SystemError) -> ScannedNetwork? {
    var joined: ScannedNetwork?
    try dump(
      family, command: Int(NL80211_CMD_GET_SCAN.rawValue), "list WiFi networks",
      attributes: { $0.attribute(Int(NL80211_ATTR_IFINDEX.rawValue), interface) }
    ) { message in
      if message == nil { joined = nil }
      if let message, let network = ScannedNetwork(message), network.isJoined { joined = network }
    }
    return joined
  }

  /// The WireGuard interface of an index, from WireGuard's family; throws what the kernel says,
  /// which needs CAP_NET_ADMIN.
  public mutating func wireGuardDevice(
    _ interface: Int32, _ family: GenericFamily
  ) throws(SystemError) -> WireGuardDevice {
    // The kernel sends the keys along.
    defer { socket.erase() }
    var device = WireGuardDevice()
    try dump(
      family, command: Int(WG_CMD_GET_DEVICE.rawValue), "list WireGuard peers",
      attributes: { $0.attribute(Int(WGDEVICE_A_IFINDEX.rawValue), interface) }
    ) { message in
      if let message { device.add(message) } else { device = WireGuardDevice() }
    }
    return device
  }

  // MARK: -

  private mutating func send(
    _ type: Int32, command: Int, flags: Int32 = 0,
    attributes: (inout MessageWriter) -> Void = { _ in }
  ) throws(SystemError) {
    sequence &+= 1
    writer.removeAll()
    writer.request(
      Int(type), flags: flags, sequence: sequence,
      genlmsghdr(cmd: UInt8(command), version: 1, reserved: 0), attributes: attributes)
    try socket.send(writer)
  }

  /// Lists what a family knows; `body` gets nil before each attempt, since one that the kernel says
  /// was interrupted by a change is made again.
  private mutating func dump(
    _ family: GenericFamily, command: Int, _ operation: String,
    attributes: (inout MessageWriter) -> Void = { _ in }, _ body: (Message?) -> Void
  ) throws(SystemError) {
    for _ in 0..<20 {
      body(nil)
      try send(Int32(family.id), command: command, flags: NLM_F_DUMP, attributes: attributes)
      if try socket.receiveDump(sequence, operation, body) { return }
    }
  }
}

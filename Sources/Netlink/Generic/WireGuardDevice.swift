internal import CNetlink
public import Posix

/// Where a WireGuard interface sends its packets; linux/wireguard.h, WG_CMD_GET_DEVICE.
public struct WireGuardDevice: Hashable, Sendable {
  /// The address that packets for a peer are sent to.
  public struct Endpoint: Hashable, Sendable {
    /// The peer's address.
    public var address: IPAddress
    /// The interface on which a link-local address is meant; 0 elsewhere.
    public var scope: Int32
    /// When the peer last proved to be there, in Unix seconds; 0 for never.
    public var lastHandshake: Int64

    /// An endpoint, built by hand.
    public init(_ address: IPAddress, scope: Int32 = 0, lastHandshake: Int64 = 0) {
      self.address = address
      self.scope = scope
      self.lastHandshake = lastHandshake
    }
  }

  /// The mark that its packets carry, by which policy rules keep them out of the tunnel; 0 for none.
  public var mark: UInt32 = 0
  /// The endpoints of its peers, the one that was heard last first.
  public private(set) var endpoints: [Endpoint] = []

  /// An interface without peers.
  public init() {}

  /// An interface, built by hand.
  public init(mark: UInt32 = 0, endpoints: [Endpoint]) {
    self.mark = mark
    for endpoint in endpoints { add(endpoint) }
  }

  /// Adds what a message of the dump tells: a device with many peers takes several.
  mutating func add(_ message: Message) {
    guard let (info, attributes) = message.split(genlmsghdr.self),
      UInt32(info.cmd) == WG_CMD_GET_DEVICE.rawValue
    else { return }
    for attribute in attributes {
      switch attribute.type {
      case WGDEVICE_A_FWMARK: mark = attribute.load(UInt32.self) ?? mark
      case WGDEVICE_A_PEERS:
        for peer in Attributes(attribute.value) {
          if let endpoint = Endpoint(Attributes(peer.value)) { add(endpoint) }
        }
      default: break
      }
    }
  }

  /// A server has thousands of peers; those heard last say enough.
  private static let mostEndpoints = 8

  private mutating func add(_ endpoint: Endpoint) {
    let position = endpoints.firstIndex { $0.lastHandshake < endpoint.lastHandshake }
    endpoints.insert(endpoint, at: position ?? endpoints.count)
    if endpoints.count > WireGuardDevice.mostEndpoints { endpoints.removeLast() }
  }
}

extension WireGuardDevice.Endpoint {
  /// Reads a peer; nil for one that has no endpoint yet.
  fileprivate init?(_ attributes: Attributes) {
    var place: (address: IPAddress, scope: Int32)?
    var lastHandshake: Int64 = 0
    for attribute in attributes {
      switch attribute.type {
      case WGPEER_A_ENDPOINT: place = attribute.value.endpoint
      // A timespec of two 64-bit numbers.
      case WGPEER_A_LAST_HANDSHAKE_TIME: lastHandshake = attribute.value.load(Int64.self) ?? 0
      default: break
      }
    }
    guard let place else { return nil }
    self.init(place.address, scope: place.scope, lastHandshake: lastHandshake)
  }
}

extension Bytes {
  /// The address in a sockaddr_in, ip(7), or a sockaddr_in6, ipv6(7).
  fileprivate var endpoint: (address: IPAddress, scope: Int32)? {
    guard let number = load(UInt16.self),
      let family = IPAddress.Family(number: UInt8(clamping: number))
    else { return nil }
    let length = Int(family.bitCount / 8)
    let address = dropFirst(family == .ipv4 ? 4 : 8).prefix(length).address
    guard let address, address.family == family else { return nil }
    return (address, family == .ipv4 ? 0 : load(Int32.self, at: 24) ?? 0)
  }
}

/// Lets the kernel's names of WireGuard's attributes stand in a `case`.
func ~= (name: wgdevice_attribute, type: Int) -> Bool { type == Int(name.rawValue) }
func ~= (name: wgpeer_attribute, type: Int) -> Bool { type == Int(name.rawValue) }

internal import Netlink
public import Posix

/// What is known of the networks that the links of one moment are on.
struct Surroundings: Sendable {
  /// The names of WiFi networks, by the index of the interface that joined them.
  var ssids: [Int32: String] = [:]
  /// The routers that default routes on a link lead to, by its index; only where somebody asks.
  var gateways: [Int32: [Gateway]] = [:]
  /// What services of the system say of interfaces, by their indexes.
  var managed: [Int32: ManagedInterface] = [:]

  /// A router, with its hardware address where that is known.
  struct Gateway: Hashable, Sendable {
    let address: IPAddress
    let hardwareAddress: HardwareAddress?
  }
}

/// What about a link does not fit a network.
public enum NetworkDifference: Hashable, Sendable {
  /// The name of its WiFi network; nil where it has none that can be told.
  case ssid(String?)
  /// The hardware addresses of its routers; empty where none is known.
  case gatewayMAC([HardwareAddress])
  /// Its addresses.
  case subnet([IPAddress])
}

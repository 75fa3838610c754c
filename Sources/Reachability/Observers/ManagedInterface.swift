internal import DBus
internal import Netlink
internal import Posix

/// What a service of the system that manages networks says of an interface.
struct ManagedInterface: Hashable, Sendable {
  /// Whether its traffic is paid for by volume; nil where nobody says.
  var isMetered: Bool?
  /// Whether it belongs to a modem.
  var isModem = false
  /// Whether it leads over Bluetooth.
  var isBluetooth = false
  /// The hardware address, by which it is told from one of that name in another network namespace;
  /// nil where it has none.
  var hardwareAddress: HardwareAddress?

  /// Whether it is that interface.
  func isAbout(_ link: Link) -> Bool {
    hardwareAddress == nil || hardwareAddress == link.hardwareAddress
  }
}

/// A service on the system's bus that knows interfaces.
protocol NetworkService: SendableMetatype {
  /// Which messages may tell that it knows something else now.
  static var rules: [String] { get }

  /// Whether such a message does.
  static func isNews(_ values: [BusValue]) -> Bool

  /// Asks for all that it knows, by interface name; nothing where it does not run.
  static func read(
    over bus: BusConnection, completion: @escaping ([String: ManagedInterface]) -> Void)
}

extension NetworkService {
  /// The rule for a service that comes or goes.
  static func lifeRule(_ name: String) -> String {
    "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(name)'"
  }

  /// The rule for changed properties of an interface of D-Bus.
  static func propertyRule(_ service: String, _ interface: String) -> String {
    "type='signal',sender='\(service)',interface='org.freedesktop.DBus.Properties',"
      + "member='PropertiesChanged',arg0='\(interface)'"
  }

  /// Whether a message tells of one of these properties; one that is no PropertiesChanged does.
  static func tells(_ values: [BusValue], of names: Set<String>) -> Bool {
    guard values.count == 3, let changed = values[1].entries else { return true }
    let invalidated = values[2].elements?.compactMap(\.string) ?? []
    return !names.isDisjoint(with: changed.keys) || !names.isDisjoint(with: invalidated)
  }

  /// A call that asks for all properties of an object.
  static func properties(
    of path: String, _ interface: String, _ service: String
  ) -> BusConnection.Call {
    BusConnection.Call(
      service, path: path, interface: "org.freedesktop.DBus.Properties", member: "GetAll",
      arguments: [interface])
  }
}

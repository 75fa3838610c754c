internal import DBus
internal import Posix

/// NetworkManager's devices: the interface of each, and whether it is metered.
enum NetworkManager: NetworkService {
  private static let name = "org.freedesktop.NetworkManager"
  private static let path = "/org/freedesktop/NetworkManager"
  private static let device = "org.freedesktop.NetworkManager.Device"

  static let rules = [
    lifeRule(name),
    "type='signal',sender='\(name)',interface='\(name)',member='DeviceAdded'",
    "type='signal',sender='\(name)',interface='\(name)',member='DeviceRemoved'",
    propertyRule(name, device),
  ]

  static func isNews(_ values: [BusValue]) -> Bool {
    tells(values, of: ["Interface", "IpInterface", "Metered", "DeviceType", "HwAddress"])
  }

  static func read(
    over bus: BusConnection, completion: @escaping ([String: ManagedInterface]) -> Void
  ) {
    let devices = BusConnection.Call(name, path: path, interface: name, member: "GetDevices")
    bus.send(devices) { [unowned bus] answer in
      guard case .values(let values) = answer, let paths = values.first?.elements else {
        return completion([:])
      }
      bus.send(paths.compactMap(\.string).map { properties(of: $0, device, name) }) { answers in
        let found = answers.compactMap { $0.first?.entries.flatMap(interface) }
        completion(Dictionary(found) { _, last in last })
      }
    }
  }

  /// Reads a device's properties; nil for one that has no interface.
  static func interface(of properties: [String: BusValue]) -> (String, ManagedInterface)? {
    let names = [properties["IpInterface"], properties["Interface"]].compactMap { $0?.string }
    guard let name = names.first(where: { !$0.isEmpty }) else { return nil }
    var interface = ManagedInterface()
    // NMMetered: 1 and 2 are yes and no, 3 and 4 its guesses of them.
    interface.isMetered =
      switch properties["Metered"]?.integer {
      case 1, 3: true
      case 2, 4: false
      default: nil
      }
    // NMDeviceType.
    interface.isModem = properties["DeviceType"]?.integer == 8
    interface.isBluetooth = properties["DeviceType"]?.integer == 5
    // A modem's or a telephone's is not the interface's.
    if !interface.isModem, !interface.isBluetooth {
      interface.hardwareAddress = properties["HwAddress"]?.string.flatMap { HardwareAddress($0) }
    }
    return (name, interface)
  }
}

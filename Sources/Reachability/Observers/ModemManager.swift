internal import DBus

/// ModemManager's modems: the interfaces over which their connections go.
enum ModemManager: NetworkService {
  private static let name = "org.freedesktop.ModemManager1"
  private static let path = "/org/freedesktop/ModemManager1"
  private static let modem = "org.freedesktop.ModemManager1.Modem"
  private static let bearer = "org.freedesktop.ModemManager1.Bearer"

  static let rules = [
    lifeRule(name),
    "type='signal',sender='\(name)',interface='org.freedesktop.DBus.ObjectManager'",
    propertyRule(name, modem), propertyRule(name, bearer),
  ]

  static func isNews(_ values: [BusValue]) -> Bool {
    tells(values, of: ["Bearers", "Interface", "Connected"])
  }

  static func read(
    over bus: BusConnection, completion: @escaping ([String: ManagedInterface]) -> Void
  ) {
    let modems = BusConnection.Call(
      name, path: path, interface: "org.freedesktop.DBus.ObjectManager",
      member: "GetManagedObjects")
    bus.send(modems) { [unowned bus] answer in
      guard case .values(let values) = answer else { return completion([:]) }
      bus.send(bearers(in: values).map { properties(of: $0, bearer, name) }) { answers in
        let found = answers.compactMap { $0.first?.entries.flatMap(interface) }
        completion(Dictionary(found) { _, last in last })
      }
    }
  }

  /// The bearers of all modems, by their paths.
  static func bearers(in objects: [BusValue]) -> [String] {
    let modems = objects.first?.entries?.values.compactMap { $0.entries?[modem]?.entries } ?? []
    return modems.flatMap { $0["Bearers"]?.elements?.compactMap(\.string) ?? [] }.sorted()
  }

  /// Reads a bearer's properties; nil for one that has no interface now.
  static func interface(of properties: [String: BusValue]) -> (String, ManagedInterface)? {
    guard let name = properties["Interface"]?.string, !name.isEmpty else { return nil }
    return (name, ManagedInterface(isModem: true))
  }
}

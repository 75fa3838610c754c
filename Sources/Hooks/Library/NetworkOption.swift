internal import Lua
internal import Posix
internal import Reachability

extension Network {
  /// Reads `network = { ssid = "Home", gateway_mac = "02:…", subnet = "192.168.1.0/24" }`; nil where
  /// it is not given.
  init?(declaredBy options: OptionTable) throws(OptionError) {
    let keys = ["ssid", "gateway_mac", "subnet"]
    guard let table = try options.table("network", keys: keys) else { return nil }
    self.init()
    for text in try table.texts("ssid", most: Network.mostNames) {
      ssids.append(try table.read("ssid") { () throws(TargetError) in try Network.ssid(text) })
    }
    if let text = try table.string("gateway_mac") {
      gatewayMAC = try table.read("gateway_mac") { () throws(TargetError) in
        try Network.hardwareAddress(text)
      }
    }
    if let text = try table.string("subnet") {
      subnet = try table.read("subnet") { () throws(TargetError) in try Network.subnet(text) }
    }
    guard self != Network() else {
      throw options.error("\"network\" needs at least one of ssid, gateway_mac and subnet")
    }
  }

  private static let mostNames = 32
}

extension OptionTable {
  /// Reads a value, and names its key where it is not as it should be.
  fileprivate func read<Value>(
    _ key: String, _ body: () throws(TargetError) -> Value
  ) throws(OptionError) -> Value {
    do { return try body() } catch { throw self.error("\"\(key)\": \(error)") }
  }
}

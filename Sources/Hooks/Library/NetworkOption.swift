internal import Lua
internal import Posix
internal import Reachability

extension Network {
  /// Reads `network = { ssid = "Home", gateway_mac = "02:…", subnet = "192.168.1.0/24" }`; nil where
  /// it is not given.
  init?(declaredBy options: OptionTable) throws(OptionError) {
    guard let table = try options.table("network", as: .networkOptions) else { return nil }
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

extension TableForm {
  static let networkOptions = TableForm(
    "reach.NetworkOptions", "What tells a network: a link that is up fits all that is given.",
    [
      Field("ssid?", "string|string[]", "The WiFi network's name, or a list of names."),
      Field("gateway_mac?", "string", "The router's hardware address: `\"02:00:5e:10:00:01\"`."),
      Field("subnet?", "string", "Where the link's address lies: `\"192.168.1.0/24\"`."),
    ])
}

extension OptionTable {
  /// Reads a value, and names its key where it is not as it should be.
  fileprivate func read<Value>(
    _ key: String, _ body: () throws(TargetError) -> Value
  ) throws(OptionError) -> Value {
    do { return try body() } catch { throw self.error("\"\(key)\": \(error)") }
  }
}

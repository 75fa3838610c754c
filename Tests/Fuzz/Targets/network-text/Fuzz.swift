internal import Fuzzing
internal import Posix
internal import Reachability

/// The values of a network as scripts give them.
@main enum NetworkText: Fuzzer {
  static func check(_ input: Input) {
    let text = input.text
    if let name = try? Network.ssid(text) {
      expect(
        (1...32).contains(name.utf8.count), "a name has 1 to 32 bytes: \(name.debugDescription)")
      let target = try? Target(parsing: "network:\(name)")
      expect(
        target?.subject == .network(Network(ssids: [name])), "\(name.debugDescription) is taken")
      expect(target?.probe == nil, "a network's name holds no port")
    }
    if let address = try? Network.hardwareAddress(text) {
      expect(HardwareAddress(address.description) == address, "\(text) is what \(address) says")
    }
    if let subnet = try? Network.subnet(text) {
      expect((try? Network.subnet(subnet.description)) == subnet, "\(text) is what \(subnet) says")
      expect(subnet.contains(subnet.address), "a subnet holds its first address: \(subnet)")
    }
  }
}

import Posix
import Reachability
import Testing

@testable import Hooks

@Suite struct NetworkDeclarations {
  @Test func `a network is declared by its names, its router and its subnet`() throws {
    let declarations = try load(
      """
      reach.target{ network = { ssid = "Home" } }
      reach.target{ name = "office", network = {
        ssid = { "Office", "Office 5G" }, gateway_mac = "02:00:5E:10:00:01", subnet = "2001:db8::/64" } }
      """
    ).get()
    let office = Network(
      ssids: ["Office", "Office 5G"], gatewayMAC: HardwareAddress("02:00:5e:10:00:01"),
      subnet: try Network.subnet("2001:db8::/64"))
    #expect(
      declarations.targets.suffix(2) == [
        .single(Target(.network(Network(ssids: ["Home"])), name: "network:Home")),
        .single(Target(.network(office), name: "office")),
      ])
  }

  @Test(arguments: [
    ("{}", "\"network\" needs at least one of ssid, gateway_mac and subnet"),
    ("'Home'", "\"network\" must be a table, not \"Home\""),
    ("{ sid = 'Home' }", "network: unknown key \"sid\"; did you mean \"ssid\"?"),
    (
      "{ 'Home' }", "network: a value without a key; its keys are ssid, gateway_mac and subnet"
    ),
    (
      "{ ssid = {} }",
      "network: \"ssid\" must be a string, or a list of 1 to 32 of them, not a table"
    ),
    (
      "{ ssid = { 'a', 5 } }",
      "network: \"ssid\" must be a string, or a list of 1 to 32 of them, not 5"
    ),
    (
      "{ ssid = { home = 'a' } }",
      "network: \"ssid\" must be a string, or a list of 1 to 32 of them, not a table"
    ),
    (
      "{ ssid = 'a\\27b' }",
      "network: \"ssid\": \"a\\u{1b}b\" is no SSID that events tell: 1 to 32 bytes of printable UTF-8"
    ),
    (
      "{ ssid = 'a\\255' }",
      "network: \"ssid\" must be a string, or a list of 1 to 32 of them, not a string that is not UTF-8"
    ),
    (
      "{ gateway_mac = '02:00' }",
      "network: \"gateway_mac\": \"02:00\" is no hardware address, as in 02:00:5e:10:00:01"
    ),
    (
      "{ subnet = '192.168.1.5/24' }",
      "network: \"subnet\": 192.168.1.5/24 has bits beyond its prefix; did you mean 192.168.1.0/24?"
    ),
    (
      "{ subnet = 24 }", "network: \"subnet\" must be a string, not 24"
    ),
  ])
  func `a fault names the key`(value: String, fault: String) throws {
    #expect(throws: ScriptError("t.lua:1: reach.target: " + fault)) {
      try load("reach.target{ network = \(value) }").get()
    }
  }
}

import Reachability
import Testing

@Suite struct TargetText {
  @Test(arguments: [
    "internet", "local_wifi", "interface:eth0", "192.0.2.1", "fe80::1%eth0",
    "192.0.2.1,198.51.100.2", "www.example.org", "internet.", "local_wifi.",
  ])
  func `a target is written as it was read`(text: String) throws {
    #expect(try Target.Subject(parsing: text).description == text)
  }

  @Test(arguments: ["internet.", "local_wifi."])
  func `a dot makes a host of our own words`(text: String) throws {
    #expect(try Target.Subject(parsing: text) == .host(String(text.dropLast())))
  }
}

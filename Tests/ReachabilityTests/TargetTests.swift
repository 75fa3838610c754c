import Posix
import Testing

@testable import Reachability

@Suite struct Targets {
  private static func address(_ text: String) -> IPAddress { IPAddress(text) ?? IPAddress(ipv4: 0) }
  private static let label = String(repeating: "a", count: 63)

  @Test(
    arguments: [
      ("internet", .internet), ("local_wifi", .localWiFi), ("interface:eth0", .interface("eth0")),
      ("interface:internet", .interface("internet")),
      ("interface:br-lan.5", .interface("br-lan.5")),
      ("192.0.2.1", .address(address("192.0.2.1"))), ("0.0.0.0", .address(address("0.0.0.0"))),
      ("2001:DB8::1", .address(address("2001:db8::1"))), ("::", .address(address("::"))),
      ("::ffff:192.0.2.1", .address(address("192.0.2.1"))),
      ("fe80::1%eth0", .address(address("fe80::1"), zone: "eth0")),
      ("192.0.2.1%eth0", .address(address("192.0.2.1"), zone: "eth0")),
      (
        "192.0.2.2,198.51.100.1",
        .addressPair(local: address("192.0.2.2"), remote: address("198.51.100.1"))
      ),
      (
        "::ffff:192.0.2.2,198.51.100.1",
        .addressPair(local: address("192.0.2.2"), remote: address("198.51.100.1"))
      ),
      (
        "fe80::1,fe80::2%eth0",
        .addressPair(local: address("fe80::1"), remote: address("fe80::2"), zone: "eth0")
      ),
      (
        "fe80::1%eth0,fe80::2",
        .addressPair(local: address("fe80::1"), remote: address("fe80::2"), zone: "eth0")
      ),
      ("::1,2001:db8::1", .addressPair(local: address("::1"), remote: address("2001:db8::1"))),
      ("example.org", .host("example.org")), ("example.org.", .host("example.org")),
      ("localhost", .host("localhost")), ("a-b.x--y.3com", .host("a-b.x--y.3com")),
      ("_dns.example", .host("_dns.example")), ("1.2.3.4.example", .host("1.2.3.4.example")),
      ("\(label).org", .host("\(label).org")),
      // Nearly a keyword is a host name.
      ("Internet", .host("Internet")), ("local-wifi", .host("local-wifi")),
    ] as [(String, Target.Subject)])
  func `a text names a subject`(text: String, subject: Target.Subject) throws {
    #expect(try Target.Subject(parsing: text) == subject)
  }

  @Test(
    arguments: [
      ("", #""" is neither a host name nor an address"#),
      (" ", #"" " is neither a host name nor an address"#),
      (".", #""." is neither a host name nor an address"#),
      ("a..b", #""a..b" is neither a host name nor an address"#),
      (".a", #"".a" is neither a host name nor an address"#),
      ("-a.org", #""-a.org" is neither a host name nor an address"#),
      ("a-.org", #""a-.org" is neither a host name nor an address"#),
      ("a b", #""a b" is neither a host name nor an address"#),
      ("exämple.org", #""exämple.org" is neither a host name nor an address"#),
      ("a/b", #""a/b" is neither a host name nor an address"#),
      ("a\0b", "\"a\0b\" is neither a host name nor an address"),
      ("192.0.2", #""192.0.2" is neither a host name nor an address"#),
      ("192.0.2.256", #""192.0.2.256" is neither a host name nor an address"#),
      ("1.2.3.4.5", #""1.2.3.4.5" is neither a host name nor an address"#),
      ("192.0.2.1.", #""192.0.2.1." is neither a host name nor an address"#),
      ("123", #""123" is neither a host name nor an address"#),
      ("192.0.2.1/24", #""192.0.2.1/24" is neither a host name nor an address"#),
      ("\(label)a.org", "\"\(label)a.org\" is neither a host name nor an address"),
      ("example.org:80", #""example.org:80" is not an address"#),
      ("http://example.org", #""http://example.org" is not an address"#),
      ("[::1]", #""[::1]" is not an address"#),
      (":", #"":" is not an address"#),
      ("example.org%eth0", #""example.org%eth0" is not an address"#),
      ("%eth0", #""%eth0" is not an address"#),
      ("fe80::1%", #""" cannot be an interface's name"#),
      ("fe80::1%a b", #""a b" cannot be an interface's name"#),
      ("interface:", #""" cannot be an interface's name"#),
      ("interface:.", #""." cannot be an interface's name"#),
      ("interface:..", #"".." cannot be an interface's name"#),
      ("interface:a/b", #""a/b" cannot be an interface's name"#),
      ("interface:eth0:1", #""eth0:1" cannot be an interface's name"#),
      ("interface:1234567890123456", #""1234567890123456" cannot be an interface's name"#),
      (",", #""" is not an address"#),
      ("192.0.2.2,", #""" is not an address"#),
      (",192.0.2.2", #""" is not an address"#),
      ("192.0.2.2,example.org", #""example.org" is not an address"#),
      ("example.org,192.0.2.2", #""example.org" is not an address"#),
      ("192.0.2.1,192.0.2.2,192.0.2.3", #""192.0.2.2,192.0.2.3" is not an address"#),
      ("192.0.2.2,2001:db8::1", "192.0.2.2 and 2001:db8::1 are of different families"),
      ("fe80::1%eth0,fe80::2%", #""" cannot be an interface's name"#),
      (
        "fe80::1%eth0,fe80::2%eth1",
        "fe80::1%eth0 and fe80::2%eth1 are on different interfaces"
      ),
    ] as [(String, String)])
  func `what names no subject is refused with its reason`(text: String, message: String) {
    let error = #expect(throws: TargetError.self) { try Target.Subject(parsing: text) }
    #expect(error?.description == message)
  }

  @Test func `a name is at most 253 bytes long`() throws {
    let long = (0..<3).map { _ in Targets.label }.joined(separator: ".")
    let most = long + "." + String(repeating: "b", count: 61)
    #expect(most.utf8.count == 253)
    #expect(try Target.Subject(parsing: most) == .host(most))
    #expect(throws: TargetError.self) { try Target.Subject(parsing: most + "b") }
  }

  @Test(arguments: [
    "internet", "local_wifi", "interface:eth0", "192.0.2.1", "fe80::1%eth0", "example.org",
    "192.0.2.2,198.51.100.1", "fe80::1,fe80::2%eth0",
  ])
  func `a target is called as it is written`(text: String) throws {
    let subject = try Target.Subject(parsing: text)
    #expect(Target(subject).name == text)
    #expect(Target(subject, name: "home").name == "home")
  }
}

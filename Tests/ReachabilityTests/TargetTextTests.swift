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

  @Test(arguments: [
    ("http://nas.lan:8080/health?x", "nas.lan"), ("https://192.0.2.1", "192.0.2.1"),
    ("http://[fe80::1%25eth0]/", "fe80::1%eth0"), ("http://internet/", "internet."),
  ])
  func `a URL is its host with a request, by the name that it was given`(
    text: String, subject: String
  ) throws {
    let target = try Target(parsing: text)
    #expect(target.subject.description == subject)
    #expect(target.name == text)
    #expect(target.probe == Probe(.http(HTTPCheck(try HTTPURL(text)))))
    #expect(target.probe?.destination == nil)
  }

  @Test(arguments: [
    (
      "ftp://nas.lan",
      "\"ftp://nas.lan\" is neither http nor https; did you mean \"http://nas.lan\"?"
    ),
    ("http://[::]/", "\"http://[::]/\" stands for any address, and a probe needs one"),
    ("http://0.0.0.0/", "\"http://0.0.0.0/\" stands for any address, and a probe needs one"),
    ("http://me@nas.lan/", "\"http://…@nas.lan…\" has a user part, which is not sent"),
  ])
  func `a URL that cannot be probed is refused`(text: String, fault: String) {
    #expect { try Target(parsing: text) } throws: { "\($0)" == fault }
  }

  @Test(arguments: ["internet.", "local_wifi."])
  func `a dot makes a host of our own words`(text: String) throws {
    #expect(try Target.Subject(parsing: text) == .host(String(text.dropLast())))
  }
}

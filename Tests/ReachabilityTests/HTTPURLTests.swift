import Testing

@testable import Reachability

@Suite struct HTTPURLs {
  @Test(arguments: [
    ("http://nas.lan", "http://nas.lan/"),
    ("HTTPS://nas.lan:443/a?b#c", "https://nas.lan/a?b#c"),
    ("http://NAS.lan.:8080", "http://NAS.lan:8080/"),
    ("http://nas.lan?q=1", "http://nas.lan/?q=1"),
    ("http://nas.lan/a/../b%20c", "http://nas.lan/a/../b%20c"),
    ("http://192.0.2.1:80/", "http://192.0.2.1/"),
    ("https://[2001:db8::1]:8443/", "https://[2001:db8::1]:8443/"),
    ("http://[fe80::1%25eth0]/", "http://[fe80::1%25eth0]/"),
    ("http://[fe80::1%eth0]/", "http://[fe80::1%25eth0]/"),
    ("http://[::ffff:192.0.2.1]/", "http://192.0.2.1/"),
    ("http://internet/", "http://internet/"),
  ])
  func `a URL is read and written`(text: String, written: String) throws {
    let url = try HTTPURL(text)
    #expect(url.description == written)
    #expect(try HTTPURL(written) == url)
  }

  @Test func `its parts are where they belong`() throws {
    let url = try HTTPURL("https://[fe80::1%25eth0]:8443/a?b#c")
    #expect(url.scheme == .https)
    #expect(url.host == .address("fe80::1", zone: "eth0"))
    #expect(url.port == 8443)
    #expect(url.tail == "/a?b#c")
    #expect(url.withoutQuery == "https://[fe80::1%25eth0]:8443/a")
    #expect(Target.Subject(url.host) == .address("fe80::1", zone: "eth0"))
    #expect(Target.Subject(try HTTPURL("http://nas.lan").host) == .host("nas.lan"))
  }

  @Test(arguments: [
    ("nas.lan/", "\"nas.lan/\" is no URL, such as http://nas.lan/"),
    ("http:/nas.lan", "\"http:/nas.lan\" is no URL, such as http://nas.lan/"),
    (
      "ftp://nas.lan/",
      "\"ftp://nas.lan/\" is neither http nor https; did you mean \"http://nas.lan/\"?"
    ),
    (
      "htps://nas.lan",
      "\"htps://nas.lan\" is neither http nor https; did you mean \"https://nas.lan\"?"
    ),
    ("http://", "\"http://\" names no host"),
    ("http://:80/", "\"http://:80/\" names no host"),
    (
      "http://me:secret@nas.lan/", "\"http://…@nas.lan…\" has a user part, which is not sent"
    ),
    ("http://nas.lan:0/", "\"http://nas.lan:0/\" has no port from 1 to 65535 after the colon"),
    ("http://nas.lan:/", "\"http://nas.lan:/\" has no port from 1 to 65535 after the colon"),
    (
      "http://nas.lan:65536", "\"http://nas.lan:65536\" has no port from 1 to 65535 after the colon"
    ),
    ("http://nas.lan:+80", "\"http://nas.lan:+80\" has no port from 1 to 65535 after the colon"),
    ("http://[::1]80/", "\"http://[::1]80/\" has no port from 1 to 65535 after the colon"),
    ("http://nas.lan/a b", "\"http://nas.lan/a b\" has a space; write %20"),
    ("http://nas.lan/\u{1b}", "\"http://nas.lan/\u{1b}\" has a control character"),
    ("http://nas.lan/\0", "\"http://nas.lan/\0\" has a control character"),
    ("http://näs.lan/", "\"http://näs.lan/\" is not ASCII; write %C3%A4 for an ä"),
    ("http://127.1/", "\"127.1\" is neither a host name nor an address"),
    ("http://0x7f000001/", "\"0x7f000001\" is neither a host name nor an address"),
    ("http://nas_lan\\x/", "\"nas_lan\\x\" is neither a host name nor an address"),
    ("http://[192.0.2.1]/", "\"http://[192.0.2.1]/\" has no IPv6 address in its brackets"),
    ("http://[fe80::1%a,b]/", "\"http://[fe80::1%a,b]/\" has no IPv6 address in its brackets"),
    ("http://[nas.lan]/", "\"nas.lan\" is not an address"),
    ("http://2001:db8::1/", "\"2001:db8:\" is neither a host name nor an address"),
    ("http://" + String(repeating: "a", count: 2048), "a URL of 2055 bytes; the longest has 2048"),
  ])
  func `what is no URL is refused in one line`(text: String, fault: String) {
    #expect(throws: HTTPURL.Fault(description: fault)) { try HTTPURL(text) }
  }

  @Test(arguments: [
    // Of RFC 3986, section 5.4, what has the same host.
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
    ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("", "http://a/b/c/d;p?q"),
    (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
    ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../../g", "http://a/g"),
    ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
    ("./g/.", "http://a/b/c/g/"), ("g/../h", "http://a/b/c/h"),
    ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("//A/x", "http://A/x"), ("http://a:81/", "http://a:81/"), ("https://a./", "https://a/"),
    ("g\u{e4} \"h", "http://a/b/c/g%C3%A4%20%22h"),
  ])
  func `a Location at the same host is resolved`(location: String, url: String) throws {
    let base = try HTTPURL("http://a/b/c/d;p?q")
    #expect(base.redirect(to: Array(location.utf8)) == .sameHost(try HTTPURL(url)))
  }

  @Test(arguments: [
    ("http://wifi.example/login?u=1#/in", "http://wifi.example/login?u=1#/in"),
    ("HTTPS://wifi.example:8443", "https://wifi.example:8443/"),
    ("//wifi.example/", "http://wifi.example/"),
    ("http://192.0.2.9/", "http://192.0.2.9/"), ("http://[2001:db8::9]/", "http://[2001:db8::9]/"),
    ("http://wifi.example/ä", "http://wifi.example/%C3%A4"),
    ("http://wifi.example/a\\b", "http://wifi.example/a%5Cb"),
    ("http://a.wifi.example/", "http://a.wifi.example/"),
  ])
  func `a Location at another host is a page to open`(location: String, url: String) throws {
    let base = try HTTPURL("http://a/")
    #expect(base.redirect(to: Array(location.utf8)) == .otherHost(try HTTPURL(url)))
  }

  @Test(arguments: [
    // Not to this machine, however it is written.
    "http://localhost/", "http://LOCALHOST./", "http://app.localhost/", "http://127.0.0.1:8080/",
    "http://127.9.9.9/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://0.0.0.0/",
    "http://[::]/", "http://127.1/", "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/",
    "http://%6cocalhost/", "http://ｌocalhost/",
    // Not with a user part, or with what looks like one to somebody.
    "http://user@wifi.example/", "http://user:secret@wifi.example/", "http://a@wifi.example/",
    "http://wifi.example\\@a/", "http://wifi.example\\.a/",
    // Neither another scheme nor a control character, nor without end.
    "ftp://wifi.example/", "file://wifi.example/etc", "http://wifi.example:99999/",
    "http://wifi.example/\u{1b}[2J", "http://wi\0fi.example/", "http://wifi.example/\r\nX",
    "http://wifi.example/" + String(repeating: "a", count: 2029),
    // Written out, it is longer.
    "http://wifi.example/" + String(repeating: "ä", count: 400),
  ])
  func `a Location that is not fit to be opened leads elsewhere all the same`(
    location: String
  ) throws {
    #expect(try HTTPURL("http://a.b/").redirect(to: Array(location.utf8)) == .otherHost(nil))
  }

  @Test(arguments: [
    "javascript:alert(1)", "mailto:a@b", "http:/x", "http:x", "http:///x", "data:,x",
  ])
  func `a Location without a host leads nowhere`(location: String) throws {
    #expect(try HTTPURL("http://a/").redirect(to: Array(location.utf8)) == .nowhere)
  }

  @Test func `the longest URL may be opened, and this machine's own host may not`() throws {
    let longest = "http://wifi.example/" + String(repeating: "a", count: 2028)
    #expect(
      try HTTPURL("http://a/").redirect(to: Array(longest.utf8)) == .otherHost(try HTTPURL(longest))
    )
    #expect(try HTTPURL("http://localhost/").redirect(to: Array("/in".utf8)) == .sameHost(nil))
    #expect(
      try HTTPURL("http://192.0.2.1/").redirect(to: Array("http://192.0.2.1:81/".utf8))
        == .sameHost(try HTTPURL("http://192.0.2.1:81/")))
  }
}

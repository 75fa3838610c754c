import Testing

@testable import Reachability

/// The portal rule, row by row: what was expected of which URL, what came, and what that is.
@Suite struct HTTPChecks {
  private static let word = HTTPCheck.Expectation.text(Array("welcome".utf8))

  @Test(arguments: [
    (HTTPCheck.Expectation.success, 200, false), (.success, 204, false), (.success, 299, false),
    (.status(204), 204, false), (.status(302), 302, false), (.status(404), 404, false),
    (.status(511), 511, false), (.status(100), 100, false), (word, 200, true), (word, 206, true),
  ])
  func `what was expected passes`(expected: HTTPCheck.Expectation, status: Int, holds: Bool) throws
  {
    for scheme in ["http", "https"] {
      let check = HTTPCheck(try HTTPURL("\(scheme)://nas.lan/"), expecting: expected)
      let elsewhere = Array("http://wifi.example/".utf8)
      #expect(check.judge(status: status, location: elsewhere, holdsText: holds) == .pass)
    }
  }

  @Test(arguments: [
    // The network says itself that it wants somebody to sign in.
    (HTTPCheck.Expectation.success, 511, nil as String?, "http://nas.lan/in?a#b" as String?),
    (.success, 511, "http://wifi.example/", "http://wifi.example/"),
    (.success, 511, "/login", "http://nas.lan/login"),
    // It sends elsewhere.
    (.success, 300, "http://wifi.example/", "http://wifi.example/"),
    (.success, 302, "https://wifi.example/", "https://wifi.example/"),
    (.success, 399, "//wifi.example/", "http://wifi.example/"),
    (.success, 302, "http://127.0.0.1/", nil), (.success, 302, "http://me@wifi.example/", nil),
    (.status(204), 302, "http://wifi.example/", "http://wifi.example/"),
    (word, 302, "http://wifi.example/", "http://wifi.example/"),
    (.status(404), 307, "http://wifi.example/", "http://wifi.example/"),
    // It answers in the server's place.
    (.status(204), 200, nil, "http://nas.lan/in?a#b"), (word, 200, nil, "http://nas.lan/in?a#b"),
    (.status(302), 200, nil, "http://nas.lan/in?a#b"),
    (.status(204), 200, "http://wifi.example/", "http://wifi.example/"),
    (.status(204), 200, "javascript:1", nil),
  ])
  func `over plain http it is a portal`(
    expected: HTTPCheck.Expectation, status: Int, location: String?, page: String?
  ) throws {
    let location = location.map { Array($0.utf8) }
    let plain = HTTPCheck(try HTTPURL("http://nas.lan/in?a#b"), expecting: expected)
    #expect(
      plain.judge(status: status, location: location) == .portal(try page.map { try HTTPURL($0) }))
    let secure = HTTPCheck(try HTTPURL("https://nas.lan/in?a#b"), expecting: expected)
    #expect(secure.judge(status: status, location: location) == .status)
  }

  @Test(arguments: [
    (HTTPCheck.Expectation.success, 302, "https://nas.lan/" as String?),
    (.success, 301, "http://NAS.lan:8080/"), (.success, 302, "/login"), (.success, 302, nil),
    (.success, 302, "javascript:1"), (.success, 304, nil), (.success, 404, nil),
    (.success, 404, "http://wifi.example/"), (.success, 503, nil), (.success, 999, nil),
    (.success, 100, nil), (.status(204), 404, nil), (.status(204), 302, "/"), (word, 500, nil),
  ])
  func `anything else is a status that was not expected`(
    expected: HTTPCheck.Expectation, status: Int, location: String?
  ) throws {
    for scheme in ["http", "https"] {
      let check = HTTPCheck(try HTTPURL("\(scheme)://nas.lan/"), expecting: expected)
      #expect(check.judge(status: status, location: location.map { Array($0.utf8) }) == .status)
    }
  }

  @Test func `a text counts in a good answer alone`() throws {
    let check = HTTPCheck(try HTTPURL("http://nas.lan/"), expecting: HTTPChecks.word)
    #expect(check.judge(status: 503, holdsText: true) == .status)
    #expect(check.extent == .text(Array("welcome".utf8), within: 65536))
    #expect(HTTPCheck(try HTTPURL("http://nas.lan/")).extent == .head)
  }

  @Test func `a probed host that is this machine gives no page to open`() throws {
    let check = HTTPCheck(try HTTPURL("http://127.0.0.1/"), expecting: .status(204))
    #expect(check.judge(status: 200) == .portal(nil))
  }
}

@Suite struct ByteSearches {
  @Test(arguments: [
    ("b", "abc", true), ("abc", "abc", true), ("abc", "ab", false), ("", "", true),
    ("aab", "aaab", true), ("abab", "abacabab", true), ("abcabd", "abcabcabd", true),
    ("aaaa", "aaabaaab", false), ("word", "a sword.", true),
  ])
  func `bytes are found wherever the pieces part`(wanted: String, text: String, isThere: Bool) {
    let bytes = Array(text.utf8)
    for length in 1...max(1, bytes.count) {
      var search = ByteSearch(for: Array(wanted.utf8))
      for start in stride(from: 0, to: bytes.count, by: length) {
        bytes[start..<min(bytes.count, start + length)].withUnsafeBytes { search.take($0) }
      }
      #expect(search.isFound == isThere, "in pieces of \(length)")
    }
  }
}

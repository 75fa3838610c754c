internal import Fuzzing

@testable internal import Reachability

/// The line of an answer that says where to go on, by whoever gave it.
@main enum PortalLocation: Fuzzer {
  private static let asked = [
    "http://nas.lan/a/b?c", "http://192.0.2.1:81/", "http://[2001:db8::1]/",
  ]

  static func check(_ input: Input) {
    let location = HTTPHeader(line: input.bytes)?.value ?? Array(input.bytes)
    for url in asked.compactMap({ try? HTTPURL($0) }) {
      if case .otherHost(let page?) = url.redirect(to: location) {
        expect(page.host != url.host, "\(page) is at another host than \(url)")
      }
      for expectation in [HTTPCheck.Expectation.success, .status(204)] {
        for status in [200, 302, 511] {
          let check = HTTPCheck(url, expecting: expectation)
          let judgement = check.judge(status: status, location: location)
          if case .portal(let page?) = judgement { Self.check(page) }
        }
      }
    }
  }

  private static func check(_ page: HTTPURL) {
    let text = page.description
    expect(text.utf8.count <= 2048, "\(text.utf8.count) bytes are too many")
    expect(text.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "\(text) is printable ASCII")
    expect(text.hasPrefix("http://") || text.hasPrefix("https://"), "\(text) is http or https")
    expect((try? HTTPURL(text)) == page, "\(text) is read as it was written")
    expect(!page.host.isLoopback, "\(text) is not this machine")
    let authority = text.dropFirst(page.scheme.rawValue.count + 3).prefix { !"/?#".contains($0) }
    expect(!authority.contains("@"), "\(text) has no user part")
  }
}

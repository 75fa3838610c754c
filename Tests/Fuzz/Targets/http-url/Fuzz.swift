internal import Fuzzing
internal import Reachability

/// A URL as arguments and scripts give it.
@main enum URLText: Fuzzer {
  static func check(_ input: Input) {
    let text = input.text
    guard let url = try? HTTPURL(text) else { return }
    let written = url.description
    expect(written.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "\(written) is printable ASCII")
    expect((try? HTTPURL(written)) == url, "\(text.debugDescription) is what \(written) says")
    expect(url.port > 0 && url.tail.hasPrefix("/"), "\(written) has a port and a path")
    expect(!url.withoutQuery.contains("?"), "\(url.withoutQuery) has no query")
    let subject = Target.Subject(url.host)
    expect(
      (try? Target.Subject(parsing: subject.description)) == subject, "\(subject) is a target")
  }
}

internal import Fuzzing
internal import Reachability

/// A target as arguments and scripts give it.
@main enum TargetText: Fuzzer {
  static func check(_ input: Input) {
    let text = input.text
    if let destination = try? Probe.Destination(parsing: text) {
      let isHost = (try? Target.Subject.hostName(text)) != nil
      expect(isHost || (try? Target.Subject.address(text)) != nil, "\(destination) is a place")
    }
    if let (destination, port) = try? Probe.Destination.withPort(parsing: text) {
      expect(port > 0, "\(destination) has a port")
      expect((try? Target(parsing: text))?.probe?.kind == .tcp(port: port), "so has the target")
    }
    guard let subject = try? Target.Subject(parsing: text) else { return }
    expect(!text.utf8.contains(0), "a text with a NUL names nothing: \(subject)")
    let again = try? Target.Subject(parsing: subject.description)
    expect(again == subject, "\(text.debugDescription) is what \(subject) says")
  }
}

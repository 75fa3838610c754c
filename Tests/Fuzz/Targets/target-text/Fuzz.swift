internal import Fuzzing
internal import Reachability

/// A target as arguments and scripts give it.
@main enum TargetText: Fuzzer {
  static func check(_ input: Input) {
    let text = input.text
    guard let subject = try? Target.Subject(parsing: text) else { return }
    expect(!text.utf8.contains(0), "a text with a NUL names nothing: \(subject)")
    let again = try? Target.Subject(parsing: subject.description)
    expect(again == subject, "\(text.debugDescription) is what \(subject) says")
  }
}

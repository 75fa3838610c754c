internal import Fuzzing
internal import Posix

/// A duration as options, scripts and files give it.
@main enum DurationText: Fuzzer {
  static func check(_ input: Input) {
    guard let duration = Duration(parsing: input.text) else { return }
    expect(duration >= .zero, "\(duration) is not negative")
    expect(duration.nanoseconds >= 0, "\(duration) is not negative in nanoseconds")
    let text = duration.text
    let again = Duration(parsing: text)
    expect(again != nil, "\(text) is read back")
    // From an hour on, the text tells whole seconds.
    if duration < .seconds(3600), duration.nanoseconds % 1_000_000 == 0 {
      expect(again == duration, "\(text) is read back as \(duration), not \(again as Any)")
    }
  }
}

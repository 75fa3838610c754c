internal import Fuzzing
internal import Posix

/// The control messages of a socket's error queue.
@main enum ReturnedErrors: Fuzzer {
  static func check(_ input: Input) {
    guard let error = ReturnedError(controlMessages: input.bytes) else { return }
    // A message that says something has a header and a sock_extended_err.
    expect(input.bytes.count >= 32, "\(error) of \(input.bytes.count) bytes")
  }
}

/// A claim about a parser of outside bytes, which libFuzzer tries to refute.
public protocol Fuzzer {
  /// Parses one input; it traps, or calls `expect`, where the parser breaks its word.
  static func check(_ input: Input)
}

/// The bytes of one attempt.
public struct Input {
  /// The bytes as they came.
  public let bytes: UnsafeRawBufferPointer

  /// The bytes as text; what is no UTF-8 is replaced, as it is wherever outside text comes in.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Ends the process where a claim is false, which libFuzzer takes for a finding.
public func expect(_ holds: Bool, _ claim: @autoclosure () -> String) {
  if !holds { fatalError("not so: \(claim())") }
}

extension Fuzzer {
  /// Runs libFuzzer's command line.
  ///
  /// The package manager renames an executable's main and links the renamed one in its place, so
  /// libFuzzer's own main cannot be had.
  public static func main() {
    attempt = check
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    _ = runDriver(&count, &arguments, runOne)
  }
}

// Set once, before libFuzzer makes its first call.
nonisolated(unsafe) private var attempt: (Input) -> Void = { _ in }

// The driver's archive refers to this name even where it is given the function.
@_cdecl("LLVMFuzzerTestOneInput")
func runOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  attempt(Input(bytes: UnsafeRawBufferPointer(start: start, count: count)))
  return 0
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

internal import Glibc

/// A system call that failed: what was being done, to what, and what came back.
public struct SystemError: Error, Equatable, CustomStringConvertible, Sendable {
  /// What was being done, and to what: `open /etc/reach/hooks`.
  public var operation: String
  /// The errno value that came back; errno(3).
  public var code: Int32

  /// Describes a failed operation by its errno value.
  public init(_ operation: String, code: Int32) {
    self.operation = operation
    self.code = code
  }

  /// Describes an operation that has just failed, by the calling thread's errno.
  public init(_ operation: String) { self.init(operation, code: errno) }

  /// `open /etc/reach/hooks: Permission denied`.
  public var description: String { "\(operation): \(SystemError.text(of: code))" }

  /// The C library's words for an errno value: `Permission denied`.
  public static func text(of code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
        return "error \(code)"
      }
      return String(cString: base)
    }
  }
}

/// Calls a system call again for as long as a signal interrupts it.
func retryingInterrupts<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}

extension SystemError {
  /// Whether what was looked for is not there: ENOENT or ENOTDIR.
  public var isAbsence: Bool { code == ENOENT || code == ENOTDIR }
}

/// A system call's result, or its error where that is -1.
func checked(
  _ operation: @autoclosure () -> String, _ result: Int32
) throws(SystemError) -> Int32 {
  guard result != -1 else { throw SystemError(operation()) }
  return result
}

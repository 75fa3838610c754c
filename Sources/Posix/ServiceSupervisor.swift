internal import CPosix
internal import Glibc

/// Who started this process as a service and wants to know how it is: the protocol of sd_notify(3).
public struct ServiceSupervisor: Sendable {
  /// Where it listens: a path, or `@` and a name in the abstract namespace; unix(7).
  let address: String
  /// How often it wants to hear that the process lives; nil where it does not.
  public let watchdog: Duration?

  /// The supervisor that the environment names; nil where it names none.
  ///
  /// - Parameters:
  ///   - process: this process, for which a watchdog must be meant; sd_watchdog_enabled(3).
  ///   - variable: a variable of the environment.
  public init?(
    of process: Int32 = Program.identity,
    _ variable: (String) -> String? = Program.environment
  ) {
    guard let address = variable("NOTIFY_SOCKET"), address.utf8.count > 1,
      address.hasPrefix("/") || address.hasPrefix("@")
    else { return nil }
    self.address = address
    let isMeant = variable("WATCHDOG_PID").map { $0 == String(process) } ?? true
    let microseconds = variable("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
    watchdog = isMeant && microseconds > 0 ? .microseconds(microseconds) : nil
  }

  /// Tells it something: `READY=1`, or several such lines.
  ///
  /// - Throws: what the system says; waits no longer than 100 ms for a supervisor that is busy.
  public func tell(_ state: String) throws(SystemError) {
    let bytes = Array(state.utf8)
    guard cposix_tell_supervisor(address, bytes, bytes.count) == 0 else {
      throw SystemError("tell the supervisor at \(address)")
    }
  }

  /// `RELOADING=1`, with the moment of it as the protocol wants it.
  public static var reloading: String {
    "RELOADING=1\nMONOTONIC_USEC=\(read(CLOCK_MONOTONIC) / 1000)"
  }
}

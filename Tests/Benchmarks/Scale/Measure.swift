import Glibc
import Posix
import Reachability

/// Runs a command that must succeed.
func run(_ command: String) {
  guard system(command) == 0 else {
    print("failed: \(command)")
    exit(1)
  }
}

/// What the process has used of the processors.
var processorTime: Duration {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// The memory that the process holds, in bytes.
var residentSize: Int {
  guard let file = try? FileDescriptor(opening: "/proc/self/statm", flags: O_RDONLY),
    let bytes = try? file.readAll(limit: 200)
  else { return 0 }
  let pages = String(decoding: bytes, as: UTF8.self).split(separator: " ")[1]
  return (Int(pages) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
}

/// Three of four addresses are IPv4, and all lie behind the default route.
func target(_ number: Int) -> Target {
  let high = number >> 8
  let low = number & 0xff
  let text = number % 4 == 3 ? "2001:db8:\(number + 1)::1" : "10.\(high >> 8).\(high & 0xff).\(low)"
  return Target(.address(IPAddress(text) ?? IPAddress(ipv4: 1)))
}

/// Counts what is told, and when the last was.
final class Told: Sendable {
  private let state = Lock((count: 0, last: BootInstant(nanoseconds: 0)))

  func note(_ transitions: Int) {
    state.withLock { $0 = ($0.count + transitions, .now) }
  }

  /// Waits for that many, then looks how long the last of them took and starts anew.
  func await(_ wanted: Int, since start: BootInstant) -> Duration {
    while true {
      let (count, last) = state.withLock { $0 }
      if count >= wanted {
        state.withLock { $0.count = 0 }
        return last - start
      }
      usleep(1000)
    }
  }
}

internal import CPosix
internal import Glibc

/// The process's own output streams, written at once and whole.
public enum StandardStream: Int32, Sendable {
  case output = 1
  case error = 2

  /// What came back where a text could not be written for the first time; nil while none was lost.
  ///
  /// There is nobody to tell of what the error stream loses.
  public var failure: SystemError? {
    self == .output ? StandardStream.outputFailure.withLock { $0 } : nil
  }

  private static let outputFailure = Lock<SystemError?>(nil)

  /// Writes a text and waits until all of it is taken.
  ///
  /// What nobody can take is dropped, and so are results after it: `failure` tells.
  public func write(_ text: String) {
    guard failure == nil else { return }
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = retryingInterrupts { Glibc.write(rawValue, rest.baseAddress, rest.count) }
        if count > 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        } else if count < 0, errno == EAGAIN {
          var ready = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
          _ = poll(&ready, 1, -1)
        } else {
          return note(SystemError("write standard output"))
        }
      }
    }
  }

  private func note(_ failure: SystemError) {
    if self == .output { StandardStream.outputFailure.withLock { $0 = failure } }
  }

  /// Keeps the numbers of closed streams from files that are opened later, into which results would go.
  ///
  /// Call it before any is opened. What is written to such a stream fails.
  public static func reserveNumbers() {
    var number: Int32
    repeat {
      number = cposix_openat(AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC, 0)
    } while (0...error.rawValue).contains(number)
    if number > error.rawValue { close(number) }
  }

  /// The bytes that a pipe which is ready takes at once.
  public static let longestOffer = 4096

  /// Writes a text if that can be done without waiting; false where it was dropped.
  ///
  /// What is longer than `longestOffer` is cut there.
  public func offer(_ text: String) -> Bool {
    var ready = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    guard poll(&ready, 1, 0) == 1, ready.revents & Int16(POLLOUT) != 0 else { return false }
    var text = text
    return text.withUTF8 { bytes in
      let most = StandardStream.longestOffer
      if bytes.count <= most {
        return Glibc.write(rawValue, bytes.baseAddress, bytes.count) == bytes.count
      }
      var end = most - 4
      while end > 0, bytes[end] & 0xc0 == 0x80 { end -= 1 }
      let cut = Array(bytes[..<end]) + Array("…\n".utf8)
      return Glibc.write(rawValue, cut, cut.count) == cut.count
    }
  }
}

extension SystemError {
  /// Whether nobody reads what is written any more: EPIPE.
  public var isClosedPipe: Bool { code == EPIPE }
}

/// The running program.
public enum Program {
  /// The version of this package; semver.org.
  public static let version = "0.1.0"

  /// Ends the process.
  public static func exit(_ code: Int32) -> Never { Glibc.exit(code) }

  /// Whether the process runs with all privileges.
  public static var isRoot: Bool { geteuid() == 0 }

  /// The user that the process acts as.
  public static var userID: UInt32 { geteuid() }

  /// The process's number.
  public static var identity: Int32 { getpid() }

  /// A variable of the environment.
  public static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// A folder that a variable of the environment names; nil where it is not set, or empty.
  public static func folder(_ name: String) -> String? {
    environment(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Every variable of the environment, as `NAME=value`.
  public static var environment: [String] {
    var entries: [String] = []
    var next = environ
    while let entry = next.pointee {
      entries.append(String(cString: entry))
      next += 1
    }
    return entries
  }

  /// Raises the number of descriptors that the process may have to what it is allowed.
  public static func raiseDescriptorLimit() { cposix_raise_descriptor_limit() }

  /// Has the process live by a time zone, as tzset(3) names it; before other threads exist.
  public static func setTimeZone(_ zone: String) {
    setenv("TZ", zone, 1)
    tzset()
  }

  /// What tells this boot of the machine from all others; random(4).
  public static var bootID: String {
    let path = "/proc/sys/kernel/random/boot_id"
    guard let file = try? FileDescriptor(opening: path, flags: O_RDONLY) else { return "" }
    return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      guard let count = try? file.read(into: buffer) else { return "" }
      return String(decoding: buffer[..<count].prefix { $0 != 0x0a }, as: UTF8.self)
    }
  }

  /// The machine's name.
  public static var hostName: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress, gethostname(base, buffer.count - 1) == 0 else {
        return "localhost"
      }
      buffer[buffer.count - 1] = 0
      return String(cString: base)
    }
  }
}

extension WallClock {
  /// A moment in local time: `2026-11-30 07:05:00`.
  public static func localText(_ seconds: Int64) -> String {
    var time = time_t(seconds)
    var parts = tm()
    localtime_r(&time, &parts)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      guard let base = buffer.baseAddress,
        strftime(base, buffer.count, "%Y-%m-%d %H:%M:%S", &parts) > 0
      else { return "" }
      return String(cString: base)
    }
  }
}

internal import CPosix
internal import Glibc

/// Signals read from a descriptor instead of interrupting the process; signalfd(2).
public struct Signals: ~Copyable, Sendable {
  /// Becomes readable when one of the signals has come.
  public let descriptor: FileDescriptor

  /// Blocks the signals in the calling thread, and in every thread it starts from now on.
  ///
  /// Call it before any other thread exists: a signal goes to any thread that does not block it.
  public init(_ numbers: [Int32]) throws(SystemError) {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = FileDescriptor(
      owning: try checked(
        "read signals",
        signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))))
  }

  /// The next signal that has come, or nil.
  public borrowing func next() -> Int32? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard retryingInterrupts({ Glibc.read(descriptor.number, &information, size) }) == size else {
      return nil
    }
    return Int32(bitPattern: information.ssi_signo)
  }

  /// SIGTERM.
  public static let terminate = SIGTERM
  /// SIGINT.
  public static let interrupt = SIGINT
  /// SIGHUP.
  public static let hangUp = SIGHUP

  /// Sets what a daemon needs, whatever it was started with: a write to a closed pipe fails with
  /// EPIPE instead of ending the process, and the end of a child is told.
  public static func setDispositions() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGCHLD, SIG_DFL)
  }
}

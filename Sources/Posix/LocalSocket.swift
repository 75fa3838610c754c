internal import CPosix
internal import Glibc

extension FileDescriptor {
  /// Listens at a path, for root and the user that this process acts as; unix(7).
  ///
  /// - Throws: what the system says; EADDRINUSE where somebody listens there already.
  public init(listeningAt path: String) throws(SystemError) {
    let number = cposix_listen(path)
    guard number >= 0 else { throw SystemError("listen at \(path)") }
    self.init(owning: number)
  }

  /// Connects to a path; reads and writes wait, each as long as `patience` where that is given.
  ///
  /// - Throws: what the system says; EAGAIN where that took too long.
  public init(connectingTo path: String, patience: Duration? = nil) throws(SystemError) {
    let number = cposix_connect(path, Int32(clamping: (patience?.nanoseconds ?? 0) / 1_000_000))
    guard number >= 0 else { throw SystemError("connect to \(path)") }
    self.init(owning: number)
  }

  /// Takes the next client that waits; nil where there is none.
  ///
  /// One that acts as another user than root and ourselves is turned away.
  ///
  /// - Throws: why no client can be had though one waits, such as EMFILE.
  public borrowing func accept() throws(SystemError) -> FileDescriptor? {
    while true {
      let client = cposix_accept(number)
      guard client >= 0 else {
        switch errno {
        case EAGAIN: return nil
        // One that has gone again, and a signal.
        case ECONNABORTED, EINTR: continue
        default: throw SystemError("accept a client")
        }
      }
      let descriptor = FileDescriptor(owning: client)
      let user = cposix_peer_user(client)
      if user == 0 || user == Int64(Program.userID) { return descriptor }
    }
  }

  /// Writes everything, and waits for whoever reads it.
  public borrowing func writeAll(_ text: String) throws(SystemError) {
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        retryingInterrupts {
          Glibc.write(number, buffer.baseAddress.map { $0 + written }, buffer.count - written)
        }
      }
      guard count >= 0 else { throw SystemError("write") }
      written += count
    }
  }

  /// Removes a file; one that is not there is no error.
  public static func remove(_ path: String) { unlink(path) }
}

extension SystemError {
  /// Whether nobody listens there.
  public var isNobodyThere: Bool { code == ECONNREFUSED || isAbsence }
  /// Whether somebody listens there already.
  public var isInUse: Bool { code == EADDRINUSE }
}

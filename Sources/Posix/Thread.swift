internal import CPosix
internal import Glibc

/// Starts threads of the operating system.
enum Thread {
  /// Runs `body` on a new, detached thread.
  ///
  /// - Throws: what pthread_create(3) says, which is how a full process table shows.
  static func start(named name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError)
  {
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, { Thread.main($0) }, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw SystemError("start the thread \(name)", code: code)
    }
    pthread_detach(thread)
  }

  /// The identity of the calling thread.
  static var current: UInt { UInt(pthread_self()) }

  private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
    cposix_name_thread(start.name)
    start.body()
    return nil
  }

  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}

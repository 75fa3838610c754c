public import Posix

/// Answers requests of one line at a socket in the file system, each with a text.
///
/// At most eight clients at once, 4 KiB a line; a client is served once and then let go. Lives on
/// an event loop.
public final class ControlSocket {
  private let loop: EventLoop
  private let path: String
  private let answer: (String) -> String
  private let listener: FileDescriptor
  private var source: EventLoop.Source?
  private var clients: [Int: Client] = [:]
  private var lastClient = 0

  static let mostClients = 8
  static let longestLine = 4096
  /// How long a client has for its line and for reading the answer.
  static let patience = Duration.seconds(5)

  private final class Client {
    let descriptor: FileDescriptor
    var source: EventLoop.Source?
    var timer: LoopTimer?
    var line: [UInt8] = []
    var reply: ArraySlice<UInt8> = []

    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
  }

  /// Where the daemon of this user listens: `/run/reach/control` for root, else `reach/control` in
  /// `$XDG_RUNTIME_DIR`, or `control` in the state folder.
  public static func standardPath(stateFolder: String) -> String {
    if Program.isRoot { return "/run/reach/control" }
    guard let runtime = Program.folder("XDG_RUNTIME_DIR") else {
      return "\(stateFolder)/control"
    }
    return "\(runtime)/reach/control"
  }

  /// Listens; `answer` is called on the loop with each line.
  ///
  /// - Throws: what the system says where the path cannot be used.
  public init(
    _ path: String, on loop: EventLoop, answer: @escaping (String) -> String
  ) throws(SystemError) {
    self.path = path
    self.loop = loop
    self.answer = answer
    listener = try FileDescriptor(listeningAt: path)
    source = try loop.watch(listener) { [unowned self] in takeClients() }
  }

  /// Listens no more, and removes the socket.
  public func close() {
    for id in Array(clients.keys) { drop(id) }
    if let source { loop.cancel(source) }
    source = nil
    FileDescriptor.remove(path)
  }

  private func takeClients() {
    while let descriptor = listener.accept() {
      guard clients.count < ControlSocket.mostClients else { continue }
      lastClient += 1
      let id = lastClient
      let client = Client(descriptor)
      client.source = try? loop.watch(client.descriptor) { [unowned self] in read(id) }
      guard client.source != nil else { continue }
      client.timer = loop.schedule(at: .now + ControlSocket.patience) { [unowned self] in drop(id) }
      clients[id] = client
    }
  }

  private func read(_ id: Int) {
    guard let client = clients[id] else { return }
    withUnsafeTemporaryAllocation(byteCount: ControlSocket.longestLine, alignment: 1) { buffer in
      guard let count = try? client.descriptor.read(into: buffer), count > 0 else {
        return drop(id)
      }
      client.line += buffer[..<count]
      if let end = client.line.firstIndex(of: 0x0a) {
        let line = String(decoding: client.line[..<end], as: UTF8.self)
        client.reply = Array((answer(line) + "\n").utf8)[...]
        write(id)
      } else if client.line.count >= ControlSocket.longestLine {
        drop(id)
      }
    }
  }

  private func write(_ id: Int) {
    guard let client = clients[id] else { return }
    do {
      let count = try client.reply.withUnsafeBytes { (bytes) throws(SystemError) in
        try client.descriptor.write(bytes)
      }
      client.reply = client.reply.dropFirst(count ?? 0)
    } catch {
      return drop(id)
    }
    guard !client.reply.isEmpty else { return drop(id) }
    // The rest goes when the client has read what it has.
    if let source = client.source { loop.cancel(source) }
    client.source = try? loop.watch(client.descriptor, .writable) { [unowned self] in write(id) }
    if client.source == nil { drop(id) }
  }

  private func drop(_ id: Int) {
    guard let client = clients.removeValue(forKey: id) else { return }
    if let source = client.source { loop.cancel(source) }
    if let timer = client.timer { loop.cancel(timer) }
  }
}

public import Posix

/// Answers requests of one line at a socket in the file system.
///
/// At most eight clients at once, 4 KiB a line; a client is served once and then let go. Lives on
/// an event loop.
public final class ControlSocket {
  private let loop: EventLoop
  private let path: String
  private let answer: (ControlRequest, ControlAnswer) -> Void
  private let listener: FileDescriptor
  private var source: EventLoop.Source?
  /// Runs while no client can be taken, for a lack of descriptors.
  private var pause: LoopTimer?
  private var clients: [Int: Client] = [:]
  private var lastClient = 0

  static let mostClients = 8
  /// How long a client has for its line, and for reading the answer.
  static let patience = Duration.seconds(5)
  /// How long nobody is taken after that has failed.
  private static let respite = Duration.milliseconds(250)

  private final class Client {
    let descriptor: FileDescriptor
    var source: EventLoop.Source?
    var timer: LoopTimer?
    var line: [UInt8] = []
    /// What the daemon is to answer, from when the line is there.
    var answer: ControlAnswer?
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

  /// Listens; `answer` is called on the loop with each request, and answers then or later.
  ///
  /// - Throws: what the system says where the path cannot be used.
  public init(
    _ path: String, on loop: EventLoop,
    answer: @escaping (ControlRequest, ControlAnswer) -> Void
  ) throws(SystemError) {
    self.path = path
    self.loop = loop
    self.answer = answer
    listener = try FileDescriptor(listeningAt: path)
    try listen()
  }

  /// Listens no more, and removes the socket.
  public func close() {
    for id in Array(clients.keys) { drop(id) }
    if let source { loop.cancel(source) }
    source = nil
    if let pause { loop.cancel(pause) }
    pause = nil
    FileDescriptor.remove(path)
  }

  private func listen() throws(SystemError) {
    source = try loop.watch(listener) { [unowned self] in takeClients() }
  }

  private func takeClients() {
    do {
      while let descriptor = try listener.accept() { take(descriptor) }
    } catch {
      // Whoever waits makes the listener readable all the time.
      if let source { loop.cancel(source) }
      source = nil
      pause = loop.schedule(at: loop.clock.now + ControlSocket.respite) { [unowned self] in
        pause = nil
        try? listen()
      }
    }
  }

  private func take(_ descriptor: consuming FileDescriptor) {
    guard clients.count < ControlSocket.mostClients else { return }
    lastClient += 1
    let id = lastClient
    let client = Client(descriptor)
    client.source = try? loop.watch(client.descriptor) { [unowned self] in read(id) }
    guard client.source != nil else { return }
    clients[id] = client
    beginPatience(id)
  }

  private func beginPatience(_ id: Int) {
    clients[id]?.timer = loop.schedule(at: loop.clock.now + ControlSocket.patience) {
      [unowned self] in
      drop(id)
    }
  }

  private func endPatience(_ id: Int) {
    if let timer = clients[id]?.timer { loop.cancel(timer) }
    clients[id]?.timer = nil
  }

  private func read(_ id: Int) {
    guard let client = clients[id] else { return }
    withUnsafeTemporaryAllocation(byteCount: ControlRequest.longestLine, alignment: 1) { buffer in
      guard let count = try? client.descriptor.read(into: buffer), count > 0 else {
        return drop(id)
      }
      // What comes after the line is nothing; that the client goes is something.
      guard client.answer == nil else { return }
      client.line += buffer[..<count]
      if let end = client.line.firstIndex(of: 0x0a) {
        client.line.removeSubrange(end...)
        take(client, id)
      } else if client.line.count >= ControlRequest.longestLine {
        drop(id)
      }
    }
  }

  /// Has a request answered, for as long as that takes.
  private func take(_ client: Client, _ id: Int) {
    endPatience(id)
    let pending = ControlAnswer { [unowned self] in reply($0, to: id) }
    client.answer = pending
    do throws(RequestError) {
      answer(try ControlRequest(line: client.line), pending)
    } catch {
      pending.send(ControlReply(.unusable, error.description))
    }
  }

  private func reply(_ reply: ControlReply, to id: Int) {
    guard let client = clients[id] else { return }
    client.reply = Array(reply.message.utf8)[...]
    beginPatience(id)
    write(id)
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
    endPatience(id)
    guard let client = clients.removeValue(forKey: id) else { return }
    if let source = client.source { loop.cancel(source) }
    client.answer?.giveUp()
  }
}

/// The answer to one request, until it is sent or nobody waits for it; touched only on the loop.
public final class ControlAnswer: @unchecked Sendable {
  // Only the loop's thread touches these.
  private var completion: ((ControlReply) -> Void)?
  /// Is called where the client goes before it is answered.
  public var abandonment: (() -> Void)?

  init(_ completion: @escaping (ControlReply) -> Void) { self.completion = completion }

  /// Answers; only the first answer counts.
  public func send(_ reply: ControlReply) { close()?(reply) }

  fileprivate func giveUp() {
    let abandonment = abandonment
    if close() != nil { abandonment?() }
  }

  private func close() -> ((ControlReply) -> Void)? {
    defer {
      completion = nil
      abandonment = nil
    }
    return completion
  }
}

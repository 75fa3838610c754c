import Glibc
import Posix
import TestSupport
import Testing

@testable import Hooks

/// A control socket on a loop of its own, whose answers the test gives.
private final class Controlled: Sendable {
  let loop: EventLoop
  let path: String
  let requests = Record<ControlRequest>()
  let abandoned = Record<Void>()
  private let folder: TemporaryFolder
  private let answers = Record<ControlAnswer>()

  /// Listens; where it is to answer at once, it answers each request with its line.
  init(answersAtOnce: Bool = true) throws {
    // As in the daemon, and in its client: a client that goes is no signal.
    Signals.setDispositions()
    folder = try TemporaryFolder()
    path = "\(folder.path)/control"
    loop = try EventLoop()
    let (path, loop, requests, answers, abandoned) = (path, loop, requests, answers, abandoned)
    let ready = Record<Void>()
    loop.post {
      #expect(throws: Never.self) {
        let socket = try ControlSocket(path, on: loop) { request, answer in
          requests.note(request)
          answers.note(answer)
          answer.abandonment = { abandoned.note(()) }
          if answersAtOnce { answer.send(ControlReply(.done, (try? request.line()) ?? "?")) }
        }
        // Lives for as long as the loop does.
        _ = loop.schedule(at: .now + .seconds(3600)) { withExtendedLifetime(socket) {} }
      }
      ready.note(())
    }
    try loop.runOnOwnThread(named: "control")
    #expect(eventually { !ready.all.isEmpty })
  }

  deinit { loop.stop() }

  /// Connects; what is read later comes within 10 s.
  func connect() throws -> FileDescriptor {
    let client = try FileDescriptor(connectingTo: path)
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(
      client.number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    return client
  }

  func answer(_ number: Int, _ reply: ControlReply) {
    loop.post { [answers] in answers.all[number].send(reply) }
  }

  /// Has the loop do nothing else meanwhile.
  func whileAway(_ body: @escaping @Sendable () -> Void) {
    let done = Record<Void>()
    loop.post {
      body()
      done.note(())
    }
    #expect(eventually { !done.all.isEmpty })
  }
}

/// A client, for a list of them.
private final class Connected {
  let descriptor: FileDescriptor

  init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
}

extension FileDescriptor {
  /// All that comes until the other side ends.
  fileprivate borrowing func text() throws -> String {
    String(decoding: try readAll(limit: 1 << 20), as: UTF8.self)
  }
}

private func processorTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

@Suite struct ControlSockets {
  @Test func `a line that comes in pieces is answered once, and what follows it is nothing`() throws
  {
    let control = try Controlled()
    let client = try control.connect()
    try client.writeAll("ena")
    try client.writeAll("ble a/b\nstatus\n")
    #expect(try client.text() == "done\nenable a/b\n")
    #expect(control.requests.all.count == 1)
  }

  @Test func `what is no request is answered with what is wrong`() throws {
    let control = try Controlled()
    let client = try control.connect()
    try client.writeAll("enabel a\n")
    #expect(
      try client.text() == "unusable\nunknown request \"enabel\"; did you mean \"enable\"?\n")
  }

  @Test func `a line without an end is not waited for beyond 4 KiB`() throws {
    let control = try Controlled()
    let client = try control.connect()
    try client.writeAll(String(repeating: "a", count: 4096))
    // What is ended with bytes that were not read is a reset.
    #expect(((try? client.text()) ?? "") == "")
    #expect(control.requests.all.isEmpty)
  }

  @Test func `an answer takes as long as it takes`() throws {
    let control = try Controlled(answersAtOnce: false)
    let client = try control.connect()
    try client.writeAll("reload\n")
    #expect(eventually { !control.requests.all.isEmpty })
    // Longer than a client has for its line.
    usleep(useconds_t((ControlSocket.patience.seconds + 0.3) * 1e6))
    control.answer(0, ControlReply(.failed, "a.lua: no"))
    #expect(try client.text() == "failed\na.lua: no\n")
    #expect(control.abandoned.all.isEmpty)
  }

  @Test func `a client that goes before it is answered is told of`() throws {
    let control = try Controlled(answersAtOnce: false)
    do {
      let client = try control.connect()
      try client.writeAll("reload\n")
      #expect(eventually { !control.requests.all.isEmpty })
    }
    #expect(eventually { !control.abandoned.all.isEmpty })
    control.answer(0, ControlReply(.done, "nobody hears it"))
    let next = try control.connect()
    try next.writeAll("status\n")
    #expect(eventually { control.requests.all.count == 2 })
    control.answer(1, ControlReply(.done, "here"))
    #expect(try next.text() == "done\nhere\n")
  }

  @Test func `a ninth client is turned away, and the next one served once another has gone`() throws
  {
    let control = try Controlled(answersAtOnce: false)
    func begin() throws -> Connected {
      let count = control.requests.all.count
      let client = Connected(try control.connect())
      try client.descriptor.writeAll("reload\n")
      #expect(eventually { control.requests.all.count > count })
      return client
    }
    let clients = try (1...8).map { _ in try begin() }
    let ninth = try control.connect()
    #expect(((try? ninth.text()) ?? "") == "")
    control.answer(0, ControlReply(.done, "1"))
    #expect(try clients[0].descriptor.text() == "done\n1\n")
    let tenth = try begin()
    control.answer(8, ControlReply(.done, "10"))
    #expect(try tenth.descriptor.text() == "done\n10\n")
    withExtendedLifetime(clients) {}
  }

  @Test func `without descriptors it waits, and serves who waits once there are some`() async {
    await #expect(processExitsWith: .success) {
      let control = try Controlled()
      let client = try control.connect()
      // Whatever the loop opened for that one is open before the last descriptors go.
      try client.writeAll("status\n")
      #expect(try client.text() == "done\nstatus\n")
      let second = Record<Int32>()
      let taken = Record<Int32>()
      let path = control.path
      control.whileAway {
        if let client = try? FileDescriptor(connectingTo: path) {
          second.note(dup(client.number))
        }
        var limit = rlimit(rlim_cur: 64, rlim_max: 64)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        while case let number = dup(0), number >= 0 { taken.note(number) }
      }
      let waiting = FileDescriptor(owning: try #require(second.all.first))
      try waiting.writeAll("status\n")
      let before = processorTime()
      usleep(700_000)
      let spent = processorTime() - before
      #expect(spent < .milliseconds(100), "\(spent) of processor time while nothing could be done")
      #expect(control.requests.all.count == 1)
      for number in taken.all { close(number) }
      #expect(try waiting.text() == "done\nstatus\n")
    }
  }
}

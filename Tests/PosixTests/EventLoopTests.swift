import CTestSupport
import Glibc
import TestSupport
import Testing

@testable import Posix

@Suite struct EventLoops {
  /// Has the loop call `body` and runs it until something stops it, at most 5 s.
  private func run(_ loop: EventLoop, _ body: @escaping @Sendable () throws -> Void) {
    loop.post {
      _ = loop.schedule(at: .now + .seconds(5)) {
        Issue.record("nothing stopped the loop")
        loop.stop()
      }
      #expect(throws: Never.self) { try body() }
    }
    loop.run()
  }

  private final class TestPipe: @unchecked Sendable {
    let ends: Pipe
    init() throws { ends = try FileDescriptor.pipe() }
    func send() throws { _ = try [UInt8]("x".utf8).withUnsafeBytes { try ends.writing.write($0) } }
    func receive() throws {
      var byte: UInt8 = 0
      _ = try withUnsafeMutableBytes(of: &byte) { try ends.reading.read(into: $0) }
    }
  }

  @Test func `work posted by other threads runs in order on the loop's thread`() throws {
    let loop = try EventLoop()
    let record = Record<[Int]>()
    run(loop) {
      for poster in 0..<4 {
        try Thread.start(named: "poster") {
          for number in 0..<1000 {
            loop.post {
              #expect(loop.isCurrent)
              record.note([poster, number])
              if record.all.count == 4000 { loop.stop() }
            }
          }
        }
      }
    }
    for poster in 0..<4 {
      #expect(record.all.filter { $0[0] == poster }.map { $0[1] } == Array(0..<1000))
    }
  }

  @Test func `work posted before the loop runs is done first`() throws {
    let loop = try EventLoop()
    let record = Record<String>()
    loop.post { record.note("before") }
    run(loop) {
      record.note("run")
      loop.post {
        record.note("posted inside")
        loop.stop()
      }
    }
    #expect(record.all == ["before", "run", "posted inside"])
  }

  @Test func `timers fire in the order of their moments, cancelled ones never`() throws {
    let loop = try EventLoop()
    let record = Record<String>()
    let start = BootInstant.now
    run(loop) {
      _ = loop.schedule(at: start + .milliseconds(60)) {
        record.note("60")
        loop.stop()
      }
      let cancelled = loop.schedule(at: start + .milliseconds(20)) { record.note("cancelled") }
      _ = loop.schedule(at: start + .milliseconds(40)) { record.note("40") }
      _ = loop.schedule(at: start + .milliseconds(10)) {
        record.note("10")
        loop.cancel(cancelled)
      }
      _ = loop.schedule(at: start + .seconds(-1)) { record.note("past") }
    }
    #expect(record.all == ["past", "10", "40", "60"])
    #expect(BootInstant.now - start >= .milliseconds(60))
  }

  @Test func `a timer that cancels its twin keeps it from firing`() throws {
    let loop = try EventLoop()
    let record = Record<String>()
    run(loop) {
      let moment = BootInstant.now + .milliseconds(10)
      // The twin is scheduled after the one that cancels it, for the same moment.
      nonisolated(unsafe) var twin: LoopTimer?
      _ = loop.schedule(at: moment) {
        record.note("first")
        if let twin { loop.cancel(twin) }
      }
      twin = loop.schedule(at: moment) { record.note("twin") }
      _ = loop.schedule(at: moment + .milliseconds(20)) { loop.stop() }
    }
    #expect(record.all == ["first"])
  }

  @Test func `a timer scheduled by a timer fires`() throws {
    let loop = try EventLoop()
    let record = Record<Int>()
    run(loop) {
      _ = loop.schedule(at: .now) {
        record.note(1)
        _ = loop.schedule(at: .now + .milliseconds(5)) {
          record.note(2)
          loop.stop()
        }
      }
    }
    #expect(record.all == [1, 2])
  }

  @Test func `a readable descriptor calls its source again and again`() throws {
    let loop = try EventLoop()
    let pipe = try TestPipe()
    let record = Record<Int>()
    run(loop) {
      _ = try loop.watch(pipe.ends.reading) {
        record.note(record.all.count)
        #expect(throws: Never.self) { try pipe.receive() }
        if record.all.count == 3 { loop.stop() } else { #expect((try? pipe.send()) != nil) }
      }
      try pipe.send()
    }
    #expect(record.all == [0, 1, 2])
  }

  @Test func `a writable descriptor calls a source that waits for that`() throws {
    let loop = try EventLoop()
    let pipe = try TestPipe()
    let record = Record<String>()
    run(loop) {
      _ = try loop.watch(pipe.ends.writing, .writable) {
        record.note("writable")
        loop.stop()
      }
    }
    #expect(record.all.first == "writable")
  }

  @Test func `a cancelled source is not called again`() throws {
    let loop = try EventLoop()
    let pipe = try TestPipe()
    let record = Record<String>()
    run(loop) {
      nonisolated(unsafe) var source: EventLoop.Source?
      // The byte stays unread, so that the descriptor stays ready.
      source = try loop.watch(pipe.ends.reading) {
        record.note("called")
        if let source { loop.cancel(source) }
      }
      try pipe.send()
      _ = loop.schedule(at: .now + .milliseconds(50)) { loop.stop() }
    }
    #expect(record.all == ["called"])
  }

  @Test func `a source cancelled by another of the same batch is not called`() throws {
    let loop = try EventLoop()
    let pipes = [try TestPipe(), try TestPipe(), try TestPipe()]
    for pipe in pipes { try pipe.send() }
    let record = Record<String>()
    run(loop) {
      nonisolated(unsafe) var sources: [EventLoop.Source] = []
      for pipe in pipes {
        sources.append(
          try loop.watch(pipe.ends.reading) {
            record.note("called")
            for source in sources { loop.cancel(source) }
          })
      }
      _ = loop.schedule(at: .now + .milliseconds(50)) { loop.stop() }
    }
    #expect(record.all == ["called"])
  }

  @Test func `a regular file cannot be watched`() throws {
    let loop = try EventLoop()
    let file = try FileDescriptor(opening: "/etc/passwd", flags: 0)
    let number = file.number
    run(loop) {
      defer { loop.stop() }
      let error = #expect(throws: SystemError.self) { _ = try loop.watch(file) {} }
      #expect(error?.description == "watch descriptor \(number): Operation not permitted")
    }
  }

  @Test func `stop from another thread ends run`() throws {
    let loop = try EventLoop()
    run(loop) {
      try Thread.start(named: "stopper") {
        usleep(20_000)
        loop.stop()
      }
    }
    #expect(!loop.isCurrent)
  }

  @Test func `stop ends run although work keeps coming`() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      @Sendable func again() { loop.post { again() } }
      try Thread.start(named: "guard") {
        sleep(3)
        exit(1)
      }
      try Thread.start(named: "stopper") {
        usleep(20_000)
        loop.stop()
      }
      again()
      loop.run()
    }
  }

  @Test func `work that posts itself again holds up no timer`() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      @Sendable func again() { loop.post { again() } }
      try Thread.start(named: "guard") {
        sleep(3)
        exit(1)
      }
      loop.post {
        _ = loop.schedule(at: .now + .milliseconds(10)) { exit(0) }
        again()
      }
      loop.run()
      exit(2)
    }
  }

  @Test func `a timer that schedules itself anew for now holds up no other work`() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      @Sendable func again() { _ = loop.schedule(at: .now) { again() } }
      try Thread.start(named: "guard") {
        sleep(3)
        exit(1)
      }
      try Thread.start(named: "stopper") {
        usleep(20_000)
        loop.stop()
      }
      loop.post { again() }
      loop.run()
    }
  }

  @Test func `an actor on the loop runs on its thread`() async throws {
    let loop = try EventLoop()
    try Thread.start(named: "loop") { loop.run() }
    let actor = LoopActor(on: loop)
    #expect(await actor.isOnLoop())
    #expect(await actor.isOnLoop())
    loop.stop()
  }

  private actor LoopActor {
    private let loop: EventLoop
    init(on loop: EventLoop) { self.loop = loop }
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    func isOnLoop() -> Bool { loop.isCurrent }
  }

  @Test func `an idle loop makes no wake-up`() throws {
    let loop = try EventLoop()
    let thread = Record<Int32>()
    try Thread.start(named: "idle") {
      loop.post {
        thread.note(support_thread_id())
        _ = loop.schedule(at: .now + .seconds(60)) {}
        let cancelled = loop.schedule(at: .now + .milliseconds(100)) {}
        loop.cancel(cancelled)
      }
      loop.run()
    }
    #expect(eventually { !thread.all.isEmpty })
    let id = try #require(thread.all.first)
    usleep(50_000)
    let before = try waits(of: id)
    usleep(300_000)
    #expect(try waits(of: id) == before)
    loop.stop()
  }

  /// How often a thread has gone to sleep of its own accord.
  private func waits(of thread: Int32) throws -> String {
    let file = try FileDescriptor(opening: "/proc/self/task/\(thread)/status", flags: O_RDONLY)
    let text = String(decoding: try file.readAll(limit: 8192), as: UTF8.self)
    return try #require(
      text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }.map(String.init)
    )
  }

  @Test func `touching a loop from outside ends the process`() async {
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      _ = loop.schedule(at: .now) {}
    }
  }
}

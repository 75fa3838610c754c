import Glibc
import TestSupport
import Testing

@testable import Posix
@testable import Reachability

/// A port of loopback that holds connections back: its backlog is full, so what comes is dropped.
private final class SilentPort: Sendable {
  let port: UInt16
  private let sockets: [Int32]

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let address: IPAddress = "127.0.0.1"
    try #require(address.withSocketAddress(port: 0) { bind(listener, $0, $1) } == 0)
    try #require(listen(listener, 0) == 0)
    var name = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &name) {
      _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
    }
    let port = UInt16(bigEndian: name.sin_port)
    let fillers = (0..<3).map { _ in
      socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    }
    for filler in fillers {
      _ = address.withSocketAddress(port: port) { connect(filler, $0, $1) }
    }
    self.port = port
    sockets = fillers + [listener]
  }

  deinit { for number in sockets { close(number) } }
}

/// A prober whose targets all go to one place, and what it has found by target.
private final class Bench {
  let loop: EventLoop
  let prober: Prober
  let found = Record<Int>()
  let begun = Record<Int>()
  private let isThere: Switch

  final class Switch { var isOn = true }

  init(_ loop: EventLoop) {
    self.loop = loop
    let isThere = Switch()
    self.isThere = isThere
    let (found, begun) = (found, begun)
    prober = Prober(
      on: loop,
      destination: { id in
        begun.note(id.number)
        return isThere.isOn ? ProbeDestination(addresses: ["127.0.0.1"]) : nil
      },
      finished: { id, _, _ in found.note(id.number) })
  }

  func after(_ milliseconds: Int, _ body: @escaping () -> Void) {
    _ = loop.schedule(at: .now + .milliseconds(milliseconds), body)
  }

  func end(after milliseconds: Int) {
    after(milliseconds) { [self] in
      prober.stop()
      loop.stop()
    }
  }
}

/// Runs a bench to its end.
private func run(_ body: @escaping @Sendable (Bench) -> Void) throws -> (
  begun: [Int], found: [Int]
) {
  let loop = try EventLoop()
  let records = Record<(Record<Int>, Record<Int>)>()
  loop.post {
    let bench = Bench(loop)
    records.note((bench.begun, bench.found))
    body(bench)
  }
  loop.run()
  let (begun, found) = try #require(records.all.first)
  return (begun.all, found.all)
}

@Suite struct Probers {
  private func probe(_ port: UInt16, every: Int, timeout: Int = 3000) -> Probe {
    var probe = Probe(.tcp(port: port))
    probe.every = .milliseconds(every)
    probe.timeout = .milliseconds(timeout)
    return probe
  }

  @Test func `the time between two is counted from their beginning`() throws {
    let silent = try SilentPort()
    let probe = probe(silent.port, every: 200, timeout: 150)
    let (begun, found) = try run { bench in
      bench.prober.add(TargetID(1), probe)
      bench.prober.probe(TargetID(1))
      bench.end(after: 1100)
    }
    // 0, 200 … 1000, a tenth more or less; counted from their ends there would be four.
    #expect((5...7).contains(begun.count))
    #expect(found.count == begun.count - (begun.count == found.count ? 0 : 1))
  }

  @Test func `one that takes longer than the time between two is followed at once`() throws {
    let silent = try SilentPort()
    let probe = probe(silent.port, every: 100, timeout: 300)
    let (begun, found) = try run { bench in
      bench.prober.add(TargetID(1), probe)
      bench.prober.probe(TargetID(1))
      bench.end(after: 1000)
    }
    #expect(begun.count == 4 && found.count == 3)
  }

  @Test func `what is held sends no more until it is asked`() throws {
    let probe = probe(1, every: 100)
    let (begun, found) = try run { bench in
      bench.prober.add(TargetID(1), probe)
      bench.prober.probe(TargetID(1))
      bench.after(50) { bench.prober.hold(TargetID(1)) }
      bench.after(500) { bench.prober.probe(TargetID(1)) }
      bench.end(after: 550)
    }
    #expect(begun == [1, 1] && found == [1, 1])
  }

  @Test func `a restart gives up all that is under way and sends each once more`() throws {
    let silent = try SilentPort()
    let probe = probe(silent.port, every: 10_000, timeout: 10_000)
    let count = Prober.mostUnderWay + 5
    let (begun, found) = try run { bench in
      for number in 1...count { bench.prober.add(TargetID(number), probe) }
      for number in 1...count { bench.prober.probe(TargetID(number)) }
      bench.after(100) { bench.prober.restartAll() }
      bench.end(after: 300)
    }
    #expect(found == [])
    let atOnce = Array(1...Prober.mostUnderWay)
    #expect(begun == atOnce + atOnce)
  }

  @Test func `those over a thousand go once others have ended`() throws {
    let silent = try SilentPort()
    let probe = probe(silent.port, every: 10_000, timeout: 200)
    let count = Prober.mostUnderWay + 5
    let (begun, found) = try run { bench in
      for number in 1...count { bench.prober.add(TargetID(number), probe) }
      for number in 1...count { bench.prober.probe(TargetID(number)) }
      bench.after(100) { #expect(bench.begun.all.count == Prober.mostUnderWay) }
      bench.end(after: 900)
    }
    #expect(begun == Array(1...count))
    #expect(found.sorted() == begun)
  }
}

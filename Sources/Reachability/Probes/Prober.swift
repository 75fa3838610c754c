internal import Posix

/// Sends the probes of all targets when they are due, each target's one at a time.
///
/// At most a thousand are under way; more wait for their turn. Lives on an event loop.
final class Prober {
  private struct Entry {
    let probe: Probe
    var attempt: TCPProbe?
    var timer: LoopTimer?
    /// Whether another one was asked for while one was under way.
    var isAskedFor = false
  }

  private let loop: EventLoop
  /// Where a target's probe is to go now, and over which path; nil while there is none.
  private let destination: (TargetID) -> (addresses: [IPAddress], generation: Int)?
  private let finished: (TargetID, ProbeResult, Int) -> Void
  private var entries: [TargetID: Entry] = [:]
  private var underWay = 0
  private var waiting = FIFO<TargetID>()

  static let mostUnderWay = 1000

  init(
    on loop: EventLoop,
    destination: @escaping (TargetID) -> (addresses: [IPAddress], generation: Int)?,
    finished: @escaping (TargetID, ProbeResult, Int) -> Void
  ) {
    self.loop = loop
    self.destination = destination
    self.finished = finished
  }

  func add(_ id: TargetID, _ probe: Probe) { entries[id] = Entry(probe: probe) }

  func remove(_ id: TargetID) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    if let timer = entry.timer { loop.cancel(timer) }
    if let attempt = entry.attempt {
      attempt.cancel()
      ended()
    }
  }

  /// Sends a target's probe now; one over an earlier path that is under way is given up.
  func probe(_ id: TargetID) {
    guard let entry = entries[id] else { return }
    if let timer = entry.timer { loop.cancel(timer) }
    entries[id]?.timer = nil
    if let attempt = entry.attempt {
      attempt.cancel()
      entries[id]?.attempt = nil
      ended()
    }
    guard underWay < Prober.mostUnderWay else {
      if !entry.isAskedFor { waiting.append(id) }
      entries[id]?.isAskedFor = true
      return
    }
    send(id)
  }

  func stop() {
    for id in Array(entries.keys) { remove(id) }
  }

  private func send(_ id: TargetID) {
    entries[id]?.isAskedFor = false
    guard let probe = entries[id]?.probe, let (addresses, generation) = destination(id),
      case .tcp(let port) = probe.kind
    else { return }
    underWay += 1
    entries[id]?.attempt = TCPProbe(addresses, port: port, timeout: probe.timeout, on: loop) {
      [unowned self] result in
      entries[id]?.attempt = nil
      ended()
      scheduleNext(id, probe)
      finished(id, result, generation)
    }
  }

  private func ended() {
    underWay -= 1
    if let next = waiting.popFirst(), entries[next]?.isAskedFor == true { send(next) }
  }

  /// The next one comes a tenth earlier or later, so that many targets spread.
  private func scheduleNext(_ id: TargetID, _ probe: Probe) {
    let spread = Double.random(in: 0.9...1.1)
    let delay = Duration.nanoseconds(Int64(Double(probe.every.nanoseconds) * spread))
    entries[id]?.timer = loop.schedule(at: .now + delay) { [unowned self] in self.probe(id) }
  }
}

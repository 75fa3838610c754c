internal import Posix

/// Where a target's probe goes.
struct ProbeDestination {
  /// In the order in which they are tried; none where a name has none.
  var addresses: [IPAddress]
  /// The interface that the kernel would send through, on which link-local addresses are meant.
  var interface: Int32 = 0
  /// The interface through which it leaves, whatever the routes say; nil where they decide.
  var boundInterface: String?
  /// The number of the path that the result will be about.
  var generation = 0
}

/// Sends the probes of all targets when they are due, each target's one at a time.
///
/// At most a thousand are under way; more wait for their turn. Lives on an event loop.
final class Prober {
  private struct Entry {
    let probe: Probe
    var attempt: (any ProbeAttempt)?
    var timer: LoopTimer?
    /// Whether one could not be sent for want of a path or of a name's first answer.
    var lacksDestination = false
    /// Whether another one was asked for while one was under way.
    var isAskedFor = false
  }

  private let loop: EventLoop
  /// Where a target's probe is to go now, and over which path; nil while there is none.
  private let destination: (TargetID) -> ProbeDestination?
  private let finished: (TargetID, ProbeResult, Int) -> Void
  private var entries: [TargetID: Entry] = [:]
  private var underWay = 0
  private var waiting = FIFO<TargetID>()

  static let mostUnderWay = 1000

  init(
    on loop: EventLoop,
    destination: @escaping (TargetID) -> ProbeDestination?,
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

  /// Sends a target's probe now if the last one had nowhere to go.
  func probeIfOwed(_ id: TargetID) {
    if entries[id]?.lacksDestination == true { probe(id) }
  }

  /// Gives up what is under way, and sends every target's probe now.
  func restartAll() {
    for id in entries.keys.sorted() { probe(id) }
  }

  func stop() {
    for id in Array(entries.keys) { remove(id) }
  }

  private func send(_ id: TargetID) {
    entries[id]?.isAskedFor = false
    guard let probe = entries[id]?.probe else { return }
    let destination = destination(id)
    entries[id]?.lacksDestination = destination == nil
    guard let destination else { return }
    underWay += 1
    entries[id]?.attempt = probe.begin(to: destination, on: loop) { [weak self] result in
      guard let self else { return }
      entries[id]?.attempt = nil
      scheduleNext(id, probe)
      ended()
      if let result { finished(id, result, destination.generation) }
    }
  }

  private func ended() {
    underWay -= 1
    // Those that were taken back meanwhile, or whose path is gone, are passed over.
    while underWay < Prober.mostUnderWay, let next = waiting.popFirst() {
      if entries[next]?.isAskedFor == true { send(next) }
    }
  }

  /// The next one comes a tenth earlier or later, so that many targets spread.
  private func scheduleNext(_ id: TargetID, _ probe: Probe) {
    let spread = Double.random(in: 0.9...1.1)
    let delay = Duration.nanoseconds(Int64(Double(probe.every.nanoseconds) * spread))
    entries[id]?.timer = loop.schedule(at: .now + delay) { [weak self] in self?.probe(id) }
  }
}

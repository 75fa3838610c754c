internal import Posix

/// Sends the probes of all targets when they are due, each target's one at a time: one that takes
/// longer than the time between two is followed at once.
///
/// At most a thousand are under way; more wait for their turn. Lives on an event loop.
final class Prober {
  private struct Entry {
    let probe: Probe
    var attempt: (any ProbeAttempt)?
    /// When that began.
    var started = BootInstant.now
    var timer: LoopTimer?
    /// Whether one could not be sent for want of a path or of a name's first answer.
    var lacksDestination = false
    /// Whether another one was asked for while one was under way.
    var isAskedFor = false
  }

  private let loop: EventLoop
  private let client: HTTPClient
  /// Where a target's probe is to go now, and over which path; nil while there is none.
  private let destination: (TargetID) -> ProbeDestination?
  private let finished: (TargetID, ProbeResult, Int) -> Void
  private let report: (SystemError) -> Void
  private var hasReported = false
  private var entries: [TargetID: Entry] = [:]
  private var underWay = 0
  private var waiting = FIFO<TargetID>()

  static let mostUnderWay = 1000

  /// - Parameters:
  ///   - loop: where it lives.
  ///   - destination: tells where a target's probe is to go now; nil while there is no way.
  ///   - finished: takes each result, with the number of the path that it is about.
  ///   - report: takes what keeps probes of one kind from being sent at all; is called once.
  init(
    on loop: EventLoop,
    destination: @escaping (TargetID) -> ProbeDestination?,
    finished: @escaping (TargetID, ProbeResult, Int) -> Void,
    report: @escaping (SystemError) -> Void = { _ in }
  ) {
    self.loop = loop
    client = HTTPClient(on: loop)
    self.destination = destination
    self.finished = finished
    self.report = report
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
    guard entries[id] != nil else { return }
    hold(id)
    guard underWay < Prober.mostUnderWay else {
      if entries[id]?.isAskedFor == false { waiting.append(id) }
      entries[id]?.isAskedFor = true
      return
    }
    send(id)
  }

  /// Sends a target's probe now if the last one had nowhere to go.
  func probeIfOwed(_ id: TargetID) {
    if entries[id]?.lacksDestination == true { probe(id) }
  }

  /// Gives up a target's probe that is under way, and sends no more until one is asked for: its path
  /// is gone.
  func hold(_ id: TargetID) {
    guard let entry = entries[id] else { return }
    if let timer = entry.timer { loop.cancel(timer) }
    entries[id]?.timer = nil
    guard let attempt = entry.attempt else { return }
    attempt.cancel()
    entries[id]?.attempt = nil
    ended()
  }

  /// Gives up every probe that is under way, and sends each target's anew: after a suspend nothing
  /// that was sent before it is worth waiting for.
  func restartAll() {
    let ids = entries.keys.sorted()
    forgetWaiting()
    for id in ids { hold(id) }
    for id in ids { probe(id) }
  }

  func stop() {
    forgetWaiting()
    for id in Array(entries.keys) { remove(id) }
  }

  /// Before all end: those that wait would be sent in the place of each that does.
  private func forgetWaiting() {
    while let id = waiting.popFirst() { entries[id]?.isAskedFor = false }
  }

  private func send(_ id: TargetID) {
    entries[id]?.isAskedFor = false
    guard let probe = entries[id]?.probe else { return }
    let destination = destination(id)
    entries[id]?.lacksDestination = destination == nil
    guard let destination else { return }
    underWay += 1
    entries[id]?.started = .now
    entries[id]?.attempt = probe.begin(to: destination, on: loop, sharing: client) {
      [weak self] result in
      guard let self else { return }
      entries[id]?.attempt = nil
      scheduleNext(id, probe)
      ended()
      if let result {
        finished(id, result, destination.generation)
      } else if !hasReported, let obstacle = probe.obstacle {
        hasReported = true
        report(obstacle)
      }
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
    guard let started = entries[id]?.started else { return }
    entries[id]?.timer = loop.schedule(at: started + delay) { [weak self] in self?.probe(id) }
  }
}

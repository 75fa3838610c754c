internal import Posix

/// Tells what becomes of one target to all who listen: closures, sequences and mirrors.
///
/// One lock keeps the order: what is told is put into every listener's own queue while it is held,
/// and nobody's code is called.
final class Broadcast: Sendable {
  fileprivate struct Shared {
    /// Counts the starts: what an ended watch still has to say is not taken.
    var round = 0
    var isRunning = false
    var allowsWWAN: Bool
    var verdict = Verdict.unknown
    var state = NetworkReachability.State.unknown
    var observers: [String: Observer] = [:]
    var streams: [Int: AsyncStream<NetworkReachability.State>.Continuation] = [:]
    var lastStream = 0
    var mirrors: [ObjectIdentifier: @Sendable () -> Void] = [:]
  }

  private let shared: Lock<Shared>

  /// Of changes that a listener does not take, the newest so many are kept.
  static let mostWaiting = 100

  init(allowsWWAN: Bool) { shared = Lock(Shared(allowsWWAN: allowsWWAN)) }

  var isRunning: Bool { shared.withLock { $0.isRunning } }

  var state: NetworkReachability.State { shared.withLock { $0.state } }

  var allowsWWAN: Bool {
    get { shared.withLock { $0.allowsWWAN } }
    set {
      callMirrors { shared in
        shared.allowsWWAN = newValue
        return shared.publish()
      }
    }
  }

  // MARK: What is told

  /// Begins a watch; returns the number under which its verdicts are taken.
  func begin() -> Int {
    shared.withLock { shared in
      shared.isRunning = true
      shared.round += 1
      return shared.round
    }
  }

  func take(_ verdict: Verdict, ofRound round: Int) {
    callMirrors { shared in
      guard shared.isRunning, shared.round == round else { return false }
      shared.verdict = verdict
      return shared.publish()
    }
  }

  /// Ends a watch: what waits for a closure is dropped, and the sequences end.
  func end() {
    var streams: [AsyncStream<NetworkReachability.State>.Continuation] = []
    callMirrors { shared in
      shared.isRunning = false
      shared.verdict = .unknown
      shared.state = .unknown
      for observer in shared.observers.values { observer.clear() }
      streams = Array(shared.streams.values)
      shared.streams = [:]
      return true
    }
    // Outside the lock, which each stream takes when it ends.
    for stream in streams { stream.finish() }
  }

  /// Calls the mirrors, outside the lock, where `body` says that something changed.
  private func callMirrors(after body: (inout Shared) -> Bool) {
    let mirrors = shared.withLock { body(&$0) ? Array($0.mirrors.values) : [] }
    for mirror in mirrors { mirror() }
  }

  // MARK: Those who listen

  func observer(_ name: String) -> (@Sendable (NetworkReachability.State) -> Void)? {
    shared.withLock { $0.observers[name]?.body }
  }

  func setObserver(
    _ name: String, _ body: (@Sendable (NetworkReachability.State) -> Void)?
  ) {
    let observer = body.map { Observer($0) }
    let old = shared.withLock { shared in
      defer { shared.observers[name] = observer }
      if shared.state.status != .unknown { observer?.tell(shared.state) }
      return shared.observers[name]
    }
    old?.clear()
    old?.waitForCall()
  }

  /// Lets go of all closures.
  func removeObservers() {
    let old = shared.withLock { shared in
      defer { shared.observers = [:] }
      return shared.observers
    }
    withExtendedLifetime(old) {}
  }

  /// Returns once no closure of this instance runs.
  func waitForObservers() {
    for observer in shared.withLock({ Array($0.observers.values) }) { observer.waitForCall() }
  }

  func makeStream() -> AsyncStream<NetworkReachability.State> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: NetworkReachability.State.self,
      bufferingPolicy: .bufferingNewest(Broadcast.mostWaiting))
    let id = shared.withLock { shared in
      shared.lastStream += 1
      shared.streams[shared.lastStream] = continuation
      if shared.state.status != .unknown { continuation.yield(shared.state) }
      return shared.lastStream
    }
    continuation.onTermination = { [weak self] _ in
      self?.shared.withLock { $0.streams[id] = nil }
    }
    return stream
  }

  /// Has `body` called at each change, on whatever thread makes it; for what reads `state` itself.
  func setMirror(_ id: ObjectIdentifier, _ body: (@Sendable () -> Void)?) {
    shared.withLock { $0.mirrors[id] = body }
  }
}

extension Broadcast.Shared {
  /// Tells the state that the verdict amounts to; false where it is no news.
  fileprivate mutating func publish() -> Bool {
    let new = NetworkReachability.State(verdict, allowsWWAN: allowsWWAN)
    let isNews = !new.isAlike(state)
    state = new
    guard isNews else { return false }
    for observer in observers.values { observer.tell(new) }
    for stream in streams.values { stream.yield(new) }
    return true
  }
}

internal import Posix

/// A request to one address, and what comes back; lives on an event loop until it has ended.
protocol Exchange: AnyObject {
  /// Ends it without an outcome.
  func cancel()
}

/// How an exchange ended.
enum ExchangeOutcome {
  case passed(latency: Duration)
  /// Why, and the sign-in page where that is it.
  case failed(Reason, url: String? = nil)
  /// This machine lacked what it takes.
  case unavailable
}

/// One probe of a destination with several addresses.
///
/// The next address is tried after a quarter of a second, or once the one before has failed; the
/// first that answers counts. Lives on an event loop until it has called its completion.
final class AddressRace: ProbeAttempt {
  /// Begins an exchange with an address, which calls its argument once, on the loop and never before
  /// this returns.
  typealias Start =
    (IPAddress, @escaping (ExchangeOutcome) -> Void) throws(ProbeSocketError) -> any Exchange

  private let loop: EventLoop
  private let start: Start
  private var rest: ArraySlice<IPAddress>
  private var exchanges: [(address: IPAddress, exchange: any Exchange)] = []
  private var failure: (reason: Reason, url: String?)?
  private var nextTimer: LoopTimer?
  private var timeoutTimer: LoopTimer?
  private var completion: ((ProbeResult?) -> Void)?

  /// How long one address has before the next is tried beside it.
  static let headStart = Duration.milliseconds(250)

  /// Begins; `completion` is called once, on the loop and never before this returns, without a
  /// result where this machine lacked what an attempt takes.
  ///
  /// - Parameters:
  ///   - addresses: in the order in which they are tried; without any it fails for want of one.
  ///   - timeout: when to give up.
  ///   - loop: where it lives.
  ///   - start: begins an exchange.
  ///   - completion: takes the result.
  init(
    _ addresses: [IPAddress], timeout: Duration, on loop: EventLoop, start: @escaping Start,
    completion: @escaping (ProbeResult?) -> Void
  ) {
    self.loop = loop
    self.start = start
    self.completion = completion
    rest = addresses[...]
    if rest.isEmpty { failure = (.dns, nil) }
    let now = BootInstant.now
    timeoutTimer = loop.schedule(at: now + timeout) { [self] in
      note(.timeout)
      fail()
    }
    nextTimer = loop.schedule(at: now) { [self] in tryNext() }
  }

  /// Ends it without a result.
  func cancel() {
    completion = nil
    close()
  }

  private func tryNext() {
    if let nextTimer { loop.cancel(nextTimer) }
    nextTimer = nil
    while completion != nil, let address = rest.popFirst() {
      do throws(ProbeSocketError) {
        let exchange = try start(address) { [self] in take($0, of: address) }
        exchanges.append((address, exchange))
      } catch {
        switch error {
        case .unavailable: return finish(nil)
        case .refused(let reason): note(reason)
        }
        continue
      }
      if !rest.isEmpty {
        nextTimer = loop.schedule(at: .now + AddressRace.headStart) { [self] in tryNext() }
      }
      return
    }
    if exchanges.isEmpty { fail() }
  }

  private func take(_ outcome: ExchangeOutcome, of address: IPAddress) {
    exchanges.removeAll { $0.address == address }
    switch outcome {
    case .passed(let latency): finish(.pass(latency: latency, address: address))
    case .unavailable: finish(nil)
    case .failed(let reason, let url):
      note(reason, url)
      tryNext()
    }
  }

  /// Keeps the failure that is told: a portal, else the first that is not this machine's own, or
  /// else the first.
  private func note(_ reason: Reason, _ url: String? = nil) {
    let isMore = failure.map { known in
      reason == .portal && known.reason != .portal
        || known.reason.probeCause == .local && reason.probeCause != .local
    }
    if isMore ?? true { failure = (reason, url) }
  }

  private func fail() {
    let failure = failure ?? (.timeout, nil)
    finish(.failure(failure.reason, url: failure.url))
  }

  private func finish(_ result: ProbeResult?) {
    let completion = completion
    self.completion = nil
    close()
    completion?(result)
  }

  private func close() {
    for (_, exchange) in exchanges { exchange.cancel() }
    exchanges = []
    for timer in [nextTimer, timeoutTimer].compactMap(\.self) { loop.cancel(timer) }
    nextTimer = nil
    timeoutTimer = nil
    rest = []
  }
}

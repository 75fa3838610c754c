internal import Posix

/// One request to a host at one of its addresses, and the judgement of its answer.
final class HTTPExchange: Exchange {
  private var transfer: HTTPTransfer?

  /// - Parameters:
  ///   - check: what is asked for, and expected.
  ///   - address: where to.
  ///   - destination: the interface and the source.
  ///   - timeout: how long it may take.
  ///   - client: who sends it.
  ///   - trace: is told what came back.
  ///   - ended: takes the outcome.
  /// - Throws: why it did not begin.
  init(
    _ check: HTTPCheck, at address: IPAddress, _ destination: ProbeDestination, timeout: Duration,
    sentBy client: HTTPClient, trace: @escaping (String) -> Void,
    ended: @escaping (ExchangeOutcome) -> Void
  ) throws(ProbeSocketError) {
    guard let scope = destination.scope else { throw .refused(.interfaceMissing) }
    var request = HTTPRequest(check.url, to: [address], reading: check.extent, timeout: timeout)
    request.scope = scope
    request.source = destination.source
    // What is this machine's own cannot be reached through another interface.
    request.boundInterface = address.isLoopback ? nil : destination.boundInterface
    let wanted = request
    transfer = try ProbeSocketError.unavailable { () throws(SystemError) in
      try client.send(wanted) { result in
        if let summary = HTTPExchange.summary(of: result) { trace("\(address): \(summary)") }
        ended(ExchangeOutcome(result, of: check))
      }
    }
  }

  func cancel() {
    transfer?.cancel()
    transfer = nil
  }

  /// What came back, where the reason alone does not tell.
  private static func summary(of result: Result<HTTPResponse, HTTPFailure>) -> String? {
    switch result {
    case .failure(let failure):
      return [.tls, .httpStatus, nil].contains(failure.reason) ? failure.text : nil
    case .success(let response):
      let location = response.first("location").map { String(decoding: $0, as: UTF8.self) }
      return "status \(response.status)" + (location.map { " to \($0.prefix(300))" } ?? "")
    }
  }
}

extension ExchangeOutcome {
  /// What an answer, or the lack of one, amounts to.
  init(_ result: Result<HTTPResponse, HTTPFailure>, of check: HTTPCheck) {
    switch result {
    case .failure(let failure):
      self = failure.reason.map { .failed($0) } ?? .unavailable
    case .success(let response):
      let judgement = check.judge(
        status: response.status, location: response.first("location"),
        holdsText: response.holdsText)
      switch judgement {
      case .pass: self = .passed(latency: response.firstByte)
      case .status: self = .failed(.httpStatus)
      case .portal(let page): self = .failed(.portal, url: page?.description)
      }
    }
  }
}

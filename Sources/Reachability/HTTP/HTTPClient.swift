internal import CCurl
public import Posix

/// Sends HTTP requests, any number at once, through libcurl, which is opened with the first.
///
/// Lives on an event loop: all of its methods are called there, and completions too. Requests that
/// are under way when it goes end without their completions.
public final class HTTPClient {
  private let loop: EventLoop
  private var multi: UnsafeMutableRawPointer?
  private var transfers: [UnsafeMutableRawPointer: HTTPTransfer] = [:]
  private var sources: [Int32: EventLoop.Source] = [:]
  private var timer: LoopTimer?
  private var lastAlias = 0

  /// A client that has opened nothing yet.
  public init(on loop: EventLoop) { self.loop = loop }

  deinit {
    for transfer in transfers.values {
      transfer.completion = nil
      if let multi { _ = ccurl_multi_remove(multi, transfer.handle) }
    }
    // Nothing is told any more from here on; closing a descriptor ends its watch.
    if let multi { ccurl_multi_cleanup(multi) }
  }

  /// What keeps this process from sending any request: that libcurl is not there, with the package
  /// that brings it; nil where nothing does.
  public static var obstacle: SystemError? {
    let code = ccurl_open()
    return code == 0
      ? nil : SystemError("open libcurl.so.4 for HTTP (package libcurl4)", code: code)
  }

  /// What is said of a request whose client is gone.
  static let absence = SystemError(
    "send an HTTP request", code: ccurl_error_number(CURLE_ABORTED_BY_CALLBACK))

  /// Sends a request.
  ///
  /// - Parameters:
  ///   - request: what is asked, of whom.
  ///   - completion: is called once and never before this returns, with the answer or with why there
  ///     is none.
  /// - Returns: the transfer, which `cancel` ends.
  /// - Throws: what this machine lacks.
  public func send(
    _ request: HTTPRequest, completion: @escaping (Result<HTTPResponse, HTTPFailure>) -> Void
  ) throws(SystemError) -> HTTPTransfer {
    if let obstacle = HTTPClient.obstacle { throw obstacle }
    lastAlias += 1
    let transfer = try HTTPTransfer(
      request, alias: "a\(lastAlias).invalid", completion: completion)
    guard let multi = multi ?? makeMulti(), ccurl_multi_add(multi, transfer.handle) == CURLM_OK
    else { throw SystemError("send a request", code: ccurl_error_number(CURLE_OUT_OF_MEMORY)) }
    transfer.client = self
    transfers[transfer.handle] = transfer
    transfer.timer = loop.schedule(at: .now + request.timeout) { [weak self, weak transfer] in
      guard let self, let transfer else { return }
      finish(transfer, CURLE_OPERATION_TIMEDOUT)
    }
    return transfer
  }

  /// Ends a transfer without its completion.
  func end(_ transfer: HTTPTransfer) {
    guard transfers.removeValue(forKey: transfer.handle) != nil else { return }
    transfer.completion = nil
    if let timer = transfer.timer { loop.cancel(timer) }
    if let multi { _ = ccurl_multi_remove(multi, transfer.handle) }
  }

  private func finish(_ transfer: HTTPTransfer, _ code: CURLcode) {
    guard transfers[transfer.handle] === transfer else { return }
    let result = transfer.result(code)
    let completion = transfer.completion
    end(transfer)
    completion?(result)
  }

  // MARK: libcurl's side

  private func makeMulti() -> UnsafeMutableRawPointer? {
    multi = ccurl_multi_init(
      { _, descriptor, events, context, _ in
        HTTPClient.of(context)?.watch(descriptor, events)
        return 0
      },
      { _, milliseconds, context in
        HTTPClient.of(context)?.schedule(milliseconds)
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
    return multi
  }

  /// The client that libcurl calls back; it makes no calls once that is gone.
  private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPClient? {
    context.map { Unmanaged<HTTPClient>.fromOpaque($0).takeUnretainedValue() }
  }

  private func watch(_ descriptor: Int32, _ events: Int32) {
    if let source = sources.removeValue(forKey: descriptor) { loop.cancel(source) }
    let interest: EventLoop.Interest
    switch events {
    case CURL_POLL_IN: interest = .readable
    case CURL_POLL_OUT: interest = .writable
    case CURL_POLL_INOUT: interest = .either
    default: return
    }
    // One that cannot be watched runs into its transfer's timeout.
    sources[descriptor] = try? loop.watch(borrowed: descriptor, interest) { [weak self] in
      self?.act(descriptor)
    }
  }

  private func schedule(_ milliseconds: Int) {
    if let timer { loop.cancel(timer) }
    timer = nil
    guard milliseconds >= 0 else { return }
    timer = loop.schedule(at: .now + .milliseconds(milliseconds)) { [weak self] in
      self?.act(CURL_SOCKET_TIMEOUT)
    }
  }

  private func act(_ descriptor: Int32) {
    guard let multi else { return }
    _ = ccurl_multi_act(multi, descriptor)
    var ended: [(HTTPTransfer, CURLcode)] = []
    var code = CURLE_OK
    while let handle = ccurl_multi_next_ended(multi, &code) {
      if let transfer = transfers[handle] { ended.append((transfer, code)) }
    }
    // A completion may end others.
    for (transfer, code) in ended { finish(transfer, code) }
  }
}

internal import CCurl
internal import Posix

/// One request under way, which ends with its completion or by `cancel`.
///
/// Lives on its client's event loop.
public final class HTTPTransfer {
  let handle: UnsafeMutableRawPointer
  let request: HTTPRequest
  /// Ends the whole when its time is up.
  var timer: LoopTimer?
  weak var client: HTTPClient?
  /// Takes the result; nil once it ends without one.
  var completion: ((Result<HTTPResponse, HTTPFailure>) -> Void)?
  private var response = HTTPResponse()
  private let started = BootInstant.now
  private var headBytes = 0
  private var bodyBytes = 0
  private var isHeadComplete = false
  /// Whether all that was asked for has come, so that the transfer is to end here.
  private var isEnough = false
  private var search: ByteSearch?
  private var lists: [UnsafeMutablePointer<curl_slist>] = []
  private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
  private let socketError = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

  /// A head of more bytes, all lines together, is no answer.
  static let longestHead = 65536

  /// - Parameters:
  ///   - request: what is asked.
  ///   - alias: a name that no other transfer of its client has.
  ///   - completion: takes the answer, or why there is none.
  /// - Throws: what this machine lacks.
  init(
    _ request: HTTPRequest, alias: String,
    completion: @escaping (Result<HTTPResponse, HTTPFailure>) -> Void
  ) throws(SystemError) {
    guard let handle = ccurl_easy_init() else {
      throw SystemError("set up an HTTP request", code: ccurl_error_number(CURLE_OUT_OF_MEMORY))
    }
    self.handle = handle
    self.request = request
    self.completion = completion
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    socketError.initialize(to: 0)
    if case .text(let text, _) = request.extent { search = ByteSearch(for: text) }
    try check(
      ccurl_set_receivers(
        handle, HTTPTransfer.headReceiver, HTTPTransfer.bodyReceiver,
        Unmanaged.passUnretained(self).toOpaque(), message, socketError))
    try setManners()
    try setDestination(alias)
    try setRequest()
  }

  deinit {
    ccurl_easy_cleanup(handle)
    for list in lists { ccurl_list_free(list) }
    message.deallocate()
    socketError.deallocate()
  }

  /// Ends it without calling its completion; on the loop's thread.
  public func cancel() { client?.end(self) }

  // MARK: Setting up

  /// What holds for every request, whatever the environment and libcurl's defaults say.
  private func setManners() throws(SystemError) {
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    try set(CURLOPT_PROXY, "")
    try set(CURLOPT_NOPROXY, "*")
    try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    // To read the file of all authorities takes 40 ms each time; of their folder, which libcurl would
    // look at after it, only the one that is needed is read.
    if ccurl_text(handle, CURLINFO_CAPATH) != nil {
      try check(ccurl_set_text(handle, CURLOPT_CAINFO, nil))
    }
    try set(CURLOPT_HTTP09_ALLOWED, 0)
    try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    try set(CURLOPT_FRESH_CONNECT, 1)
    try set(CURLOPT_FORBID_REUSE, 1)
    // Without it libcurl would set signal handlers.
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_USERAGENT, "reach/\(Program.version)")
  }

  private func setDestination(_ alias: String) throws(SystemError) {
    try set(CURLOPT_URL, request.url.description)
    try set(CURLOPT_PATH_AS_IS, 1)
    // Names that are looked up are shared by the transfers of a client, so that addresses given for
    // the URL's own host would be another transfer's too.
    let addresses = request.addresses.map { $0.family == .ipv4 ? "\($0)" : "[\($0)]" }
    if addresses.isEmpty {
      // A thread of libcurl's asks the system; without this, ending a transfer would wait for it.
      try set(CURLOPT_QUICK_EXIT, 1)
    } else {
      try set(CURLOPT_CONNECT_TO, ["::\(alias):\(request.url.port)"])
      try set(
        CURLOPT_RESOLVE, ["+\(alias):\(request.url.port):\(addresses.joined(separator: ","))"])
    }
    try set(CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, 250)
    // libcurl's clock stands still in suspend; the loop's timer ends the whole.
    try set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(request.timeout.nanoseconds / 1_000_000)))
    if request.addresses.contains(where: \.isLinkLocal) {
      try set(CURLOPT_ADDRESS_SCOPE, Int(request.scope))
    }
    if let name = request.boundInterface {
      try set(CURLOPT_INTERFACE, "if!\(name)")
    } else if let source = request.source {
      try set(CURLOPT_INTERFACE, "host!\(source)")
    }
  }

  private func setRequest() throws(SystemError) {
    // Nothing else will be asked over this connection, so that the server may close it.
    var headers = ["Connection: close"]
    for header in request.headers {
      let value = String(decoding: header.value, as: UTF8.self)
      headers.append(value.isEmpty ? "\(header.name);" : "\(header.name): \(value)")
    }
    if !request.body.isEmpty || !["GET", "HEAD"].contains(request.method) {
      // No form, and nothing that a server is asked about first.
      headers.append("Expect:")
      if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
        headers.append("Content-Type:")
      }
      try check(request.body.withUnsafeBytes { ccurl_set_body(handle, $0.baseAddress, $0.count) })
    }
    if request.method == "HEAD" { try set(CURLOPT_NOBODY, 1) }
    try set(CURLOPT_CUSTOMREQUEST, request.method)
    try set(CURLOPT_HTTPHEADER, headers)
  }

  private func set(_ option: CURLoption, _ value: Int) throws(SystemError) {
    try check(ccurl_set_number(handle, option, value))
  }

  private func set(_ option: CURLoption, _ value: String) throws(SystemError) {
    try check(ccurl_set_text(handle, option, value))
  }

  private func set(_ option: CURLoption, _ values: [String]) throws(SystemError) {
    var list: UnsafeMutablePointer<curl_slist>?
    for value in values { list = ccurl_list_append(list, value) }
    if let list { lists.append(list) }
    try check(ccurl_set_list(handle, option, list))
  }

  private func check(_ code: CURLcode) throws(SystemError) {
    guard code == CURLE_OK else {
      throw SystemError("set up an HTTP request", code: ccurl_error_number(code))
    }
  }

  // MARK: Receiving

  private static let headReceiver: ccurl_receiver = { bytes, size, count, context in
    receive(bytes, size * count, context) { $0.takeHead($1) }
  }

  private static let bodyReceiver: ccurl_receiver = { bytes, size, count, context in
    receive(bytes, size * count, context) { $0.takeBody($1) }
  }

  /// Hands bytes to their transfer, which is held by its client for as long as libcurl knows it.
  private static func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
    _ take: (HTTPTransfer, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    guard let context else { return 0 }
    let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
    return take(transfer, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
  }

  /// Takes a line of a head, or of what follows a body in pieces; false where the transfer is to end.
  private func takeHead(_ line: UnsafeRawBufferPointer) -> Bool {
    if headBytes == 0 { response.firstByte = BootInstant.now - started }
    headBytes += line.count
    guard headBytes <= HTTPTransfer.longestHead else { return false }
    if isHeadComplete { return true }
    if line.starts(with: "HTTP/".utf8) {
      // What came before was an interim answer's.
      response.headers = []
    } else if line.allSatisfy({ $0 == 0x0d || $0 == 0x0a }) {
      return endHead()
    } else if let header = HTTPHeader(line: line) {
      response.headers.append(header)
    }
    return true
  }

  private func endHead() -> Bool {
    response.status = ccurl_number(handle, CURLINFO_RESPONSE_CODE)
    // 101 would be the last, but is not asked for.
    guard response.status >= 200 || response.status == 101 else { return true }
    isHeadComplete = true
    switch request.extent {
    case .head: isEnough = true
    case .body: break
    case .text: isEnough = !(200...299).contains(response.status)
    }
    return !isEnough
  }

  private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    switch request.extent {
    case .head: isEnough = true
    case .body(let most): take(bytes, most) { response.body += $0 }
    case .text(_, let most):
      take(bytes, most) { search?.take($0) }
      response.holdsText = search?.isFound ?? false
      if response.holdsText { isEnough = true }
    }
    return !isEnough
  }

  private func take(
    _ bytes: UnsafeRawBufferPointer, _ most: Int, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    let room = most - bodyBytes
    body(UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))
    bodyBytes += min(bytes.count, room)
    if bytes.count > room {
      response.isTruncated = true
      isEnough = true
    }
  }

  // MARK: Ending

  /// What the transfer came to.
  func result(_ code: CURLcode) -> Result<HTTPResponse, HTTPFailure> {
    if code == CURLE_OK || isEnough {
      response.address = ccurl_text(handle, CURLINFO_PRIMARY_IP)
        .flatMap { IPAddress(String(cString: $0)) }
      return .success(response)
    }
    if headBytes > HTTPTransfer.longestHead {
      return .failure(
        HTTPFailure(
          reason: .httpStatus, text: "a head of more than \(HTTPTransfer.longestHead) bytes"))
    }
    let error =
      socketError.pointee == 0
      ? Int32(truncatingIfNeeded: ccurl_number(handle, CURLINFO_OS_ERRNO)) : socketError.pointee
    let written = String(cString: message)
    return .failure(
      HTTPFailure(
        reason: Reason(transferCode: code, systemError: error),
        text: written.isEmpty ? String(cString: ccurl_error_text(code)) : written))
  }
}

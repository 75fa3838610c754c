internal import Lua
internal import Posix
internal import Reachability

extension LibraryFunction {
  static let http = LibraryFunction(
    name: "reach.http", place: .handlers, waits: true,
    takes: [Field("options", "reach.HTTPOptions", "Where to, and what is sent.")],
    returns: Field("answer", "reach.HTTPResult", "What came back, or why nothing did."),
    summary: """
      Sends an HTTP request and waits for the answer:
      `reach.http{ url = "https://nas.lan/wake", json = { on = true } }`.

      A failure, and a status other than 200 to 299, is logged, too. A script has eight requests at a
      time; a ninth waits. Needs the package `libcurl4`.
      """
  ) { context, call, _ throws(OptionError) in
    context.effect = try HTTPEffect(arguments: call.arguments, left: context.timeLeft)
    return .wait
  }
}

/// An answer of an HTTP server that a run waits for.
struct HTTPEffect: Effect {
  private let request: HTTPRequest
  /// How many redirects are followed.
  private let redirects: Int

  /// How much of a body is kept.
  static let longestBody = 1 << 20
  private static let mostRedirects: Int64 = 20

  /// - Parameters:
  ///   - arguments: what `reach.http` was called with.
  ///   - left: what is left until the run's deadline.
  /// - Throws: which key cannot be used, and why.
  init(arguments: [LuaValue], left: Duration) throws(OptionError) {
    let options = try OptionTable(
      arguments, for: "reach.http", as: .httpOptions)
    guard let url = try options.url("url") else {
      throw options.error("\"url\" is missing, as in url = \"https://nas.lan/\"")
    }
    var request = HTTPRequest(
      url, reading: .body(most: HTTPEffect.longestBody),
      timeout: try options.timeout(within: left))
    request.headers = try HTTPEffect.headers(options)
    let body = try HTTPEffect.body(options)
    request.body = body.bytes ?? []
    if body.isJSON, !request.headers.contains(where: { $0.name.lowercased() == "content-type" }),
      let header = HTTPHeader("Content-Type", Array("application/json".utf8))
    {
      request.headers.append(header)
    }
    request.method = try options.string("method") ?? (body.bytes == nil ? "GET" : "POST")
    guard HTTPEffect.isMethod(request.method) else {
      throw options.mismatch(
        "method", "a method in capitals, such as \"POST\"", .string(request.method))
    }
    self.request = request
    switch options.value("redirect") {
    case nil: redirects = 0
    case .integer(let number)? where (0...HTTPEffect.mostRedirects).contains(number):
      redirects = Int(number)
    case let other?:
      throw options.mismatch(
        "redirect", "a whole number from 0 to \(HTTPEffect.mostRedirects)", other)
    }
  }

  private static func isMethod(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x41...0x5a).contains($0) || $0 == UInt8(ascii: "-") }
  }

  private static func headers(_ options: OptionTable) throws(OptionError) -> [HTTPHeader] {
    // These frame the message, which is the client's part.
    let own = ["content-length", "transfer-encoding", "connection", "expect"]
    var headers: [HTTPHeader] = []
    for (name, value) in try options.strings("headers") ?? [] {
      guard let header = HTTPHeader(name, Array(value.utf8)), !own.contains(name.lowercased())
      else { throw options.error("\"headers\": \"\(name)\" cannot be sent") }
      headers.append(header)
    }
    return headers
  }

  private static func body(
    _ options: OptionTable
  ) throws(OptionError) -> (bytes: [UInt8]?, isJSON: Bool) {
    let body = try options.bytes("body")
    guard let value = options.value("json") else { return (body, false) }
    guard body == nil else { throw options.error("needs at most one of body and json") }
    return (Array(try JSONWriter.text(of: value, for: "reach.http: json").utf8), true)
  }

  func begin(_ wait: Wait) { wait.script.requests.take { start(wait) } }

  private func start(_ wait: Wait) -> Bool {
    guard wait.isOpen else { return false }
    let exchange = HTTPConversation(
      request, following: redirects, by: wait.equipment.http,
      until: wait.loop.clock.now + request.timeout
    ) { result in
      answer(wait, result)
      wait.script.requests.release()
    }
    wait.ending = {
      exchange.cancel()
      wait.script.requests.release()
    }
    exchange.begin()
    return true
  }

  func rehearse(_ wait: Wait, on stage: Stage) {
    wait.script.requests.take {
      guard wait.isOpen else { return false }
      let staged = stage.perform(.request(request), for: wait)
      let isLate = staged.timesOut || staged.after > request.timeout
      let error = isLate ? "ran out of time after \(request.timeout.text)" : staged.error
      let release = { wait.script.requests.release() }
      wait.rehearse(
        for: isLate ? request.timeout : staged.after, ending: release
      ) {
        let failure = error.map { HTTPComplaint(text: $0) }
        answer(wait, failure.map { .failure($0) } ?? .success(staged.response))
        release()
      }
      return true
    }
  }

  private func answer(_ wait: Wait, _ result: Result<HTTPResponse, HTTPComplaint>) {
    let place = "\(request.method) \(request.url.withoutQuery)"
    var complaint: String?
    switch result {
    case .success(let response) where response.isTruncated:
      complaint = "the body is cut at \(HTTPEffect.longestBody >> 20) MiB"
    case .success(let response) where !response.isSuccess:
      wait.log.write(.warn, "\(place): status \(response.status)", from: wait.origin)
    case .success: break
    case .failure(let failure): complaint = failure.text.printable
    }
    if let complaint { wait.log.write(.warn, "\(place): \(complaint)", from: wait.origin) }
    let response = try? result.get()
    wait.returns { [complaint] results in results.answer(response, error: complaint) }
  }
}

extension HTTPResponse {
  fileprivate var isSuccess: Bool { (200...299).contains(status) }
}

extension LuaShape {
  static let answer = LuaShape(id: 5, name: "result", keys: TableForm.httpResult.keys)
}

extension TableForm {
  static let httpOptions = TableForm(
    "reach.HTTPOptions", "What `reach.http` takes.",
    [
      Field("url", "string", "Where to: an http or https URL."),
      Field(
        "method?", "string", "In capitals. Default `\"GET\"`, and `\"POST\"` with a body or json."),
      Field("headers?", "table<string, string>", "Headers that are sent."),
      Field("body?", "string", "What is sent."),
      Field("json?", "any", "What is sent, written as JSON; instead of `body`."),
      Field(
        "timeout?", "reach.Duration",
        "When it is given up. Default 30 s, or what is left until the hook's deadline."),
      Field("redirect?", "integer", "How many redirects are followed. Default 0."),
    ])

  static let httpResult = TableForm(
    "reach.HTTPResult", "What a server answered, or why there is no answer.",
    [
      Field("ok", "boolean", "Whether the status is 200 to 299."),
      Field("status?", "integer", "The answer's status."),
      Field("headers?", "table<string, string>", "Its headers, with names in lower case."),
      Field("body?", "string", "What it holds, up to 1 MiB."),
      Field("error?", "string", "Why there is no answer, or that the body is cut."),
    ])
}

extension LuaWriter {
  /// What `reach.http` returns: what a server answered, or why there is no answer.
  fileprivate mutating func answer(_ response: HTTPResponse?, error: String?) {
    record(.answer) { record in
      record.boolean(response?.isSuccess ?? false)
      record.integer(response.map { Int64($0.status) })
      guard let response else {
        record.null()
        record.null()
        return record.string(error)
      }
      record.headers(response.headers)
      record.bytes(response.body)
      record.string(error)
    }
  }

  /// Headers by name; the values of one that came several times are joined by commas.
  private mutating func headers(_ headers: [HTTPHeader]) {
    var values: [String: [UInt8]] = [:]
    for header in headers {
      values[header.name] =
        values[header.name].map { $0 + Array(", ".utf8) + header.value }
        ?? header.value
    }
    table(fields: { table in
      for (name, value) in values {
        table.string(name)
        table.bytes(value)
      }
    })
  }
}

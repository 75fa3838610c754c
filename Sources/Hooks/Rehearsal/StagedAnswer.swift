internal import Lua
internal import Posix
internal import Reachability

/// How a deed of a rehearsal ends; by default well, and at once.
struct StagedAnswer: Sendable {
  var isGood: Bool?
  /// How long it takes.
  var after = Duration.zero
  var error: String?
  var code: Int32?
  var signal: Int32?
  var output: [UInt8] = []
  var errors: [UInt8] = []
  var timesOut = false
  var isTruncated = false
  var status: Int?
  var headers: [HTTPHeader] = []
  var body: [UInt8] = []

  /// What is wrong with a deed that has no outcome but that.
  var failure: String? { error ?? (isGood == false ? "not done, as the rehearsal asks" : nil) }

  var commandResult: Subprocess.Result {
    var result = Subprocess.Result()
    result.timedOut = timesOut
    result.signal = signal ?? (timesOut ? 15 : nil)
    if result.signal == nil { result.code = code ?? (isGood == false ? 1 : 0) }
    let most = Subprocess.mostOutput
    result.output = Array(output.prefix(most))
    result.errors = Array(errors.prefix(most))
    result.isTruncated = isTruncated || max(output.count, errors.count) > most
    return result
  }

  var response: HTTPResponse {
    var response = HTTPResponse()
    response.status = status ?? (isGood == false ? 500 : 200)
    response.headers = headers
    response.body = Array(body.prefix(HTTPEffect.longestBody))
    response.isTruncated = isTruncated || body.count > HTTPEffect.longestBody
    return response
  }
}

extension StagedAnswer {
  /// Reads how something ends: the fields of what `reach.run`, `reach.http`, `reach.write` and
  /// `reach.notify` return, and `after`, how long it takes.
  init(_ arguments: [LuaValue], for owner: String) throws(OptionError) {
    let options = try OptionTable(arguments, for: owner, as: SpecDeclarations.answer)
    isGood = try options.boolean("ok")
    after = try options.duration("after") ?? .zero
    error = try options.string("error")
    code = try options.count("code", least: 0, most: 255).map(Int32.init)
    signal = try options.count("signal", most: 64).map(Int32.init)
    output = try options.bytes("stdout") ?? []
    errors = try options.bytes("stderr") ?? []
    timesOut = try options.boolean("timed_out") ?? false
    isTruncated = try options.boolean("truncated") ?? false
    status = try options.count("status", most: 999)
    body = try options.bytes("body") ?? []
    for (name, value) in try options.strings("headers") ?? [] {
      guard let header = HTTPHeader(name.lowercased(), Array(value.utf8)) else {
        throw options.error("\"headers\": \"\(name)\" is none")
      }
      headers.append(header)
    }
    try checkOutcome(options)
  }

  /// What says that it ends well goes with nothing that says the contrary.
  private func checkOutcome(_ options: OptionTable) throws(OptionError) {
    let outcomes = [
      ("error", error.map { _ in false }), ("code", code.map { $0 == 0 }),
      ("signal", signal.map { _ in false }), ("timed_out", timesOut ? false : nil),
      ("status", status.map { (200...299).contains($0) }),
    ]
    guard let isGood, let (key, _) = outcomes.first(where: { $0.1 == !isGood }) else { return }
    throw options.error("\"ok\" says one thing, and \"\(key)\" the other")
  }
}

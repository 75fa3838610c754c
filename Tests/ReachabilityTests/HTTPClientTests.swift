import Glibc
import Posix
import TestSupport
import Testing

@testable import Reachability

private let loopback: IPAddress = "127.0.0.1"

/// What a client makes of requests that are all sent at once.
private func exchange(
  _ requests: [HTTPRequest], sentBy setUp: @escaping @Sendable (HTTPClient) -> Void = { _ in }
) throws -> [Result<HTTPResponse, HTTPFailure>] {
  let loop = try EventLoop()
  let results = Record<(Int, Result<HTTPResponse, HTTPFailure>)>()
  loop.post {
    let client = HTTPClient(on: loop)
    setUp(client)
    for (number, request) in requests.enumerated() {
      do {
        _ = try client.send(request) { result in
          results.note((number, result))
          if results.all.count == requests.count { loop.stop() }
          withExtendedLifetime(client) {}
        }
      } catch {
        Issue.record("\(error)")
        loop.stop()
      }
    }
  }
  loop.run()
  try #require(results.all.count == requests.count)
  return results.all.sorted { $0.0 < $1.0 }.map(\.1)
}

private func get(
  _ path: String, _ server: HTTPServer, port: String = "plain",
  _ extent: HTTPRequest.Extent = .body(most: 65536), timeout: Duration = .seconds(5)
) throws -> HTTPRequest {
  let scheme = port == "plain" ? "http" : "https"
  return HTTPRequest(
    try HTTPURL("\(scheme)://nas.test:\(server.ports[port] ?? 0)\(path)"), to: [loopback],
    reading: extent, timeout: timeout)
}

private func descriptorLimit() -> rlim_t {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  return limit.rlim_cur
}

private func setDescriptorLimit(_ count: rlim_t) {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  limit.rlim_cur = count
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

@Suite struct HTTPClients {
  private static let running: Result<HTTPServer, any Error> = Result { try HTTPServer() }
  let server: HTTPServer

  init() throws { server = try HTTPClients.running.get() }

  private func reason(_ request: HTTPRequest) throws -> Reason? {
    guard case .failure(let failure) = try exchange([request])[0] else {
      Issue.record("\(request.url) was answered")
      return nil
    }
    return failure.reason
  }

  @Test func `an answer comes whole, with who gave it and how long that took`() throws {
    let path = HTTPServer.path(status: 200, "One: 1\r\none:  two \r\n", body: "body")
    let response = try exchange([try get(path, server)])[0].get()
    #expect(response.status == 200)
    #expect(
      response.headers == [
        HTTPHeader("one", Array("1".utf8)), HTTPHeader("one", Array("two".utf8)),
      ])
    #expect(response.first("one") == Array("1".utf8))
    #expect(text(response.body) == "body")
    #expect(response.address == loopback)
    #expect(!response.isTruncated)
    #expect(response.firstByte > .zero && response.firstByte < .seconds(2))
  }

  @Test func `a request says little, and nothing of this machine's settings`() throws {
    for (name, value) in [
      ("http_proxy", "http://127.0.0.1:9"), ("all_proxy", "http://127.0.0.1:9"),
      ("no_proxy", ""),
    ] {
      setenv(name, value, 1)
    }
    defer { for name in ["http_proxy", "all_proxy", "no_proxy"] { unsetenv(name) } }
    let response = try exchange([try get("/echo/../a%20b?c", server)])[0].get()
    #expect(
      text(response.body) == """
        GET /echo/../a%20b?c HTTP/1.1\r
        Host: nas.test:\(server.ports["plain"] ?? 0)\r
        User-Agent: reach/\(Program.version)\r
        Accept: */*\r
        Connection: close\r
        \r\n
        """)
  }

  @Test func `method, headers and body are sent as given`() throws {
    var request = try get("/echo", server)
    request.method = "PUT"
    request.headers = [HTTPHeader("X-One", Array("1".utf8)), HTTPHeader("X-None", [])].compactMap(
      \.self)
    request.body = Array("{\"a\":\0}".utf8)
    var post = request
    post.method = "POST"
    post.headers = [HTTPHeader("content-type", Array("application/json".utf8))].compactMap(\.self)
    post.body = []
    let answers = try exchange([request, post]).map { text(try $0.get().body) }
    #expect(answers[0].hasPrefix("PUT /echo HTTP/1.1\r\n"))
    #expect(answers[0].contains("\r\nX-One: 1\r\n"))
    #expect(answers[0].contains("\r\nX-None:\r\n"))
    #expect(answers[0].contains("\r\nContent-Length: 7\r\n"))
    #expect(!answers[0].lowercased().contains("content-type"))
    #expect(!answers[0].contains("Expect"))
    #expect(answers[0].hasSuffix("\r\n\r\n{\"a\":\0}"))
    #expect(answers[1].hasPrefix("POST /echo HTTP/1.1\r\n"))
    #expect(answers[1].contains("\r\ncontent-type: application/json\r\n"))
    #expect(answers[1].contains("\r\nContent-Length: 0\r\n"))
  }

  @Test func `a header cannot hold another`() {
    #expect(HTTPHeader("A", Array("1\r\nB: 2".utf8)) == nil)
    #expect(HTTPHeader("A: 1\r\nB", []) == nil)
    #expect(HTTPHeader("", []) == nil)
    #expect(HTTPHeader("A", Array("1\t2".utf8)) != nil)
  }

  @Test func `the next address is tried where one refuses, each request having its own`() throws {
    var first = try get(HTTPServer.path(status: 204), server)
    first.addresses = ["127.0.0.2", loopback]
    var second = first
    second.addresses = ["127.0.0.2"]
    let results = try exchange([first, second, first])
    #expect(try results[0].get().address == loopback)
    #expect(throws: HTTPFailure.self) { try results[1].get() }
    #expect(try results[2].get().status == 204)
  }

  @Test func `of a body no more is kept than was asked for`() throws {
    let endless = try get(HTTPServer.path("endless", status: 200), server)
    let whole = try get(HTTPServer.path(status: 200, body: "12345"), server, .body(most: 5))
    let more = try get(HTTPServer.path(status: 200, body: "123456"), server, .body(most: 5))
    let answers = try exchange([endless, whole, more]).map { try $0.get() }
    #expect(answers[0].body.count == 65536)
    #expect(answers.map(\.isTruncated) == [true, false, true])
    #expect(answers[1...].map { text($0.body) } == ["12345", "12345"])
  }

  @Test func `a head is enough where no more is asked for, though the body never ends`() throws {
    let requests = [
      try get(HTTPServer.path("drip", status: 200), server, .head),
      try get(HTTPServer.path("endless", status: 200), server, .head),
      try get(HTTPServer.path("drip", status: 404), server, .text([0x61], within: 9)),
    ]
    let answers = try exchange(requests).map { try $0.get() }
    #expect(answers.map(\.status) == [200, 200, 404])
    #expect(answers.flatMap(\.body).isEmpty)
  }

  @Test(arguments: [
    ("drip", "a word", true), ("raw", "a word", true), ("raw", "a", false),
    ("endless", "nothing", false),
  ])
  func `a text is found as soon as it has come, or nowhere`(
    way: String, body: String, isFound: Bool
  ) throws {
    let response = try exchange([
      try get(
        HTTPServer.path(way, status: 200, body: body), server,
        .text(Array("word".utf8), within: 100_000))
    ])[0].get()
    #expect(response.holdsText == isFound)
    #expect(response.isTruncated == (way == "endless"))
  }

  @Test func `interim answers are passed over, and what was chunked is put together`() throws {
    let answer =
      "HTTP/1.1 103 Early Hints\r\nA: 1\r\n\r\nHTTP/1.1 200 OK\r\nB: 2\r\n"
      + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\nC: 3\r\n\r\n"
    let response = try exchange([try get(HTTPServer.path(sending: answer), server)])[0].get()
    #expect(response.status == 200)
    #expect(text(response.body) == "abc")
    #expect(response.headers.map(\.name) == ["b", "transfer-encoding"])
  }

  @Test(arguments: [
    ("/wide", Reason.httpStatus), ("/many", .httpStatus), ("/interim", .httpStatus),
    ("/close", .reset), ("/reset", .reset),
    (HTTPServer.path(sending: "SSH-2.0-OpenSSH_9.2\r\n"), .httpStatus),
    (HTTPServer.path(sending: "<html>HTTP/0.9</html>"), .httpStatus),
    (HTTPServer.path(sending: "HTTP/1.1 abc\r\n\r\n"), .httpStatus),
    (HTTPServer.path(sending: "\0\u{1}\u{2}\r\n\r\n"), .httpStatus),
    (HTTPServer.path(status: 200, "Content-Length: 10\r\n", body: "12345"), .reset),
  ])
  func `what is no answer is named`(path: String, expected: Reason) throws {
    #expect(try reason(try get(path, server)) == expected)
  }

  @Test func `a server that says nothing, or too slowly, meets the timeout`() throws {
    let start = BootInstant.now
    #expect(try reason(try get("/silent", server, timeout: .milliseconds(300))) == .timeout)
    #expect(BootInstant.now - start >= .milliseconds(300))
    #expect(BootInstant.now - start < .seconds(2))
    let drip = try get(HTTPServer.path("drip", status: 200), server, timeout: .milliseconds(300))
    #expect(try reason(drip) == .timeout)
  }

  @Test func `a port that is closed refuses`() throws {
    var request = try get("/", server)
    request.addresses = ["127.0.0.2"]
    #expect(try reason(request) == .refused)
  }

  @Test(arguments: ["good", "wrong", "expired", "own"])
  func `a certificate that this machine's authorities have not signed is refused`(
    port: String
  ) throws {
    let request = try get(HTTPServer.path(status: 204), server, port: port)
    #expect(try reason(request) == .tls)
  }

  @Test func `TLS and plain text do not meet`() throws {
    var request = try get(HTTPServer.path(status: 204), server)
    request.url = try HTTPURL("https://nas.test:\(server.ports["plain"] ?? 0)/close")
    #expect(try reason(request) == .tls)
    request.url = try HTTPURL("http://nas.test:\(server.ports["own"] ?? 0)/close")
    #expect(try reason(request) != nil)
  }

  @Test func `five hundred requests go at once`() throws {
    Program.raiseDescriptorLimit()
    let request = try get(
      HTTPServer.path(status: 200, body: "x"), server, timeout: .seconds(20))
    let start = BootInstant.now
    let results = try exchange(Array(repeating: request, count: 500))
    let statuses = results.map { try? $0.get().status }
    #expect(statuses.allSatisfy { $0 == 200 })
    #expect(BootInstant.now - start < .seconds(10))
  }

  @Test func `where no socket can be made nothing is said of the other side`() throws {
    let request = try get("/silent", server, timeout: .seconds(1))
    let before = descriptorLimit()
    defer { setDescriptorLimit(before) }
    let results = try exchange([request, request]) { client in
      // The first request opens libcurl and what that needs.
      _ = try? client.send(request) { _ in }
      let next = dup(0)
      close(next)
      setDescriptorLimit(rlim_t(next))
    }
    for result in results {
      guard case .failure(let failure) = result else {
        Issue.record("was answered")
        continue
      }
      #expect(failure.reason == nil, "\(failure.text)")
    }
  }

  @Test func `what is cancelled, or whose client is gone, is heard of no more`() throws {
    let loop = try EventLoop()
    let heard = Record<Int>()
    let silent = try get("/silent", server, timeout: .milliseconds(200))
    let quick = try get(HTTPServer.path(status: 204), server)
    loop.post {
      let client = HTTPClient(on: loop)
      var gone: HTTPClient? = HTTPClient(on: loop)
      var others: [HTTPTransfer] = []
      do {
        let cancelled = try client.send(quick) { _ in heard.note(1) }
        cancelled.cancel()
        cancelled.cancel()
        for number in 2...3 {
          _ = try gone?.send(number == 2 ? silent : quick) { _ in heard.note(number) }
        }
        others.append(try client.send(silent) { _ in heard.note(4) })
        _ = try client.send(quick) { _ in
          heard.note(5)
          for other in others { other.cancel() }
          withExtendedLifetime(client) {}
        }
      } catch {
        Issue.record("\(error)")
      }
      _ = loop.schedule(at: .now + .milliseconds(1)) { gone = nil }
      _ = loop.schedule(at: .now + .milliseconds(500)) { loop.stop() }
    }
    loop.run()
    #expect(heard.all.contains(5))
    #expect(!heard.all.contains(1) && !heard.all.contains(2) && !heard.all.contains(4))
  }
}

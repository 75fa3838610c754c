import Posix
import TestSupport
import Testing

@testable import Reachability

@Suite struct HTTPProbes {
  private static let running: Result<HTTPServer, any Error> = Result { try HTTPServer() }
  let server: HTTPServer

  init() throws { server = try HTTPProbes.running.get() }

  /// Runs one probe of `nas.test` at some addresses to its end, or its obstacle.
  private func probe(
    _ path: String, port: String = "plain", expecting expectation: HTTPCheck.Expectation = .success,
    at addresses: [IPAddress] = ["127.0.0.1"], from source: IPAddress? = nil,
    through interface: String? = nil, timeout: Duration = .seconds(3)
  ) throws -> (result: ProbeResult?, answers: [String]) {
    let scheme = port == "plain" ? "http" : "https"
    let url = try HTTPURL("\(scheme)://nas.test:\(server.ports[port] ?? 0)\(path)")
    let loop = try EventLoop()
    let results = Record<ProbeResult?>()
    let answers = Record<String>()
    loop.post {
      var probe = Probe(.http(HTTPCheck(url, expecting: expectation)))
      probe.timeout = timeout
      var destination = ProbeDestination(addresses: addresses)
      destination.source = source
      destination.boundInterface = interface
      let client = HTTPClient(on: loop)
      _ = probe.begin(
        to: destination, on: loop, sharing: client, trace: { answers.note($0) },
        completion: { result in
          results.note(result)
          withExtendedLifetime(client) { loop.stop() }
        })
    }
    loop.run()
    try #require(results.all.count == 1)
    return (results.all[0], answers.all)
  }

  @Test func `a good answer passes, with its address and the time it took`() throws {
    let (result, answers) = try probe(HTTPServer.path(status: 204))
    guard case .pass(let latency, let address)? = result else {
      Issue.record("did not pass: \(result as Any)")
      return
    }
    #expect(address == "127.0.0.1")
    #expect(latency > .zero && latency < .seconds(2))
    #expect(answers == ["127.0.0.1: status 204"])
  }

  @Test(arguments: [
    (HTTPCheck.Expectation.status(404), HTTPServer.path("drip", status: 404)),
    (.text(Array("welcome".utf8)), HTTPServer.path("drip", status: 200, body: "You are welcome.")),
    (.success, HTTPServer.path("endless", status: 200)),
  ])
  func `what was expected passes without the rest of the body`(
    expectation: HTTPCheck.Expectation, path: String
  ) throws {
    guard case .pass? = try probe(path, expecting: expectation).result else {
      Issue.record("did not pass")
      return
    }
  }

  @Test func `a redirect to another host is a portal with its page`() throws {
    let path = HTTPServer.path(status: 302, "Location: http://wifi.example/in?a=b\r\n")
    for expectation in [HTTPCheck.Expectation.success, .status(204)] {
      let (result, answers) = try probe(path, expecting: expectation)
      #expect(result == .failure(.portal, url: "http://wifi.example/in?a=b"))
      #expect(answers == ["127.0.0.1: status 302 to http://wifi.example/in?a=b"])
    }
  }

  @Test func `a page in the answer's place is a portal, to be opened where it was met`() throws {
    let path = HTTPServer.path("endless", status: 200, body: "<h1>Sign in</h1>")
    let url = "http://nas.test:\(server.ports["plain"] ?? 0)\(path)"
    #expect(try probe(path, expecting: .status(204)).result == .failure(.portal, url: url))
    #expect(
      try probe(path, expecting: .text(Array("pong".utf8))).result == .failure(.portal, url: url))
  }

  @Test func `a redirect that goes round at one host is not followed`() throws {
    let path = HTTPServer.path(status: 302, "Location: /loop\r\n")
    #expect(try probe(path).result == .failure(.httpStatus))
  }

  @Test func `a text that never comes, in a body that drips, meets the timeout`() throws {
    let path = HTTPServer.path("drip", status: 200)
    let word = HTTPCheck.Expectation.text(Array("pong".utf8))
    #expect(
      try probe(path, expecting: word, timeout: .milliseconds(300)).result == .failure(.timeout))
  }

  @Test(arguments: [
    ("/wide", Reason.httpStatus), ("/silent", .timeout), ("/close", .reset), ("/reset", .reset),
    (HTTPServer.path(sending: "SSH-2.0-OpenSSH_9.2\r\n"), .httpStatus),
    (HTTPServer.path(status: 503), .httpStatus),
  ])
  func `each failure has its reason`(path: String, reason: Reason) throws {
    #expect(try probe(path, timeout: .milliseconds(500)).result == .failure(reason))
  }

  @Test func `a certificate that does not verify is said to be so`() throws {
    let (result, answers) = try probe("/", port: "own")
    #expect(result == .failure(.tls))
    #expect(answers == ["127.0.0.1: SSL certificate problem: self-signed certificate"])
  }

  @Test func `addresses are tried in turn, and one that passes is enough`() throws {
    let path = HTTPServer.path(status: 204)
    guard case .pass(_, let address)? = try probe(path, at: ["127.0.0.2", "127.0.0.1"]).result
    else {
      Issue.record("did not pass")
      return
    }
    #expect(address == "127.0.0.1")
    #expect(try probe(path, at: ["127.0.0.2", "127.0.0.3"]).result == .failure(.refused))
    #expect(try probe(path, at: []).result == .failure(.dns))
  }

  @Test func `of several failures a portal is told`() throws {
    let path = HTTPServer.path(status: 302, "Location: http://wifi.example/\r\n")
    for addresses in [["127.0.0.1", "127.0.0.2"], ["127.0.0.2", "127.0.0.1"]] as [[IPAddress]] {
      #expect(
        try probe(path, at: addresses).result == .failure(.portal, url: "http://wifi.example/"))
    }
  }

  @Test func `it leaves from the source that is asked for`() throws {
    guard case .pass? = try probe(HTTPServer.path(status: 204), from: "127.0.0.7").result else {
      Issue.record("did not pass")
      return
    }
    #expect(
      try probe(HTTPServer.path(status: 204), from: "192.0.2.77").result == .failure(.noAddress))
  }

  @Test func `an interface that is not there is named`() throws {
    let result = try probe("/", at: ["192.0.2.1"], through: "nothing0").result
    #expect(result == .failure(.interfaceMissing))
  }

  @Test func `a probe that is cancelled is heard of no more`() throws {
    let url = try HTTPURL("http://nas.test:\(server.ports["plain"] ?? 0)/silent")
    let loop = try EventLoop()
    let heard = Record<Int>()
    loop.post {
      var probe = Probe(.http(HTTPCheck(url)))
      probe.timeout = .milliseconds(100)
      let client = HTTPClient(on: loop)
      let destination = ProbeDestination(addresses: ["127.0.0.1"])
      let first = probe.begin(to: destination, on: loop, sharing: client) { _ in heard.note(1) }
      first.cancel()
      let second = probe.begin(to: destination, on: loop, sharing: client) { _ in heard.note(2) }
      _ = loop.schedule(at: .now + .milliseconds(50)) { second.cancel() }
      _ = loop.schedule(at: .now + .milliseconds(300)) {
        withExtendedLifetime(client) { loop.stop() }
      }
    }
    loop.run()
    #expect(heard.all.isEmpty)
  }

  @Test func `a prober asks five hundred targets at once, and stops in peace`() throws {
    Program.raiseDescriptorLimit()
    let loop = try EventLoop()
    let passed = Record<TargetID>()
    let url = try HTTPURL(
      "http://nas.test:\(server.ports["plain"] ?? 0)\(HTTPServer.path(status: 204))")
    loop.post {
      var probe = Probe(.http(HTTPCheck(url)))
      probe.timeout = .seconds(20)
      let prober = Prober(
        on: loop, destination: { _ in ProbeDestination(addresses: ["127.0.0.1"]) },
        finished: { id, result, _ in
          if case .pass = result { passed.note(id) }
          if passed.all.count == 500 { loop.stop() }
        })
      for number in 1...500 {
        prober.add(TargetID(number), probe)
        prober.probe(TargetID(number))
      }
      _ = loop.schedule(at: .now + .seconds(30)) { withExtendedLifetime(prober) { loop.stop() } }
    }
    loop.run()
    #expect(Set(passed.all).count == 500)
  }
}

import CTestSupport
import Glibc
import TestSupport
import Testing

@testable import Posix
@testable import Reachability

/// Asks a server on a loop of its own and waits for the answer.
private func ask(
  _ server: DNSServer, _ name: String = "nas.example", for family: IPAddress.Family = .ipv4,
  timeout: Duration = .milliseconds(400), tries: Int = 1
) throws -> DNSAnswer {
  try ask(
    Nameserver(IPAddress(stringLiteral: server.address), port: server.port), name, for: family,
    timeout: timeout, tries: tries)
}

private func ask(
  _ server: Nameserver, _ name: String = "nas.example", for family: IPAddress.Family = .ipv4,
  through interface: String? = nil, timeout: Duration = .milliseconds(400), tries: Int = 1
) throws -> DNSAnswer {
  let loop = try EventLoop()
  let answers = Record<DNSAnswer>()
  loop.post {
    #expect(throws: Never.self) {
      let channel = try DNSChannel(
        to: server, through: interface, timeout: timeout, tries: tries, on: loop)
      channel.ask(name, for: family) { answer in
        answers.note(answer)
        // Within the completion, as an owner does that needs no more.
        channel.close()
        loop.stop()
      }
      #expect(answers.all.isEmpty)
    }
  }
  loop.run()
  return try #require(answers.all.first)
}

private let first: IPAddress = "192.0.2.1"
private let second: IPAddress = "192.0.2.2"
private let third: IPAddress = "2001:db8::3"

@Suite struct DNSChannels {
  private func server(_ records: DNSRecord...) throws -> DNSServer {
    try DNSServer { query in
      .records(records.filter { $0.type == query.type })
    }
  }

  @Test func `addresses come sorted, with the least lifetime of their records`() throws {
    let server = try server(
      DNSRecord(third, seconds: 300), DNSRecord(second, seconds: 7),
      DNSRecord(first, seconds: 60), DNSRecord(second, seconds: 60))
    #expect(
      try ask(server, for: .ipv4) == .addresses([first, second], lifetime: .seconds(7)))
    #expect(try ask(server, for: .ipv6) == .addresses([third], lifetime: .seconds(300)))
    #expect(server.questions.map(\.type) == [1, 28])
  }

  @Test func `a name without an address of the family is there all the same`() throws {
    #expect(try ask(server(DNSRecord(third)), for: .ipv4) == .noData)
    #expect(try ask(server(DNSRecord(first)), for: .ipv6) == .noData)
  }

  @Test func `a lifetime whose first bit is set is none`() throws {
    let server = try server(DNSRecord(first, seconds: 0x8000_0000))
    #expect(try ask(server) == .addresses([first], lifetime: .zero))
  }

  @Test func `what the server cannot say is told by its kind`() throws {
    let answers: [(UInt8, DNSAnswer)] = [
      (1, .failure(.notImplemented)), (2, .failure(.failed)), (3, .noSuchName),
      (4, .failure(.notImplemented)), (5, .failure(.refused)),
    ]
    for (code, answer) in answers {
      #expect(try ask(try DNSServer { _ in .code(code) }) == answer)
    }
    // Neither authoritative nor recursive: it would send us to others.
    let referral = try DNSServer { .messages([$0.answer(flags: 0)]) }
    #expect(try ask(referral) == .failure(.failed))
  }

  @Test func `a silent server is waited for as long as was said`() throws {
    let server = try DNSServer { _ in .silence }
    let start = BootInstant.now
    #expect(try ask(server, timeout: .milliseconds(100)) == .failure(.silent))
    #expect(try ask(server, timeout: .milliseconds(100), tries: 2) == .failure(.silent))
    let elapsed = BootInstant.now - start
    // 100 ms, then 100 and 200.
    #expect(elapsed >= .milliseconds(400) && elapsed < .seconds(2))
    #expect(server.questions.count == 1 + 2)
  }

  @Test func `where nobody listens it is said at once`() throws {
    let start = BootInstant.now
    // The port of a server that is gone.
    let port = try DNSServer { _ in .silence }.port
    usleep(50000)
    let server = Nameserver("127.0.0.1", port: port)
    #expect(try ask(server, timeout: .seconds(10)) == .failure(.unreachable))
    #expect(BootInstant.now - start < .seconds(5))
  }

  @Test func `a long answer is fetched over TCP, its lowest 32 addresses taken`() throws {
    let server = try DNSServer { query in
      .records(
        query.type == 28
          ? [] : (0..<1000).reversed().map { DNSRecord(IPAddress(ipv4: 0x0a00_0000 + $0)) })
    }
    let expected = (0..<32).map { IPAddress(ipv4: 0x0a00_0000 + $0) }
    #expect(try ask(server) == .addresses(expected, lifetime: .seconds(60)))
    #expect(server.questions.filter(\.isTCP).map(\.type) == [1])
  }

  @Test func `a name that cannot be asked for is refused after the call has returned`() throws {
    let server = try server()
    let long = Array(repeating: "a", count: 200).joined(separator: ".")
    for name in ["a..b", String(repeating: "a", count: 64), long] {
      #expect(try ask(server, name) == .failure(.malformed))
    }
    #expect(server.questions.isEmpty)
  }

  @Test func `cancelled questions and closed channels call nobody`() throws {
    let server = try DNSServer { _ in .code(3) }
    let loop = try EventLoop()
    let answers = Record<String>()
    loop.post {
      #expect(throws: Never.self) {
        let nameserver = Nameserver("127.0.0.1", port: server.port)
        let open = try DNSChannel(to: nameserver, on: loop)
        let closed = try DNSChannel(to: nameserver, on: loop)
        open.ask("a.example", for: .ipv4) { _ in answers.note("cancelled") }.cancel()
        open.ask("b.example", for: .ipv4) { _ in answers.note("kept") }
        closed.ask("c.example", for: .ipv4) { _ in answers.note("closed") }
        closed.close()
        closed.ask("d.example", for: .ipv6) { _ in answers.note("after the end") }
        _ = loop.schedule(at: .now + .milliseconds(300)) {
          withExtendedLifetime(open) {}
          loop.stop()
        }
      }
    }
    loop.run()
    #expect(answers.all == ["kept"])
  }

  @Test func `thousands of questions are answered by the hundreds`() throws {
    let server = try DNSServer { _ in .records([DNSRecord(first)]) }
    let loop = try EventLoop()
    let answers = Record<DNSAnswer>()
    loop.post {
      #expect(throws: Never.self) {
        let channel = try DNSChannel(
          to: Nameserver("127.0.0.1", port: server.port), on: loop)
        var next = 0
        func askNext() {
          guard next < 5000 else { return }
          next += 1
          channel.ask("n\(next).example", for: .ipv4) { answer in
            answers.note(answer)
            askNext()
            if answers.all.count == 5000 { loop.stop() }
          }
        }
        for _ in 0..<64 { askNext() }
      }
    }
    let start = BootInstant.now
    loop.run()
    #expect(BootInstant.now - start < .seconds(10))
    #expect(answers.all.allSatisfy { $0 == .addresses([first], lifetime: .seconds(60)) })
  }
}

@Suite(.serialized, .enabled(if: support_is_privileged() != 0, "needs network namespaces"))
struct DNSChannelsOnInterfaces {
  @Test func `a link-local server is asked on its zone, and another through an interface`() async {
    await #expect(processExitsWith: .success) {
      #expect(support_enter_namespace() == 0)
      // Both ends here: what comes in at b0 is answered by it alone.
      #expect(
        support_run(
          """
          sysctl -qw net.ipv6.conf.default.accept_dad=0
          ip link add eth0 index 11 type veth peer name b0 index 22
          ip addr add fe80::1/64 dev eth0 nodad; ip addr add fe80::2/64 dev b0 nodad
          ip link set b0 up; ip link set eth0 up; sleep 1.3
          """) == 0)
      let server = try DNSServer(
        at: "fe80::2", scope: 22, answering: DNSServer.zone(["a": [first]]))
      let answer = DNSAnswer.addresses([first], lifetime: .seconds(60))
      var nameserver = Nameserver("fe80::2", zone: "eth0", port: server.port)
      #expect(try ask(nameserver, "a", for: .ipv4) == answer)
      nameserver.zone = nil
      #expect(try ask(nameserver, "a", for: .ipv4) == .failure(.unreachable))
      let local = try DNSServer(answering: DNSServer.zone(["a": [first]]))
      let onLoopback = Nameserver("127.0.0.1", port: local.port)
      #expect(try ask(onLoopback, "a", for: .ipv4, through: "lo") == answer)
      #expect(try ask(onLoopback, "a", for: .ipv4, through: "eth0") != answer)
      #expect(try ask(onLoopback, "a", for: .ipv4, through: "eth9") == .failure(.unreachable))
    }
  }
}

import CTestSupport
import Glibc
import TestSupport
import Testing

@testable import Posix
@testable import Reachability

private let nas: IPAddress = "192.0.2.7"

/// Asks servers for `nas.example`, as a probe does that names no destination.
private func outcome(
  of servers: Nameserver..., timeout: Duration = .seconds(2)
) -> ProbeResult? {
  var destination = ProbeDestination(addresses: servers.map(\.address))
  destination.nameservers = servers
  return outcome(.dns(name: "nas.example"), to: destination, timeout: timeout)
}

extension DNSServer {
  fileprivate var nameserver: Nameserver {
    Nameserver(IPAddress(stringLiteral: address), port: port)
  }
}

@Suite struct DNSProbes {
  @Test func `a name that has an address passes, with the server and the time it took`() throws {
    for answer: IPAddress in [nas, "2001:db8::7"] {
      let server = try DNSServer(answering: DNSServer.zone(["nas.example": [answer]]))
      guard case .pass(let latency, "127.0.0.1")? = outcome(of: server.nameserver) else {
        Issue.record("\(answer) did not pass")
        continue
      }
      #expect(latency > .zero && latency < .seconds(1))
      // The second family is asked for only where the first has none.
      #expect(server.questions.map(\.type) == (answer == nas ? [1] : [1, 28]))
    }
  }

  @Test(arguments: [UInt8(1), 2, 3, 4, 5])
  func `a server that does not resolve the name fails, whatever it says`(code: UInt8) throws {
    let server = try DNSServer { _ in .code(code) }
    #expect(outcome(of: server.nameserver) == .failure(.dns))
  }

  @Test func `a name without an address fails`() throws {
    let server = try DNSServer { _ in .records([]) }
    #expect(outcome(of: server.nameserver) == .failure(.dns))
  }

  @Test func `silence is a timeout, a port where nobody listens a refusal`() throws {
    let server = try DNSServer { _ in .silence }
    let start = BootInstant.now
    #expect(outcome(of: server.nameserver, timeout: .milliseconds(300)) == .failure(.timeout))
    #expect(BootInstant.now - start >= .milliseconds(300))
    #expect(outcome(of: Nameserver("127.0.0.1", port: 1)) == .failure(.refused))
  }

  @Test func `one answer that is lost is asked for again`() throws {
    let count = Lock(0)
    let server = try DNSServer { query in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return number == 1 ? .silence : .records([DNSRecord(nas)].filter { $0.type == query.type })
    }
    guard case .pass? = outcome(of: server.nameserver, timeout: .seconds(3)) else {
      Issue.record("did not pass")
      return
    }
  }

  @Test func `of several servers one that resolves is enough`() throws {
    let bad = try DNSServer { _ in .code(2) }
    let silent = try DNSServer(at: "127.0.0.2") { _ in .silence }
    let good = try DNSServer(at: "127.0.0.3", answering: DNSServer.zone(["nas.example": [nas]]))
    let start = BootInstant.now
    guard
      case .pass(_, "127.0.0.3")? = outcome(
        of: bad.nameserver, silent.nameserver, good.nameserver)
    else {
      Issue.record("did not pass")
      return
    }
    #expect(BootInstant.now - start < .seconds(1))
  }

  @Test func `a probe that is cancelled says nothing more`() throws {
    let server = try DNSServer { _ in .silence }
    let loop = try EventLoop()
    let told = Record<Bool>()
    loop.post {
      var destination = ProbeDestination(addresses: ["127.0.0.1"])
      destination.nameservers = [server.nameserver]
      for kind in [Probe.Kind.dns(name: "nas.example"), .tcp(port: server.port), .icmp] {
        Probe(kind).begin(to: destination, on: loop) { _ in told.note(true) }.cancel()
      }
      let kind = Probe.Kind.dns(name: "nas.example")
      let attempt = Probe(kind).begin(to: destination, on: loop) { _ in told.note(true) }
      _ = loop.schedule(at: .now + .milliseconds(50)) { attempt.cancel() }
      _ = loop.schedule(at: .now + .milliseconds(1500)) { loop.stop() }
    }
    loop.run()
    #expect(told.all.isEmpty)
    #expect(server.questions.count == 1)
  }
}

@Suite(.serialized, .enabled(if: support_is_privileged() != 0, "needs network namespaces"))
struct DNSProbesInNetworks {
  @Test func `who stands in the way of a query is told apart`() async {
    await #expect(processExitsWith: .success) {
      let lab = ProbeLab()
      func check(
        _ expected: Reason, _ note: String, at hosts: [IPAddress] = ["192.0.3.2", "2001:db8:2::2"]
      ) {
        for host in hosts {
          let found = outcome(of: Nameserver(host))
          #expect(found == .failure(expected), "\(note) \(host): \(String(describing: found))")
        }
      }
      check(.refused, "nobody listens")
      lab.place("reject", at: .here)
      check(.notPermitted, "rejected here")
      lab.lift(.here)
      lab.place("drop", at: .here)
      check(.notPermitted, "dropped here")
      lab.lift(.here)
      lab.place("reject with icmpx type admin-prohibited", at: .router)
      check(.filtered, "rejected on the way")
      lab.lift(.router)
      check(.hostUnreachable, "no way from the router", at: ["203.0.113.1", "2001:db8:ffff::1"])
      lab.run("ip route del default; ip -6 route del default")
      check(.noRoute, "no way from here", at: ["203.0.113.1", "2001:db8:ffff::1"])
    }
  }
}

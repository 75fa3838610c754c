import CTestSupport
import Glibc
import Posix
import TestSupport
import Testing

@testable import Reachability

private let host: IPAddress = "192.0.3.2"
private let host6: IPAddress = "2001:db8:2::2"

@Suite(.serialized, .enabled(if: support_is_privileged() != 0, "needs network namespaces"))
struct ProbesInNetworks {
  @Test func `who stands in the way is told apart: this machine, the way, the host`() async {
    await #expect(processExitsWith: .success) {
      let lab = ProbeLab()
      let tcp = Probe.Kind.tcp(port: 9)
      /// What each place makes of a rule: TCP, then echoes, over IPv4 and IPv6.
      let cases: [(rule: String, place: ProbeLab.Place, tcp: Reason?, echo: Reason?)] = [
        ("reject", .here, .notPermitted, .notPermitted),
        ("reject with icmpx type admin-prohibited", .here, .notPermitted, .notPermitted),
        ("reject with icmpx type no-route", .here, .notPermitted, .notPermitted),
        ("meta l4proto tcp reject with tcp reset", .here, .notPermitted, nil),
        ("reject", .router, .filtered, .filtered),
        ("reject with icmpx type admin-prohibited", .router, .filtered, .filtered),
        ("reject with icmpx type host-unreachable", .router, .hostUnreachable, .hostUnreachable),
        ("reject with icmpx type no-route", .router, .hostUnreachable, .hostUnreachable),
        ("meta l4proto tcp reject with tcp reset", .router, .refused, nil),
        ("drop", .router, .timeout, .timeout),
        ("reject", .host, .refused, .filtered),
        ("reject with icmpx type admin-prohibited", .host, .filtered, .filtered),
        ("meta l4proto tcp reject with tcp reset", .host, .refused, nil),
      ]
      for (rule, place, expected, echo) in cases {
        lab.place(rule, at: place)
        for address in [host, host6] {
          #expect(failure(tcp, to: address) == expected, "\(rule) \(place) TCP \(address)")
          #expect(failure(.icmp, to: address) == echo, "\(rule) \(place) echo \(address)")
        }
        lab.lift(place)
      }
    }
  }

  @Test func `what is sent is said to be kept back only if this machine keeps it back`() async {
    await #expect(processExitsWith: .success) {
      let lab = ProbeLab()
      // Its own ports may refuse themselves.
      for own: IPAddress in ["127.0.0.1", "192.0.2.2", "::1", "2001:db8:1::2"] {
        #expect(failure(.tcp(port: 9), to: own) == .refused, "\(own)")
      }
      // IPv4 tells of a packet that a rule drops here; IPv6 and TCP are silent.
      lab.place("drop", at: .here)
      #expect(failure(.icmp, to: host) == .notPermitted)
      #expect(failure(.icmp, to: host6) == .timeout)
      #expect(failure(.tcp(port: 9), to: host) == .timeout)
      lab.lift(.here)
      #expect(failure(.tcp(port: 9), to: "203.0.113.1") == .hostUnreachable)
      #expect(failure(.icmp, to: "203.0.113.1") == .hostUnreachable)
      lab.run("ip route del default; ip route add blackhole 203.0.113.2")
      lab.run("ip route add prohibit 203.0.113.3")
      for kind in [Probe.Kind.tcp(port: 9), .icmp] {
        #expect(failure(kind, to: "203.0.113.1") == .noRoute)
        #expect(failure(kind, to: "203.0.113.2") == .blackhole)
        #expect(failure(kind, to: "203.0.113.3") == .prohibited)
      }
    }
  }

  @Test func `a neighbour that does not answer is unreachable before a longer time runs out`() async
  {
    await #expect(processExitsWith: .success) {
      let lab = ProbeLab()
      #expect(failure(.icmp, to: "192.0.2.77", timeout: .seconds(5)) == .hostUnreachable)
      #expect(
        failure(.tcp(port: 9), to: "2001:db8:1::77", timeout: .seconds(5)) == .hostUnreachable)
      withExtendedLifetime(lab) {}
    }
  }

  @Test func `an echo passes with the address and its own round trip`() async {
    await #expect(processExitsWith: .success) {
      let lab = ProbeLab()
      for address in [host, host6, "127.0.0.1", "2001:db8:1::2"] {
        guard case .pass(let latency, let from)? = outcome(.icmp, to: address) else {
          Issue.record("\(address) did not pass")
          continue
        }
        #expect(from == address && latency > .zero && latency < .milliseconds(100))
      }
      // The first is silent, so the second is asked after a quarter of a second.
      let start = BootInstant.now
      guard case .pass(let latency, let from)? = outcome(.icmp, to: "192.0.2.77", host) else {
        Issue.record("did not pass")
        return
      }
      #expect(from == host && latency < .milliseconds(100))
      #expect(BootInstant.now - start >= .milliseconds(250))
      // One that is lost is asked for again.
      let loop = try EventLoop()
      let results = Record<ProbeResult?>()
      loop.post {
        lab.run("ip netns exec reach-router-\(getpid()) sysctl -qw net.ipv4.ip_forward=0")
        _ = Probe(.icmp).begin(to: ProbeDestination(addresses: [host]), on: loop) { result in
          results.note(result)
          loop.stop()
        }
        _ = loop.schedule(at: .now + .milliseconds(500)) {
          lab.run("ip netns exec reach-router-\(getpid()) sysctl -qw net.ipv4.ip_forward=1")
        }
      }
      loop.run()
      guard case .pass(let second, _)?? = results.all.first else {
        Issue.record("did not pass in the end")
        return
      }
      #expect(second < .milliseconds(100))
    }
  }

  @Test func `echoes that the system does not allow are not sent, and say which setting`() async {
    await #expect(processExitsWith: .success) {
      let lab = ProbeLab()
      #expect(Probe(.icmp).obstacle == nil)
      lab.run("sysctl -qw net.ipv4.ping_group_range='1 0'")
      #expect(outcome(.icmp, to: host) == nil)
      #expect(outcome(.icmp, to: host6) == nil)
      let obstacle = Probe(.icmp).obstacle?.description ?? ""
      #expect(
        obstacle
          == "open a socket for ICMP, which the sysctl net.ipv4.ping_group_range allows "
          + "(this process is in group 0): Permission denied")
      #expect(Probe(.tcp(port: 9)).obstacle == nil)
      // A loop of its own sends no echo, and says so once.
      let loop = try EventLoop()
      let told = Record<String>()
      loop.post {
        let prober = Prober(
          on: loop, destination: { _ in ProbeDestination(addresses: [host]) },
          finished: { _, result, _ in told.note("\(result)") },
          report: { told.note("\($0)") })
        var probe = Probe(.icmp)
        probe.every = .milliseconds(100)
        prober.add(TargetID(1), probe)
        prober.probe(TargetID(1))
        _ = loop.schedule(at: .now + .milliseconds(500)) {
          prober.stop()
          loop.stop()
        }
      }
      loop.run()
      #expect(told.all == [obstacle])
    }
  }

  @Test func `a link-local destination is asked on its interface`() async {
    await #expect(processExitsWith: .success) {
      let lab = ProbeLab()
      lab.run("ip -n reach-router-\(getpid()) addr add fe80::77/64 dev b0 nodad; sleep 0.2")
      for kind in [Probe.Kind.icmp, .tcp(port: 9)] {
        var destination = ProbeDestination(addresses: ["fe80::77"], interface: 11)
        let expected: ProbeResult? = kind == .icmp ? nil : .failure(.refused)
        func check() {
          let found = outcome(kind, to: destination, timeout: .seconds(2))
          if expected == nil {
            guard case .pass(_, "fe80::77")? = found else {
              Issue.record("\(kind): \(String(describing: found))")
              return
            }
          } else {
            #expect(found == expected)
          }
        }
        check()
        destination.interface = 1
        destination.zone = "eth0"
        check()
        destination.zone = "eth7"
        #expect(outcome(kind, to: destination) == .failure(.interfaceMissing))
      }
    }
  }

  @Test func `a probe bound to an interface leaves through it, whatever the routes say`() async {
    await #expect(processExitsWith: .success) {
      let lab = ProbeLab()
      lab.addSecondLink()
      lab.onHost(
        """
        timeout 60 python3 -m http.server --bind 203.0.113.9 8022 >/dev/null 2>&1 &
        for i in $(seq 200); do ss -Hltn | grep -q :8022 && exit; sleep 0.1; done; exit 1
        """)
      for kind in [Probe.Kind.tcp(port: 8022), .icmp] {
        // The router knows no way there.
        #expect(outcome(kind, to: "203.0.113.9") == .failure(.hostUnreachable))
        var destination = ProbeDestination(addresses: ["203.0.113.9"], interface: 12)
        destination.boundInterface = "eth1"
        guard case .pass? = outcome(kind, to: destination, timeout: .seconds(2)) else {
          Issue.record("\(kind) did not pass")
          continue
        }
        // Where nobody answers on the link, a connection that "has begun" is no pass.
        destination.addresses = ["203.0.113.10"]
        #expect(outcome(kind, to: destination) == .failure(.timeout))
        destination.boundInterface = "eth7"
        #expect(outcome(kind, to: destination) == .failure(.interfaceMissing))
      }
    }
  }

  @Test func `a probe from an address leaves from it`() async {
    await #expect(processExitsWith: .success) {
      let lab = ProbeLab()
      lab.run("ip addr add 192.0.2.99/24 dev eth0")
      var destination = ProbeDestination(addresses: [host])
      destination.source = "192.0.2.99"
      lab.place("ip saddr 192.0.2.2 drop", at: .here)
      #expect(failure(.tcp(port: 9), to: host) == .timeout)
      #expect(failure(.icmp, to: host) == .notPermitted)
      guard case .pass? = outcome(.icmp, to: destination) else {
        Issue.record("did not pass")
        return
      }
      #expect(outcome(.tcp(port: 9), to: destination) == .failure(.refused))
      destination.source = "192.0.2.100"
      #expect(outcome(.icmp, to: destination) == .failure(.noAddress))
    }
  }
}

import CTestSupport
import Glibc
import TestSupport
import Testing

@testable import Posix
@testable import Reachability

/// A monitor of some targets on a loop of its own, where the calling thread is.
private final class Watched: Sendable {
  private let loop: EventLoop
  private let monitor: ReachabilityMonitor
  private let told = Record<String>()

  init(_ targets: [Target], nameservers: String? = nil) throws {
    loop = try EventLoop()
    var options = ReachabilityMonitor.Options()
    if let nameservers { options.resolverFiles.configuration = nameservers }
    monitor = try ReachabilityMonitor(on: loop, options: options)
    let names = Record<(id: TargetID, name: String)>()
    let started = Record<Bool>()
    loop.post { [monitor, told] in
      monitor.assumeIsolated { monitor in
        for target in targets {
          let id = monitor.add(target)
          names.note((id, target.name))
        }
        #expect(throws: Never.self) {
          try monitor.start(
            delivering: { transitions in
              for transition in transitions {
                let name = names.all.first { $0.id == transition.target }?.name ?? "?"
                told.note("\(name) \(Watched.text(transition.to))")
              }
            },
            reporting: { told.note("report \($0.operation)") })
        }
      }
      started.note(true)
    }
    try Thread.start(named: "loop") { [loop] in loop.run() }
    #expect(eventually { !started.all.isEmpty })
  }

  private static func text(_ verdict: Verdict) -> String {
    guard let reason = verdict.reason else {
      return verdict.status.rawValue + (verdict.cause == .local ? "" : " \(verdict.cause)")
    }
    return "\(verdict.status) \(reason.rawValue) \(verdict.cause)"
  }

  /// What was told in all, once it ends with a line; whatever it is after 5 s.
  func story(until last: String) -> [String] {
    _ = eventually { told.all.last == last }
    return told.all
  }

  var story: [String] { told.all }

  func end() {
    loop.post { [monitor] in monitor.assumeIsolated { $0.stop() } }
    loop.stop()
  }
}

private let host: IPAddress = "192.0.3.2"
private let elsewhere: IPAddress = "203.0.113.9"

private func target(
  _ subject: Target.Subject, _ kind: Probe.Kind, _ destination: Probe.Destination? = nil,
  every: Int = 200, timeout: Int = 300, fall: Int = 2, rise: Int = 2, name: String = "it"
) -> Target {
  var target = Target(subject, name: name)
  var probe = Probe(kind)
  probe.destination = destination
  probe.every = .milliseconds(every)
  probe.timeout = .milliseconds(timeout)
  probe.fall = fall
  probe.rise = rise
  target.probe = probe
  return target
}

@Suite(.serialized, .enabled(if: support_is_privileged() != 0, "needs network namespaces"))
struct ProbedTargets {
  @Test func `the internet is what a destination of its own says, over the path there is`() async {
    await #expect(processExitsWith: .success) {
      let lab = ProbeLab()
      let watched = try Watched([target(.internet, .icmp, .address(host))])
      #expect(watched.story(until: "it reachable") == ["it reachable"])
      lab.place("drop", at: .router)
      let lost = "it unreachable timeout remote"
      #expect(watched.story(until: lost) == ["it reachable", lost])
      lab.lift(.router)
      let returned = "it reachable remote"
      #expect(watched.story(until: returned) == ["it reachable", lost, returned])
      watched.end()
    }
  }

  @Test func `a destination by name is its addresses, one without any a failure of the name`() async
  {
    await #expect(processExitsWith: .success) {
      let lab = ProbeLab()
      let server = try DNSServer(at: "127.0.0.1", port: 53, answering: DNSServer.zone([:]))
      let folder = try TemporaryFolder()
      let file = try folder.write("resolv.conf", "nameserver 127.0.0.1\n")
      let watched = try Watched(
        [
          target(.internet, .icmp, .host("localhost"), name: "known"),
          target(.internet, .tcp(port: 443), .host("nowhere.invalid"), name: "unknown"),
        ], nameservers: file)
      #expect(eventually { watched.story.count == 2 })
      #expect(watched.story.sorted() == ["known reachable", "unknown unreachable dns dns"])
      // Without the path nothing is asked.
      lab.run("ip route del default; ip -6 route del default")
      #expect(eventually { watched.story.count == 4 })
      #expect(
        watched.story[2...].sorted() == [
          "known unreachable no-route local", "unknown unreachable no-route local",
        ])
      #expect(!server.questions.isEmpty)
      watched.end()
    }
  }

  @Test func `the internet is that the system's name servers resolve a name`() async {
    await #expect(processExitsWith: .success) {
      let lab = ProbeLab()
      let answer: IPAddress = "192.0.2.7"
      let server = try DNSServer(
        at: "127.0.0.1", port: 53, answering: DNSServer.zone(["nas.example": [answer]]))
      let folder = try TemporaryFolder()
      let file = try folder.write("resolv.conf", "nameserver 192.0.3.2\nnameserver 127.0.0.1\n")
      let watched = try Watched(
        [
          target(.internet, .dns(name: "nas.example"), timeout: 2000, name: "internet"),
          // One on this machine sends as it sees fit.
          target(.interface("eth0"), .dns(name: "nas.example"), timeout: 2000, name: "eth0"),
          target(.address("127.0.0.1", zone: nil), .dns(name: "nas.example"), name: "server"),
          target(.address("127.0.0.1", zone: nil), .dns(name: "other.example"), name: "other"),
        ], nameservers: file)
      #expect(eventually { watched.story.count == 4 })
      #expect(
        watched.story.sorted() == [
          "eth0 reachable", "internet reachable", "other unreachable dns dns", "server reachable",
        ])
      // Other servers are asked as soon as the file names them.
      try folder.write("resolv.conf", "nameserver 192.0.3.2\n")
      #expect(eventually { watched.story.count == 6 })
      #expect(
        watched.story[4...].sorted() == [
          "eth0 unreachable refused remote", "internet unreachable refused remote",
        ])
      watched.end()
      withExtendedLifetime((lab, server)) {}
    }
  }

  @Test func `an interface and a network are probed through themselves`() async {
    await #expect(processExitsWith: .success) {
      let lab = ProbeLab()
      lab.addSecondLink()
      let near = Network(subnet: try Network.subnet("198.51.100.0/24"))
      let main = Network(subnet: try Network.subnet("192.0.2.0/24"))
      let watched = try Watched([
        target(.network(near), .icmp, .address(elsewhere), name: "near"),
        target(.network(main), .icmp, .address(elsewhere), name: "main"),
        target(.interface("eth1"), .icmp, .address(elsewhere), name: "eth1"),
        target(.interface("eth0"), .icmp, .address(elsewhere), name: "eth0"),
        target(.internet, .icmp, .address(elsewhere), name: "internet"),
      ])
      #expect(eventually { watched.story.count == 5 })
      #expect(
        watched.story.sorted() == [
          "eth0 unreachable host-unreachable remote", "eth1 reachable",
          "internet unreachable host-unreachable remote",
          "main unreachable host-unreachable remote", "near reachable",
        ])
      watched.end()
    }
  }

  @Test func `a lost path is told at once, and its return by the probe that is sent then`() async {
    await #expect(processExitsWith: .success) {
      let lab = ProbeLab()
      let address = try Watched([
        target(.address(host), .icmp, every: 60_000, timeout: 2000)
      ])
      #expect(address.story(until: "it reachable") == ["it reachable"])
      lab.run("ip link set eth0 down")
      #expect(address.story(until: "it unreachable link-down local").count == 2)
      lab.run("ip link set eth0 up; ip route add default via 192.0.2.1")
      let story = address.story(until: "it reachable")
      #expect(story.last == "it reachable")
      // The link can be there before the route.
      for line in story[1..<(story.count - 1)] { #expect(line.hasPrefix("it unreachable")) }
      address.end()
    }
  }

  @Test func `what has no path that counts is sent nothing`() async {
    await #expect(processExitsWith: .success) {
      let lab = ProbeLab()
      var refused = target(.address(host), .icmp, name: "no")
      refused.allowsWWAN = false
      refused.media = ["eth0": .wwan]
      lab.place("counter", at: .here)
      let watched = try Watched([refused])
      usleep(700_000)
      #expect(watched.story == ["no unreachable wwan-not-allowed local"])
      lab.run("nft list table inet t | grep -q 'counter packets 0 '")
      watched.end()
    }
  }

  @Test func `a probe that the system does not allow is said once, and its target stays unknown`()
    async
  {
    await #expect(processExitsWith: .success) {
      let lab = ProbeLab()
      lab.run("sysctl -qw net.ipv4.ping_group_range='1 0'")
      let watched = try Watched([
        target(.address(host), .icmp, every: 100, name: "a"),
        target(.internet, .icmp, .address(host), every: 100, name: "b"),
      ])
      usleep(700_000)
      #expect(watched.story.count == 1)
      #expect(watched.story.first?.contains("net.ipv4.ping_group_range") == true)
      // It is told as soon as it is allowed.
      lab.run("sysctl -qw net.ipv4.ping_group_range='0 2147483647'")
      #expect(eventually { watched.story.count == 3 })
      #expect(watched.story[1...].sorted() == ["a reachable", "b reachable"])
      watched.end()
    }
  }
}

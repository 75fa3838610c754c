import CTestSupport
import Glibc
import TestSupport
import Testing

@testable import Posix
@testable import Reachability

/// A monitor in a network namespace whose eth0 (192.0.2.2, 2001:db8:1::2) leads to a router in
/// another: 192.0.2.1 and 2001:db8:1::1, which is its nameserver too.
private final class NameScene: Sendable {
  let server: DNSServer
  private let folder: TemporaryFolder
  private let loop: EventLoop
  private let monitor: ReachabilityMonitor
  private let told = Record<String>()
  private let read = Lock(0)
  private let router: Int32

  init(
    nameserver: String = "192.0.2.1", families: Set<IPAddress.Family> = [.ipv4, .ipv6],
    answering: @escaping @Sendable (DNSQuery) -> DNSServer.Reply
  ) throws {
    (server, router) = try NameScene.router(answering)
    #expect(support_enter_namespace() == 0)
    folder = try TemporaryFolder()
    try folder.write("resolv.conf", "nameserver \(nameserver)\n")
    try folder.write("nsswitch.conf", "hosts: files dns\n")
    loop = try EventLoop()
    var options = ReachabilityMonitor.Options()
    options.resolverFiles.configuration = "\(folder.path)/resolv.conf"
    options.resolverFiles.hosts = "\(folder.path)/hosts"
    options.resolverFiles.services = "\(folder.path)/nsswitch.conf"
    monitor = try ReachabilityMonitor(on: loop, options: options)
    run("sysctl -qw net.ipv6.conf.default.accept_dad=0")
    run("ip link add eth0 index 11 type veth peer name b0 index 22 netns \(router)")
    run("ip link set eth0 up")
    atRouter("sysctl -qw net.ipv6.conf.default.accept_dad=0; ip link set b0 up")
    if families.contains(.ipv4) {
      atRouter("ip addr add 192.0.2.1/24 dev b0")
      run("ip addr add 192.0.2.2/24 dev eth0; ip route add default via 192.0.2.1")
    }
    if families.contains(.ipv6) {
      atRouter("ip addr add 2001:db8:1::1/64 dev b0 nodad")
      run("ip addr add 2001:db8:1::2/64 dev eth0 nodad; ip -6 route add default via 2001:db8:1::1")
    }
    // Carrier changes of the whole machine are limited to one a second.
    usleep(1_300_000)
    try Thread.start(named: "loop") { [loop] in loop.run() }
  }

  /// A nameserver in a namespace that lives as long as it, and the number of a thread there.
  private static func router(
    _ answering: @escaping @Sendable (DNSQuery) -> DNSServer.Reply
  ) throws -> (DNSServer, Int32) {
    let made = Record<(DNSServer, Int32)>()
    try Thread.start(named: "router") {
      #expect(support_enter_namespace() == 0)
      #expect(throws: Never.self) {
        made.note((try DNSServer(at: "::", port: 53, answering: answering), support_thread_id()))
      }
      sleep(3600)
    }
    #expect(eventually { !made.all.isEmpty })
    return try #require(made.all.first)
  }

  func run(_ command: String) { #expect(support_run(command) == 0, "\(command)") }

  func atRouter(_ command: String) { run("nsenter -t \(router) -n sh -c '\(command)'") }

  func configure(_ text: String) throws { try folder.write("resolv.conf", text + "\n") }

  func start(_ targets: String...) throws { try start(targets) }

  func start(_ targets: [String]) throws {
    let started = Record<Bool>()
    loop.post { [self] in
      #expect(throws: Never.self) {
        try monitor.assumeIsolated { monitor in
          var names: [TargetID: String] = [:]
          for text in targets {
            names[monitor.add(Target(try Target.Subject(parsing: text)))] = text
          }
          let byID = names
          try monitor.start(
            delivering: { [told] transitions in
              for transition in transitions {
                told.note("\(byID[transition.target] ?? "?") \(NameScene.text(transition.to))")
              }
            },
            reporting: { Issue.record("\($0)") })
        }
      }
      started.note(true)
    }
    #expect(eventually { !started.all.isEmpty })
  }

  private static func text(_ verdict: Verdict) -> String {
    guard let reason = verdict.reason else {
      let address = verdict.path.address?.description ?? "-"
      return "\(verdict.status) \(address)\(verdict.cause == .local ? "" : " \(verdict.cause)")"
    }
    return "\(verdict.status) \(reason.rawValue) \(verdict.cause)"
  }

  var toldCount: Int { told.all.count }

  /// What was delivered since this was last asked, once so many milliseconds have passed.
  func news(after milliseconds: UInt32) -> [String] {
    usleep(milliseconds * 1000)
    let all = told.all
    let start = read.withLock { read in
      defer { read = all.count }
      return read
    }
    return Array(all[start...])
  }
}

private let far: IPAddress = "198.51.100.1"
private let farIPv6: IPAddress = "2001:db8:ffff::1"

@Suite(.serialized, .enabled(if: support_is_privileged() != 0, "needs network namespaces"))
struct WatchedNames {
  @Test func `a name is unknown until its first query ends, then judged by its addresses`() async {
    await #expect(processExitsWith: .success) {
      let scene = try NameScene(answering: DNSServer.zone(["nas.example": [farIPv6, far]]))
      try scene.start("nas.example", "none.example")
      #expect(
        scene.news(after: 300) == [
          "nas.example reachable 198.51.100.1", "none.example unreachable dns dns",
        ])
      #expect(scene.server.questions.count == 4)
    }
  }

  @Test func `a lost route and a failing nameserver are one loss and one return`() async {
    await #expect(processExitsWith: .success) {
      let scene = try NameScene(answering: DNSServer.zone(["nas.example": [far]], seconds: 1))
      try scene.start("nas.example")
      #expect(scene.news(after: 300) == ["nas.example reachable 198.51.100.1"])
      scene.run("ip link set eth0 down")
      #expect(scene.news(after: 300) == ["nas.example unreachable link-down local"])
      scene.server.answer { _ in .code(2) }
      scene.run("ip link set eth0 up; ip route add default via 192.0.2.1")
      #expect(scene.news(after: 1300) == ["nas.example reachable 198.51.100.1"])
      #expect(scene.server.questions.count > 2)
      scene.server.answer(DNSServer.zone(["nas.example": [far]]))
      #expect(scene.news(after: 4000) == [])
    }
  }

  @Test func `a name first asked for offline is found without a restart`() async {
    await #expect(processExitsWith: .success) {
      let scene = try NameScene(answering: { _ in .code(2) })
      scene.run("ip link set eth0 down")
      try scene.start("nas.example")
      #expect(scene.news(after: 0) == ["nas.example unreachable no-route local"])
      #expect(scene.news(after: 1000) == [])
      #expect(scene.server.questions.isEmpty)
      scene.run("ip link set eth0 up; ip route add default via 192.0.2.1")
      #expect(scene.news(after: 1500) == [])
      #expect(!scene.server.questions.isEmpty)
      scene.server.answer(DNSServer.zone(["nas.example": [far]]))
      #expect(scene.news(after: 8000) == ["nas.example reachable 198.51.100.1 dns"])
    }
  }

  @Test func `with one family alone a name of both is reachable through it`() async {
    await #expect(processExitsWith: .success) {
      let scene = try NameScene(
        families: [.ipv4], answering: DNSServer.zone(["nas.example": [far, farIPv6]]))
      try scene.start("nas.example")
      #expect(scene.news(after: 300) == ["nas.example reachable 198.51.100.1"])
    }
    await #expect(processExitsWith: .success) {
      let scene = try NameScene(
        nameserver: "2001:db8:1::1", families: [.ipv6],
        answering: DNSServer.zone(["nas.example": [far, farIPv6]]))
      try scene.start("nas.example")
      #expect(scene.news(after: 300) == ["nas.example reachable 2001:db8:ffff::1"])
    }
  }

  @Test func `interfaces that come and go cost no question`() async {
    await #expect(processExitsWith: .success) {
      let scene = try NameScene(answering: DNSServer.zone(["nas.example": [far]]))
      try scene.start("nas.example")
      #expect(scene.news(after: 300) == ["nas.example reachable 198.51.100.1"])
      for number in 1...10 {
        scene.run(
          """
          ip link add c\(number) type veth peer name d\(number); ip link set c\(number) up
          ip link set d\(number) up; ip addr add 10.77.\(number).1/24 dev c\(number)
          """)
        usleep(100_000)
      }
      scene.run("for i in 1 2 3 4 5; do ip link del c$i; done")
      #expect(scene.news(after: 2500) == [])
      #expect(scene.server.questions.count == 2)
    }
  }

  @Test func `another default route asks anew`() async {
    await #expect(processExitsWith: .success) {
      let scene = try NameScene(answering: DNSServer.zone(["nas.example": [far]]))
      try scene.start("nas.example")
      #expect(scene.news(after: 300) == ["nas.example reachable 198.51.100.1"])
      scene.server.answer(DNSServer.zone(["nas.example": ["198.51.100.2"]]))
      scene.run("ip route replace default via 192.0.2.99")
      // The router is news by itself.
      #expect(scene.news(after: 500) == ["nas.example reachable 198.51.100.1"])
      #expect(scene.server.questions.count == 4)
    }
  }

  @Test func `another nameserver is asked at once, if it has a path`() async {
    await #expect(processExitsWith: .success) {
      let scene = try NameScene(answering: DNSServer.zone(["nas.example": [far]]))
      scene.run("ip -6 route del default")
      try scene.configure("nameserver 2001:db8:9::9")
      try scene.start("nas.example")
      #expect(scene.news(after: 300) == ["nas.example unreachable no-route local"])
      try scene.configure("nameserver 2001:db8:9::9\nnameserver 192.0.2.1")
      #expect(scene.news(after: 500) == ["nas.example reachable 198.51.100.1"])
    }
  }

  @Test func `a nameserver on this machine counts while the loopback interface is up`() async {
    await #expect(processExitsWith: .success) {
      let scene = try NameScene(nameserver: "127.0.0.53", answering: DNSServer.zone([:]))
      // The namespace's own, where the loop runs.
      let local = try DNSServer(
        at: "127.0.0.53", port: 53, answering: DNSServer.zone(["nas.example": [far]]))
      scene.run("ip link set lo down")
      try scene.start("nas.example")
      #expect(scene.news(after: 300) == ["nas.example unreachable no-route local"])
      #expect(local.questions.isEmpty)
      scene.run("ip link set lo up")
      #expect(scene.news(after: 500) == ["nas.example reachable 198.51.100.1 dns"])
    }
  }

  @Test func `a silent nameserver makes unreachable what it never told of`() async {
    await #expect(processExitsWith: .success) {
      let scene = try NameScene(answering: { _ in .silence })
      try scene.start("nas.example")
      #expect(scene.news(after: 3500) == [])
      #expect(scene.news(after: 1000) == ["nas.example unreachable dns dns"])
      scene.server.answer(DNSServer.zone(["nas.example": [far]]))
      #expect(scene.news(after: 3000) == ["nas.example reachable 198.51.100.1 dns"])
    }
  }

  @Test func `thousands of names are judged in seconds, each once`() async {
    await #expect(processExitsWith: .success) {
      let scene = try NameScene(answering: { query in
        .records(query.type == 1 ? [DNSRecord(far)] : [])
      })
      let start = BootInstant.now
      try scene.start((0..<2000).map { "n\($0).example" })
      while scene.toldCount < 2000, BootInstant.now - start < .seconds(20) { usleep(50_000) }
      #expect(Set(scene.news(after: 500)).count == 2000)
      #expect(scene.toldCount == 2000)
      #expect(BootInstant.now - start < .seconds(20))
      #expect(scene.server.questions.count == 4000)
    }
  }
}

import CTestSupport
import Glibc
import TestSupport
import Testing

@testable import Posix
@testable import Reachability

/// A monitor on the real kernel, in a network namespace with eth0 (11) and its other end b0 (22).
final class Scene: Sendable {
  let loop: EventLoop
  let monitor: ReachabilityMonitor
  private let told = Record<String>()
  private let read = Lock(0)
  private let names = Names()
  /// For how long the machine is to be taken to have been suspended.
  private let slept = Record<Duration>()

  private final class Names: Sendable {
    let byID = Lock<[TargetID: String]>([:])
  }

  /// Moves the calling thread into the namespace; the loop's thread, started by it, is there too.
  init(media: [String: Medium] = [:], settle: Duration = .milliseconds(20)) throws {
    #expect(support_enter_namespace() == 0)
    loop = try EventLoop(suspended: { [slept] in
      let sum = slept.all.reduce(.zero, +)
      return SuspendMeter.Reading(atLeast: sum, atMost: sum)
    })
    var options = ReachabilityMonitor.Options()
    options.media = media
    options.settle = settle
    monitor = try ReachabilityMonitor(on: loop, options: options)
    run("sysctl -qw net.ipv6.conf.default.accept_dad=0")
    ip(
      "link add eth0 index 11 type veth peer name b0 index 22", "link set b0 up",
      "addr add 192.0.2.2/24 dev eth0", "addr add 2001:db8:1::2/64 dev eth0 nodad",
      "link set eth0 up", "route add default via 192.0.2.1",
      "-6 route add default via 2001:db8:1::1")
    // Carrier changes of the whole machine are limited to one a second.
    usleep(1_300_000)
    try Thread.start(named: "loop") { [loop] in loop.run() }
  }

  func run(_ command: String) { #expect(support_run(command) == 0, "\(command)") }

  func ip(_ commands: String...) { for command in commands { run("ip \(command)") } }

  /// Lets the loop find that the machine was suspended while these changes were made.
  func suspend(_ changes: String...) {
    onLoop { [slept, self] _ in
      for change in changes { ip(change) }
      slept.note(.seconds(3600))
    }
  }

  /// Calls `body` on the loop and waits for its end.
  func onLoop(_ body: @escaping @Sendable (isolated ReachabilityMonitor) throws -> Void) {
    let ended = Record<Bool>()
    loop.post { [monitor] in
      #expect(throws: Never.self) { try monitor.assumeIsolated { try body($0) } }
      ended.note(true)
    }
    #expect(eventually { !ended.all.isEmpty })
  }

  func add(_ targets: String...) {
    onLoop { [names] monitor in
      for text in targets {
        let id = monitor.add(Target(try Target.Subject(parsing: text)))
        names.byID.withLock { $0[id] = text }
      }
    }
  }

  func add(_ network: Network, called name: String) {
    onLoop { [names] monitor in
      let id = monitor.add(Target(.network(network)))
      names.byID.withLock { $0[id] = name }
    }
  }

  func remove(_ target: String) {
    onLoop { [names] monitor in
      for (id, text) in names.byID.withLock({ $0 }) where text == target { monitor.remove(id) }
    }
  }

  /// As `start`, but tells the router of each path.
  func startTellingGateways() { start { $0.path.gateway?.description ?? "-" } }

  func start(telling text: @escaping @Sendable (Verdict) -> String = Scene.text) {
    onLoop { [told, names] monitor in
      try monitor.start(
        delivering: { transitions in
          for transition in transitions {
            let name = names.byID.withLock { $0[transition.target] } ?? "?"
            told.note("\(name) \(text(transition.to))")
          }
        },
        reporting: { Issue.record("\($0)") })
    }
  }

  private static func text(_ verdict: Verdict) -> String {
    let cause = verdict.cause == .resume ? " on resume" : ""
    if let reason = verdict.reason { return "\(verdict.status) \(reason.rawValue)\(cause)" }
    return "\(verdict.status) \(String(verdict.path.flags.rawValue, radix: 16)) "
      + (verdict.path.medium?.rawValue ?? "-") + cause
  }

  var toldCount: Int { told.all.count }

  /// What was delivered since this was last asked for, once so many milliseconds have passed.
  func news(after milliseconds: UInt32 = 0) -> [String] {
    usleep(milliseconds * 1000)
    let all = told.all
    let start = read.withLock { read in
      defer { read = all.count }
      return read
    }
    return Array(all[start...])
  }
}

@Suite(.serialized, .enabled(if: support_is_privileged() != 0, "needs network namespaces"))
struct ReachabilityMonitors {
  @Test func `start delivers the first verdict of every target`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.add(
        "127.0.0.1", "192.0.2.2", "192.0.2.1", "198.51.100.1", "2001:db8:ffff::1", "0.0.0.0",
        "::", "internet", "local_wifi", "interface:eth0", "interface:eth9", "fe80::1%eth0",
        "192.0.2.2,198.51.100.1", "10.9.9.9,198.51.100.1", "127.0.0.1,127.0.0.1",
        "255.255.255.255")
      scene.start()
      #expect(
        scene.news() == [
          "127.0.0.1 reachable 30002 loopback", "192.0.2.2 reachable 30002 loopback",
          "192.0.2.1 reachable 20002 wired", "198.51.100.1 reachable 2 wired",
          "2001:db8:ffff::1 reachable 2 wired", "0.0.0.0 reachable 2 wired",
          ":: reachable 2 wired", "internet reachable 2 wired",
          "local_wifi unreachable interface-missing", "interface:eth0 reachable 20002 wired",
          "interface:eth9 unreachable interface-missing", "fe80::1%eth0 reachable 20002 wired",
          "192.0.2.2,198.51.100.1 reachable 2 wired",
          "10.9.9.9,198.51.100.1 unreachable no-address",
          "127.0.0.1,127.0.0.1 reachable 30002 loopback",
          "255.255.255.255 reachable 20002 wired",
        ])
      #expect(scene.news(after: 500) == [])
    }
  }

  @Test func `a link switched off is told once, and the route's return once`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.add("198.51.100.1")
      scene.start()
      #expect(scene.news() == ["198.51.100.1 reachable 2 wired"])
      scene.ip("link set eth0 down")
      #expect(scene.news(after: 100) == ["198.51.100.1 unreachable link-down"])
      #expect(scene.news(after: 2900) == [])
      scene.ip("link set eth0 up")
      #expect(scene.news(after: 1300) == [])
      scene.ip("route add default via 192.0.2.1")
      #expect(scene.news(after: 300) == ["198.51.100.1 reachable 2 wired"])
      #expect(scene.news(after: 500) == [])
    }
  }

  @Test func `a pulled cable is told once, and its return once`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.add("198.51.100.1", "interface:eth0")
      scene.start()
      _ = scene.news()
      scene.ip("link set b0 down")
      #expect(
        scene.news(after: 1300) == [
          "198.51.100.1 unreachable no-carrier", "interface:eth0 unreachable no-carrier",
        ])
      scene.ip("link set b0 up")
      #expect(
        scene.news(after: 1300) == [
          "198.51.100.1 reachable 2 wired", "interface:eth0 reachable 20002 wired",
        ])
      #expect(scene.news(after: 2700) == [])
    }
  }

  @Test func `an interface that is deleted takes its targets along once`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.add("198.51.100.1", "192.0.2.2", "interface:eth0")
      scene.start()
      _ = scene.news()
      scene.ip("link del b0")
      let news = scene.news(after: 300)
      #expect(
        news.map { $0.split(separator: " ")[..<2].joined(separator: " ") }.sorted() == [
          "192.0.2.2 unreachable", "198.51.100.1 unreachable", "interface:eth0 unreachable",
        ])
      #expect(scene.news(after: 2800) == [])
    }
  }

  @Test func `a route that comes and goes is told each time once, a replaced one not at all`() async
  {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.add("198.51.100.1", "internet")
      scene.start()
      _ = scene.news()
      scene.ip("route del default")
      // The internet is still there, by another router.
      #expect(
        scene.news(after: 300) == [
          "198.51.100.1 unreachable no-route", "internet reachable 2 wired",
        ])
      scene.ip("-6 route del default")
      #expect(scene.news(after: 300) == ["internet unreachable no-route"])
      scene.ip("route add default via 192.0.2.1")
      #expect(
        scene.news(after: 300) == ["198.51.100.1 reachable 2 wired", "internet reachable 2 wired"])
      // Within the quiet time.
      scene.run(
        "printf 'route del default\\nroute add default via 192.0.2.1\\n' | ip -batch -")
      #expect(scene.news(after: 300) == [])
    }
  }

  @Test func `a better route over a mobile network is one transition, and back`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene(media: ["eth1": .wwan, "eth0": .wifi])
      scene.ip(
        "link add eth1 index 12 type veth peer name b1 index 23", "link set b1 up",
        "addr add 192.0.4.2/24 dev eth1", "link set eth1 up")
      usleep(1_300_000)
      scene.ip("route del default", "route add default via 192.0.2.1 metric 100")
      scene.add("198.51.100.1")
      scene.start()
      #expect(scene.news() == ["198.51.100.1 reachable 2 wifi"])
      scene.ip("route add default via 192.0.4.1 metric 50")
      #expect(scene.news(after: 300) == ["198.51.100.1 reachable 40003 wwan"])
      scene.ip("link set eth1 down")
      #expect(scene.news(after: 300) == ["198.51.100.1 reachable 2 wifi"])
      #expect(scene.news(after: 2700) == [])
    }
  }

  @Test func `a fallback never passes through unreachable`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene(media: ["eth1": .wwan, "eth0": .wifi])
      scene.ip(
        "link add eth1 index 12 type veth peer name b1 index 23", "link set b1 up",
        "addr add 192.0.4.2/24 dev eth1", "route del default",
        "route add default via 192.0.2.1 metric 100")
      scene.add("198.51.100.1")
      scene.start()
      // The kernel tells of a link before it takes its routes away: once in ten a lookup that does
      // not wait finds the dead one.
      for round in 1...40 {
        scene.ip("link set eth1 up", "route add default via 192.0.4.1 metric 50")
        #expect(eventually { scene.toldCount == 2 * round })
        scene.ip("link set eth1 down")
        #expect(eventually { scene.toldCount == 2 * round + 1 })
      }
      #expect(
        scene.news(after: 300)
          == ["198.51.100.1 reachable 2 wifi"]
          + (1...40).flatMap { _ in
            ["198.51.100.1 reachable 40003 wwan", "198.51.100.1 reachable 2 wifi"]
          })
    }
  }

  @Test func `a route that runs out without an event is missed in time`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.add("2001:db8:ffff::1")
      scene.start()
      // Past the looks that follow a change of a link anyway.
      #expect(scene.news(after: 2900) == ["2001:db8:ffff::1 reachable 2 wired"])
      scene.ip("-6 route add 2001:db8:ffff::/48 via 2001:db8:1::1 expires 2")
      scene.ip("-6 route del default")
      #expect(scene.news(after: 1200) == [])
      #expect(scene.news(after: 1500) == ["2001:db8:ffff::1 unreachable no-route"])
    }
  }

  @Test func `other interfaces that come and go are no news`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.add("198.51.100.1", "internet", "192.0.2.2")
      scene.start()
      _ = scene.news()
      scene.run(
        """
        for i in $(seq 10); do ip link add c$i type veth peer name d$i; ip link set c$i up
        ip addr add 10.77.$i.1/24 dev c$i; ip link del c$i; done
        """)
      #expect(scene.news(after: 1500) == [])
    }
  }

  @Test func `more changes than the kernel can queue cost nothing but a look`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.add("198.51.100.1")
      scene.start()
      _ = scene.news()
      scene.run(
        """
        (for i in $(seq 0 79); do for j in $(seq 0 249); do
        echo route add 10.$i.$j.1/32 dev eth0; done; done; echo route del default) | ip -batch -
        """)
      #expect(scene.news(after: 1500) == ["198.51.100.1 unreachable no-route"])
    }
  }

  @Test func `a target added later is judged, one removed is silent`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.add("198.51.100.1")
      scene.start()
      _ = scene.news()
      scene.add("192.0.2.1", "203.0.113.1")
      #expect(
        scene.news(after: 100) == [
          "192.0.2.1 reachable 20002 wired", "203.0.113.1 reachable 2 wired",
        ])
      scene.remove("198.51.100.1")
      scene.ip("link set eth0 down")
      #expect(
        scene.news(after: 300) == [
          "192.0.2.1 unreachable link-down", "203.0.113.1 unreachable link-down",
        ])
    }
  }

  @Test func `a target that is removed before it was judged is silent`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.start()
      scene.onLoop { monitor in
        let id = monitor.add(Target(.internet))
        monitor.remove(id)
        #expect(monitor.verdict(of: id) == nil)
      }
      #expect(scene.news(after: 200) == [])
    }
  }

  @Test func `nothing is told after stop`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.add("198.51.100.1", "localhost")
      scene.start()
      usleep(200_000)
      _ = scene.news()
      scene.onLoop { $0.stop() }
      scene.ip("link set eth0 down")
      scene.add("192.0.2.1")
      #expect(scene.news(after: 1300) == [])
    }
  }

  @Test func `no settling tells what is found at once`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene(settle: .zero)
      scene.add("198.51.100.1")
      scene.start()
      _ = scene.news()
      scene.ip("route del default")
      usleep(100_000)
      scene.ip("route add default via 192.0.2.1")
      #expect(
        scene.news(after: 200) == [
          "198.51.100.1 unreachable no-route", "198.51.100.1 reachable 2 wired",
        ])
    }
  }

  @Test func `a name that the hosts file holds is judged at once`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.add("localhost")
      scene.start()
      #expect(scene.news() == ["localhost reachable 30002 loopback"])
      scene.add("localhost")
      #expect(scene.news(after: 300) == ["localhost reachable 30002 loopback"])
      scene.ip("link set lo down")
      #expect(
        scene.news(after: 300) == [
          "localhost unreachable link-down", "localhost unreachable link-down",
        ])
    }
  }

  @Test func `a path that is told has the source address that packets carry`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.ip(
        "addr add 192.0.2.77/24 dev eth0", "route change default via 192.0.2.1 src 192.0.2.77")
      scene.onLoop { monitor in
        let ids = ["198.51.100.1", "192.0.2.1", "2001:db8:ffff::1", "internet", "127.0.0.1"].map {
          (try? Target.Subject(parsing: $0)).map { monitor.add(Target($0)) }
        }
        try monitor.start(delivering: { _ in }, reporting: { Issue.record("\($0)") })
        #expect(
          ids.map { $0.flatMap(monitor.verdict)?.path.source?.description } == [
            "192.0.2.77", "192.0.2.2", "2001:db8:1::2", "192.0.2.77", "127.0.0.1",
          ])
      }
    }
  }

  @Test func `a monitor that is let go without stop is silent, and does not end the process`() async
  {
    await #expect(processExitsWith: .success) {
      weak var monitor: ReachabilityMonitor?
      do {
        let scene = try Scene()
        monitor = scene.monitor
        scene.add("198.51.100.1", "localhost")
        scene.start()
        scene.ip("link set eth0 down")
        usleep(100_000)
      }
      #expect(eventually { monitor == nil })
      #expect(eventually { support_threads_named("reach-names") == 0 })
      // The loop runs on, longer than any timer that the change has set.
      usleep(3_000_000)
    }
  }

  @Test func `what is back two seconds after a resume was never lost`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.add("198.51.100.1", "interface:eth0")
      scene.start()
      _ = scene.news()
      scene.suspend("link set eth0 down")
      #expect(scene.news(after: 1000) == [])
      scene.ip("link set eth0 up", "route add default via 192.0.2.1")
      #expect(scene.news(after: 2500) == [])
      // From then on a loss is a loss.
      scene.ip("link set eth0 down")
      #expect(
        scene.news(after: 100).sorted() == [
          "198.51.100.1 unreachable link-down", "interface:eth0 unreachable link-down",
        ])
    }
  }

  @Test func `what is not back two seconds after a resume was lost in it`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.add("198.51.100.1", "127.0.0.1")
      scene.start()
      _ = scene.news()
      scene.suspend("link set eth0 down")
      #expect(scene.news(after: 1800) == [])
      #expect(scene.news(after: 500) == ["198.51.100.1 unreachable link-down on resume"])
      scene.ip("link set eth0 up", "route add default via 192.0.2.1")
      #expect(scene.news(after: 1300) == ["198.51.100.1 reachable 2 wired"])
    }
  }

  @Test func `what got better in a suspend is told at once, as what another network is`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.ip("link set eth0 down")
      scene.add("198.51.100.1", "interface:eth0")
      scene.start()
      _ = scene.news(after: 100)
      scene.suspend("link set eth0 up", "route add default via 192.0.2.1")
      #expect(
        scene.news(after: 1500).sorted() == [
          "198.51.100.1 reachable 2 wired on resume",
          "interface:eth0 reachable 20002 wired on resume",
        ])
      scene.suspend("route replace default via 192.0.2.9")
      #expect(scene.news(after: 300).contains("198.51.100.1 reachable 2 wired on resume"))
    }
  }

  @Test func `random changes are each told once, and the last word is the truth`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      scene.add("198.51.100.1")
      scene.start()
      var told = scene.news()
      var random = Seeded(5)
      for _ in 0..<60 {
        switch random.below(4) {
        case 0: scene.ip("link set eth0 down")
        case 1: scene.ip("link set eth0 up", "route replace default via 192.0.2.1")
        case 2: _ = support_run("ip route del default 2>/dev/null")
        default: _ = support_run("ip route replace default via 192.0.2.1 2>/dev/null")
        }
        usleep(UInt32(random.below(60_000)))
      }
      scene.ip("link set eth0 up", "route replace default via 192.0.2.1")
      told += scene.news(after: 1500)
      let states = told.map { $0.contains(" reachable") }
      for (one, next) in zip(states, states.dropFirst()) { #expect(one != next) }
      #expect(states.last == true)
      #expect(states.count > 5)
      scene.ip("link set eth0 down")
      #expect(scene.news(after: 1500) == ["198.51.100.1 unreachable link-down"])
    }
  }
}

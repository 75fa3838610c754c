import CTestSupport
import Glibc
import Reachability
import TestSupport
import Testing

/// A network namespace with eth0 (11) and a default route, around the calling thread.
///
/// What is asked and started by this thread is about that namespace.
private struct Site {
  /// Calls `body` inside, and waits until all that it started has ended.
  static func inside(_ body: (Site) throws -> Void) throws {
    try body(Site())
    NetworkReachability.shared.stop()
    #expect(eventually { support_threads_named("reachability") == 0 })
  }

  private init() {
    #expect(support_enter_namespace() == 0)
    ip(
      "link add eth0 index 11 type veth peer name b0 index 22", "link set b0 up",
      "addr add 192.0.2.2/24 dev eth0", "link set eth0 up", "route add default via 192.0.2.1")
    // Carrier changes of the whole machine are limited to one a second.
    usleep(1_300_000)
  }

  func run(_ command: String) { #expect(support_run(command) == 0, "\(command)") }

  func ip(_ commands: String...) { for command in commands { run("ip \(command)") } }

  /// The internet, with eth0 as a mobile network.
  func mobileInternet() throws -> NetworkReachability {
    var target = Target(.internet)
    target.media["eth0"] = .wwan
    return try NetworkReachability(target)
  }
}

@Suite(.serialized, .enabled(if: support_is_privileged() != 0, "needs network namespaces"))
struct NetworkReachabilities {
  @Test func `start knows the state when it returns, and stop knows nothing`() async {
    await #expect(processExitsWith: .success) {
      try Site.inside { site in
        let reachability = NetworkReachability.shared
        #expect(reachability.status == .unknown)
        #expect(!reachability.isRunning)
        try reachability.start()
        #expect(reachability.isRunning)
        #expect(reachability.status == .reachableViaWiFi)
        #expect(reachability.isReachable && reachability.isReachableViaWiFi)
        #expect(!reachability.isReachableViaWWAN)
        #expect(reachability.flags == .reachable)
        #expect(reachability.path.medium == .wired)
        #expect(reachability.path.interface == "eth0")
        #expect(reachability.path.gateway?.description == "192.0.2.1")
        #expect(reachability.path.source == IPAddress("192.0.2.2"))
        #expect(reachability.state.reason == nil)
        #expect(reachability.state.description == "reachableViaWiFi: wired (eth0)")
        site.ip("route del default")
        #expect(eventually { reachability.status == .notReachable })
        #expect(reachability.state.reason == .noRoute)
        #expect(reachability.state.description == "notReachable: no-route")
        reachability.stop()
        #expect(reachability.state.description == "unknown")
        #expect(!reachability.isRunning)
        #expect(reachability.status == .unknown)
        #expect(reachability.flags == [])
      }
    }
  }

  @Test func `a second start changes nothing, and one stop ends it`() async {
    await #expect(processExitsWith: .success) {
      try Site.inside { site in
        let told = Record<NetworkReachability.Status>()
        let reachability = NetworkReachability()
        reachability.onChange = { told.note($0.status) }
        try reachability.start()
        try reachability.start()
        #expect(eventually { told.all == [.reachableViaWiFi] })
        reachability.stop()
        #expect(eventually { support_threads_named("reachability") == 0 })
        site.ip("link set eth0 down")
        usleep(300_000)
        #expect(told.all == [.reachableViaWiFi])
        // Stopping what is stopped is nothing; a new start tells the first status anew.
        reachability.stop()
        try reachability.start()
        #expect(eventually { told.all == [.reachableViaWiFi, .notReachable] })
      }
    }
  }

  @Test func `each kind of target is judged, by question and by watch`() async {
    await #expect(processExitsWith: .success) {
      try Site.inside { site in
        site.ip("addr add 2001:db8:1::2/64 dev eth0 nodad", "addr add fe80::2/64 dev eth0 nodad")
        var remote = sockaddr_in()
        remote.sin_family = sa_family_t(AF_INET)
        remote.sin_addr.s_addr = UInt32(0xc633_6401).bigEndian
        let bySocketAddress = try withUnsafePointer(to: &remote) {
          try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            try NetworkReachability(local: nil, remote: $0)
          }
        }
        let all: [(NetworkReachability, NetworkReachability.Status, UInt32)] = [
          (NetworkReachability(), .reachableViaWiFi, 0x2),
          (.localWiFi(), .notReachable, 0),
          (try NetworkReachability(address: "127.0.0.1"), .reachableViaWiFi, 0x30002),
          (try NetworkReachability(host: "::1"), .reachableViaWiFi, 0x30002),
          (try NetworkReachability(address: "198.51.100.1"), .reachableViaWiFi, 0x2),
          (try NetworkReachability(address: "192.0.2.1"), .reachableViaWiFi, 0x20002),
          (try NetworkReachability(address: "fe80::9%eth0"), .reachableViaWiFi, 0x20002),
          (try NetworkReachability(address: "fe80::9%eth9"), .notReachable, 0),
          (try NetworkReachability(address: "0.0.0.0"), .reachableViaWiFi, 0x2),
          (try NetworkReachability(address: "::"), .notReachable, 0),
          (try NetworkReachability(address: "2001:db8:9::1"), .notReachable, 0),
          (
            try NetworkReachability(local: "192.0.2.2", remote: "198.51.100.1"), .reachableViaWiFi,
            0x2
          ),
          (try NetworkReachability(local: "192.0.2.3", remote: "198.51.100.1"), .notReachable, 0),
          (
            try NetworkReachability(local: "fe80::2", remote: "fe80::9%eth0"), .reachableViaWiFi,
            0x20002
          ),
          (try NetworkReachability(local: "fe80::2", remote: "fe80::9%eth9"), .notReachable, 0),
          (bySocketAddress, .reachableViaWiFi, 0x2),
          (try NetworkReachability(Target(.interface("eth0"))), .reachableViaWiFi, 0x20002),
          (try site.mobileInternet(), .reachableViaWWAN, 0x40003),
        ]
        for (reachability, status, flags) in all {
          let state = try reachability.query()
          #expect(state.status == status, "\(reachability.target.name)")
          #expect(state.flags.rawValue == flags, "\(reachability.target.name)")
          #expect(reachability.status == .unknown)
          try reachability.start()
          #expect(reachability.status == status, "\(reachability.target.name)")
          #expect(reachability.flags.rawValue == flags, "\(reachability.target.name)")
        }
        #expect(support_threads_named("reachability") == 1)
        for (reachability, _, _) in all { reachability.stop() }
        #expect(eventually { support_threads_named("reachability") == 0 })
      }
    }
  }

  @Test func `a question about a host goes by the default route, and sends nothing`() async {
    await #expect(processExitsWith: .success) {
      try Site.inside { site in
        let host = try NetworkReachability(host: "nas.example")
        let own = try NetworkReachability(host: "localhost")
        #expect(try host.query().status == .reachableViaWiFi)
        #expect(try own.query().flags == [.reachable, .isDirect, .isLocalAddress])
        site.ip("route del default")
        #expect(try host.query().status == .notReachable)
        #expect(try host.query().reason == .noRoute)
        #expect(try own.query().status == .reachableViaWiFi)
        site.run("test $(awk '$1 == \"Udp:\" && $5 ~ /^[0-9]/ {print $5}' /proc/net/snmp) = 0")
        #expect(support_threads_named("reach-names") == 0)
      }
    }
  }

  @Test func `a host is watched by its addresses, and one without any is not reachable`() async {
    await #expect(processExitsWith: .success) {
      try Site.inside { site in
        site.ip("route del default")
        let own = try NetworkReachability(host: "localhost")
        let nobody = try NetworkReachability(host: "nowhere.invalid")
        try own.start()
        try nobody.start()
        #expect(eventually { own.status == .reachableViaWiFi && nobody.status == .notReachable })
        #expect(own.path.medium == .loopback)
      }
    }
  }

  @Test func `a target with a probe is what the probe says`() async {
    await #expect(processExitsWith: .success) {
      try Site.inside { site in
        let closed = try NetworkReachability(Target(parsing: "127.0.0.1:9"))
        let told = Record<NetworkReachability.Status>()
        closed.onChange = { told.note($0.status) }
        // A question sends nothing, so the port is not asked.
        #expect(try closed.query().status == .reachableViaWiFi)
        try closed.start()
        #expect(eventually { told.all == [.notReachable] })
        #expect(closed.state.reason == .refused)
        #expect(closed.flags == [.reachable, .isDirect, .isLocalAddress])
        site.ip("link set lo down")
        #expect(eventually { closed.state.reason == .linkDown })
        #expect(closed.flags == [])
      }
    }
  }

  @Test func `threads that start and stop at will leave nothing behind`() async {
    await #expect(processExitsWith: .success) {
      try Site.inside { _ in
        let all = (0..<4).map { _ in NetworkReachability() }
        for reachability in all { reachability.onChange = { _ in } }
        try all[0].start()
        #expect(eventually { support_threads_named("reach-closures") == 1 })
        all[0].stop()
        #expect(eventually { support_threads_named("reachability") == 0 })
        let before = descriptors()
        let ended = Record<Int>()
        for number in 0..<4 {
          Task.detached {
            for step in 0..<30 {
              let reachability = all[(number + step) % 4]
              do { try reachability.start() } catch { Issue.record("\(error)") }
              if step % 3 == number % 3 { reachability.allowsWWAN.toggle() }
              reachability.stop()
            }
            ended.note(number)
          }
        }
        #expect(eventually { ended.all.count == 4 })
        #expect(all.allSatisfy { !$0.isRunning && $0.status == .unknown })
        #expect(eventually { support_threads_named("reachability") == 0 })
        #expect(eventually { descriptors() == before })
        try all[1].start()
        #expect(all[1].status == .reachableViaWiFi)
      }
    }
  }

  @Test func `every listener is told everything in order, and only what changes`() async {
    await #expect(processExitsWith: .success) {
      try Site.inside { site in
        let reachability = NetworkReachability()
        let byClosure = Record<NetworkReachability.Status>()
        let bySequence = [Record<NetworkReachability.Status>(), .init(), .init()]
        let ended = Record<Int>()
        reachability.onChange = { byClosure.note($0.status) }
        for (number, record) in bySequence.enumerated() {
          Task {
            for await state in reachability.changes { record.note(state.status) }
            ended.note(number)
          }
        }
        try reachability.start()
        // Whoever begins later is told less.
        #expect(eventually { bySequence.allSatisfy { $0.all.count == 1 } })
        for round in 1...5 {
          site.ip("route del default")
          #expect(eventually { byClosure.all.count == 2 * round })
          site.ip("addr add 198.51.100.9/32 dev eth0", "addr del 198.51.100.9/32 dev eth0")
          site.ip("route add default via 192.0.2.1")
          #expect(eventually { byClosure.all.count == 2 * round + 1 })
        }
        let expected: [NetworkReachability.Status] =
          [.reachableViaWiFi] + (1...5).flatMap { _ in [.notReachable, .reachableViaWiFi] }
        #expect(byClosure.all == expected)
        for record in bySequence { #expect(eventually { record.all == expected }) }
        // Who comes late is told what stands.
        let late = Record<NetworkReachability.Status>()
        Task { for await state in reachability.changes { late.note(state.status) } }
        #expect(eventually { late.all == [.reachableViaWiFi] })
        reachability.stop()
        #expect(eventually { ended.all.count == 3 })
        #expect(byClosure.all == expected)
      }
    }
  }

  @Test func `WWAN that is not allowed counts as unreachable, at once`() async {
    await #expect(processExitsWith: .success) {
      try Site.inside { site in
        let reachability = try site.mobileInternet()
        let told = Record<NetworkReachability.State>()
        reachability.onChange = { told.note($0) }
        try reachability.start()
        #expect(reachability.isReachableViaWWAN)
        reachability.allowsWWAN = false
        #expect(reachability.status == .notReachable)
        #expect(!reachability.isReachableViaWWAN)
        #expect(reachability.state.reason == .wwanNotAllowed)
        #expect(reachability.flags == [.reachable, .isWWAN, .transientConnection])
        #expect(try reachability.query().status == .notReachable)
        reachability.allowsWWAN = false
        reachability.allowsWWAN = true
        #expect(reachability.status == .reachableViaWWAN)
        #expect(
          eventually {
            told.all.map(\.status) == [.reachableViaWWAN, .notReachable, .reachableViaWWAN]
          })
        reachability.stop()
        reachability.allowsWWAN = false
        try reachability.start()
        #expect(reachability.status == .notReachable)
      }
    }
  }

  @Test func `an instance that is let go stops`() async {
    await #expect(processExitsWith: .success) {
      try Site.inside { site in
        let told = Record<NetworkReachability.Status>()
        weak var gone: NetworkReachability?
        do {
          let reachability = NetworkReachability()
          gone = reachability
          reachability.onChange = { told.note($0.status) }
          try reachability.start()
          #expect(eventually { told.all.count == 1 })
        }
        #expect(gone == nil)
        #expect(eventually { support_threads_named("reachability") == 0 })
        site.ip("link set eth0 down")
        usleep(300_000)
        #expect(told.all == [.reachableViaWiFi])
      }
    }
  }

  @Test func `a task that is cancelled lets its instance go`() async {
    await #expect(processExitsWith: .success) {
      try Site.inside { site in
        let told = Record<NetworkReachability.Status>()
        let task: Task<Void, Never>
        do {
          let reachability = NetworkReachability()
          try reachability.start()
          task = Task { for await state in reachability.changes { told.note(state.status) } }
        }
        #expect(eventually { told.all == [.reachableViaWiFi] })
        site.ip("link set eth0 down")
        #expect(eventually { told.all == [.reachableViaWiFi, .notReachable] })
        task.cancel()
        #expect(eventually { support_threads_named("reachability") == 0 })
      }
    }
  }

  @Test func `a hundred instances share one thread, which sleeps while nothing changes`() async {
    await #expect(processExitsWith: .success) {
      try Site.inside { site in
        let told = Record<Int>()
        let all = (0..<100).map { _ in NetworkReachability() }
        for (number, reachability) in all.enumerated() {
          reachability.onChange = { _ in told.note(number) }
          try reachability.start()
        }
        #expect(eventually { told.all.count == 100 })
        #expect(support_threads_named("reachability") == 1)
        #expect(support_threads_named("reach-closures") == 1)
        // Past the looks that follow a change of a link anyway.
        usleep(2_700_000)
        let before = wakeUps(of: "reachability") + wakeUps(of: "reach-closures")
        usleep(2_000_000)
        #expect(wakeUps(of: "reachability") + wakeUps(of: "reach-closures") == before)
        site.ip("link set eth0 down")
        #expect(eventually { told.all.count == 200 })
        #expect(told.all == Array(0..<100) + Array(0..<100))
      }
    }
  }

  @Test func `no closure is called once stop has returned, whoever stops and whatever happens`()
    async
  {
    await #expect(processExitsWith: .success) {
      try Site.inside { site in
        let late = Record<Int>()
        let calls = Record<Int>()
        for round in 0..<60 {
          let reachability = NetworkReachability()
          let stopped = Record<Bool>()
          reachability.onChange = { _ in
            calls.note(round)
            usleep(UInt32.random(in: 0..<2000))
            if !stopped.all.isEmpty { late.note(round) }
          }
          try reachability.start()
          let toggle = Task.detached { reachability.allowsWWAN.toggle() }
          if round % 10 == 0 { site.ip("route replace default via 192.0.2.\(1 + round)") }
          usleep(UInt32.random(in: 0..<3000))
          let other = Task.detached { reachability.stop() }
          reachability.stop()
          stopped.note(true)
          _ = (toggle, other)
        }
        usleep(50_000)
        #expect(!calls.all.isEmpty)
        #expect(late.all == [])
      }
    }
  }
}

/// How many descriptors this process has open.
private func descriptors() -> Int {
  guard let folder = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(folder) }
  var count = 0
  while readdir(folder) != nil { count += 1 }
  return count
}

/// How often the thread of that name went to sleep, which is as often as it woke up.
private func wakeUps(of thread: String) -> Int {
  guard let folder = opendir("/proc/self/task") else { return -1 }
  defer { closedir(folder) }
  var sum = 0
  while let entry = readdir(folder) {
    let id = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    let lines = read("/proc/self/task/\(id)/status").split(separator: "\n")
    guard lines.first == "Name:\t\(thread)" else { continue }
    sum +=
      lines.first { $0.hasPrefix("voluntary") }
      .flatMap { Int($0.split(separator: "\t")[1]) } ?? 0
  }
  return sum
}

private func read(_ path: String) -> String {
  guard let file = fopen(path, "re") else { return "" }
  defer { fclose(file) }
  var buffer = [UInt8](repeating: 0, count: 8192)
  let count = fread(&buffer, 1, buffer.count, file)
  return String(decoding: buffer[..<count], as: UTF8.self)
}

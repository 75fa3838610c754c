import CTestSupport
import Glibc
import TestSupport
import Testing

@testable import Posix
@testable import Reachability

/// A resolver on a loop of its own, with files in a folder of its own, in a network namespace where
/// nameservers can have port 53 of 127.0.0.53 and 127.0.0.54.
private final class ResolverScene: Sendable {
  private let folder: TemporaryFolder
  private let loop: EventLoop
  private let resolver: Lock<Resolver?>
  private let news = Record<Set<String>>()

  // @unchecked: only reached on the loop.
  private final class Resolver: @unchecked Sendable {
    let value: NameResolver

    init(_ value: NameResolver) { self.value = value }
  }

  init(_ configuration: String = "nameserver 127.0.0.53", hosts: String = "") throws {
    #expect(support_enter_namespace() == 0)
    folder = try TemporaryFolder()
    try folder.write("resolv.conf", configuration + "\n")
    try folder.write("hosts", hosts)
    try folder.write("nsswitch.conf", "hosts: files dns\n")
    loop = try EventLoop()
    resolver = Lock(nil)
    let path = folder.path
    var files = ResolverFiles()
    files.configuration = "\(path)/resolv.conf"
    files.hosts = "\(path)/hosts"
    files.services = "\(path)/nsswitch.conf"
    let paths = files
    loop.post { [self] in
      let made = NameResolver(
        on: loop, files: paths,
        isolate: { [weak self, loop] body in
          loop.post { [weak self] in
            if let made = self?.resolver.withLock({ $0 }) { body(made.value) }
          }
        },
        changed: { [news] in news.note($0) })
      resolver.withLock { $0 = Resolver(made) }
    }
    try loop.runOnOwnThread(named: "resolver")
    #expect(eventually { resolver.withLock { $0 != nil } })
  }

  deinit {
    let made = resolver.withLock { $0.take() }
    let ended = Record<Bool>()
    loop.post { [loop] in
      made?.value.stop()
      loop.stop()
      ended.note(true)
    }
    _ = eventually { !ended.all.isEmpty }
  }

  func write(_ name: String, _ text: String) throws {
    try folder.write("\(name).new", text + "\n")
    #expect(rename("\(folder.path)/\(name).new", "\(folder.path)/\(name)") == 0)
  }

  /// Calls `body` on the loop and waits for its end.
  func onLoop<Result: Sendable>(_ body: @escaping @Sendable (NameResolver) throws -> Result) throws
    -> Result
  {
    let results = Record<Result>()
    loop.post { [self] in
      guard let resolver = resolver.withLock({ $0 }) else { return }
      #expect(throws: Never.self) { results.note(try body(resolver.value)) }
    }
    #expect(eventually { !results.all.isEmpty })
    return try #require(results.all.first)
  }

  /// Begins to resolve, with a path to each nameserver.
  func start(_ names: String...) throws {
    let list = names
    try onLoop { resolver in
      for name in list { resolver.add(name) }
      try resolver.start()
      resolver.note(paths: ResolverScene.paths(to: resolver.nameservers))
    }
  }

  static func paths(to servers: [Nameserver], through interface: Int32 = 1) -> [Nameserver: Path] {
    var path = Path()
    path.flags = .reachable
    path.interfaceIndex = interface
    return Dictionary(uniqueKeysWithValues: servers.map { ($0, path) })
  }

  func addresses(of name: String) throws -> [IPAddress] {
    try onLoop { $0[name]?.addresses ?? [] }
  }

  func isAnswered(_ name: String) throws -> Bool { try onLoop { $0[name]?.isAnswered == true } }

  func eventuallyAnswered(_ name: String) -> Bool {
    eventually { (try? isAnswered(name)) == true }
  }

  var told: [Set<String>] { news.all }
}

private func serve(
  _ names: [String: [IPAddress]], at address: String = "127.0.0.53"
) throws -> DNSServer {
  try DNSServer(at: address, port: 53, answering: DNSServer.zone(names))
}

private let first: IPAddress = "192.0.2.1"
private let second: IPAddress = "192.0.2.2"
private let third: IPAddress = "2001:db8::3"

@Suite(.serialized, .enabled(if: support_is_privileged() != 0, "needs network namespaces"))
struct NameResolvers {
  @Test func `both families are asked for, of each name once`() async {
    await #expect(processExitsWith: .success) {
      let scene = try ResolverScene()
      let server = try serve(["nas.example": [third, second, first]])
      try scene.start("nas.example", "nas.example", "gone.example")
      #expect(scene.eventuallyAnswered("nas.example") && scene.eventuallyAnswered("gone.example"))
      #expect(try scene.addresses(of: "nas.example") == [first, second, third])
      #expect(try scene.addresses(of: "gone.example") == [])
      usleep(300_000)
      #expect(server.questions.filter { $0.name == "nas.example" }.map(\.type).sorted() == [1, 28])
      #expect(server.questions.count == 4)
      #expect(scene.told.reduce([], { $0.union($1) }) == ["nas.example", "gone.example"])
    }
  }

  @Test func `names are looked for in the domains that the configuration names`() async {
    await #expect(processExitsWith: .success) {
      let scene = try ResolverScene("nameserver 127.0.0.53\nsearch one.example two.example")
      let server = try serve(["nas.two.example": [first], "a.b.one.example": [second]])
      try scene.start("nas", "a.b", "none")
      #expect(
        scene.eventuallyAnswered("nas") && scene.eventuallyAnswered("a.b")
          && scene.eventuallyAnswered("none"))
      #expect(try scene.addresses(of: "nas") == [first])
      #expect(try scene.addresses(of: "a.b") == [second])
      #expect(try scene.addresses(of: "none") == [])
      let asked = server.questions.filter { $0.type == 1 }.map(\.name)
      #expect(asked.filter { $0.hasPrefix("nas") } == ["nas.one.example", "nas.two.example"])
      #expect(asked.filter { $0.hasPrefix("a.b") } == ["a.b", "a.b.one.example"])
      #expect(
        asked.filter { $0.hasPrefix("none") } == ["none.one.example", "none.two.example", "none"])
    }
  }

  @Test func `the hosts file goes before nameservers, and is read again when it changes`() async {
    await #expect(processExitsWith: .success) {
      let scene = try ResolverScene(hosts: "192.0.2.1 nas.example\n")
      let server = try serve(["nas.example": [third]])
      try scene.start("nas.example")
      #expect(try scene.addresses(of: "nas.example") == [first])
      try scene.write("hosts", "192.0.2.2 nas.example")
      #expect(eventually { (try? scene.addresses(of: "nas.example")) == [second] })
      #expect(server.questions.isEmpty)
      try scene.write("hosts", "")
      try scene.onLoop { $0.note(paths: ResolverScene.paths(to: $0.nameservers)) }
      #expect(eventually { (try? scene.addresses(of: "nas.example")) == [third] })
    }
  }

  @Test func `another configuration is followed at once, and known addresses stay meanwhile`() async
  {
    await #expect(processExitsWith: .success) {
      let scene = try ResolverScene()
      let old = try serve(["nas.example": [first]])
      let new = try DNSServer(at: "127.0.0.54", port: 53) { _ in .silence }
      try scene.start("nas.example")
      #expect(eventually { (try? scene.addresses(of: "nas.example")) == [first] })
      let tellings = scene.told.count
      try scene.write("resolv.conf", "nameserver 127.0.0.54")
      // The new one must be judged before it is asked.
      #expect(eventually { scene.told.count > tellings })
      #expect(try scene.onLoop { $0.nameservers } == [Nameserver("127.0.0.54")])
      #expect(try scene.onLoop { $0.hasPath } == false)
      #expect(new.questions.isEmpty)
      try scene.onLoop { $0.note(paths: ResolverScene.paths(to: $0.nameservers)) }
      #expect(eventually { new.questions.count == 2 })
      #expect(try scene.addresses(of: "nas.example") == [first])
      new.answer(DNSServer.zone(["nas.example": [second]]))
      #expect(eventually { (try? scene.addresses(of: "nas.example")) == [second] })
      #expect(old.questions.count == 2)
    }
  }

  @Test func `nothing is asked while no nameserver has a path, and at once when one has`() async {
    await #expect(processExitsWith: .success) {
      let scene = try ResolverScene()
      let server = try serve(["nas.example": [first]])
      try scene.onLoop { resolver in
        resolver.add("nas.example")
        try resolver.start()
        resolver.note(paths: [:])
      }
      usleep(300_000)
      #expect(server.questions.isEmpty)
      // There is nothing to wait for.
      #expect(try scene.isAnswered("nas.example"))
      let start = BootInstant.now
      try scene.onLoop { $0.note(paths: ResolverScene.paths(to: $0.nameservers)) }
      #expect(eventually { (try? scene.addresses(of: "nas.example")) == [first] })
      #expect(BootInstant.now - start < .milliseconds(500))
      // The same path again is no news; none and then another is.
      try scene.onLoop { $0.note(paths: ResolverScene.paths(to: $0.nameservers)) }
      usleep(200_000)
      #expect(server.questions.count == 2)
      try scene.onLoop { $0.note(paths: [:]) }
      #expect(try scene.addresses(of: "nas.example") == [first])
      try scene.onLoop { $0.note(paths: ResolverScene.paths(to: $0.nameservers, through: 2)) }
      #expect(eventually { server.questions.count == 4 })
    }
  }

  @Test func `where one nameserver is silent or refuses, the next is asked`() async {
    await #expect(processExitsWith: .success) {
      let scene = try ResolverScene("nameserver 127.0.0.53\nnameserver 127.0.0.54")
      let bad = try DNSServer(at: "127.0.0.53", port: 53) { _ in .code(5) }
      let good = try serve(["a.example": [first], "b.example": [second]], at: "127.0.0.54")
      try scene.start("a.example")
      #expect(eventually { (try? scene.addresses(of: "a.example")) == [first] })
      bad.answer { _ in .silence }
      try scene.onLoop {
        $0.add("b.example")
        $0.ask()
      }
      let start = BootInstant.now
      #expect(eventually { (try? scene.addresses(of: "b.example")) == [second] })
      let elapsed = BootInstant.now - start
      #expect(elapsed >= .milliseconds(1900) && elapsed < .seconds(4))
      // From now on it is asked last.
      let asked = bad.questions.count
      try scene.onLoop { $0.refresh() }
      try scene.onLoop {
        $0.add("c.example")
        $0.ask()
      }
      #expect(scene.eventuallyAnswered("c.example"))
      #expect(good.questions.contains { $0.name == "c.example" })
      #expect(bad.questions.count <= asked + 6)
    }
  }

  @Test func `SERVFAIL is tried again until an answer comes`() async {
    await #expect(processExitsWith: .success) {
      let scene = try ResolverScene()
      let server = try DNSServer(at: "127.0.0.53", port: 53) { _ in .code(2) }
      try scene.start("nas.example")
      #expect(scene.eventuallyAnswered("nas.example"))
      #expect(try scene.addresses(of: "nas.example") == [])
      server.answer(DNSServer.zone(["nas.example": [first]]))
      #expect(eventually { (try? scene.addresses(of: "nas.example")) == [first] })
      #expect(server.questions.count == 4)
    }
  }

  @Test func `ten thousand names are found in seconds, 64 questions at a time`() async {
    await #expect(processExitsWith: .success) {
      let scene = try ResolverScene()
      let server = try DNSServer(at: "127.0.0.53", port: 53) { _ in .silence }
      try scene.onLoop { resolver in
        for number in 0..<10000 { resolver.add("n\(number).example") }
        try resolver.start()
        resolver.note(paths: ResolverScene.paths(to: resolver.nameservers))
      }
      usleep(1_000_000)
      #expect(server.questions.count == 64)
      server.answer { query in .records(query.type == 1 ? [DNSRecord(first)] : []) }
      try scene.onLoop { $0.refresh() }
      let start = BootInstant.now
      let isDone = {
        try scene.onLoop { resolver in
          (0..<10000).allSatisfy { resolver["n\($0).example"]?.addresses == [first] }
        }
      }
      while try !isDone(), BootInstant.now - start < .seconds(20) {
        usleep(100_000);
        _ = support_run("echo \(server.questions.count) \(BootInstant.now - start) >> /tmp/dbg")
      }
      #expect(try isDone())
      #expect(BootInstant.now - start < .seconds(10))
      #expect(server.questions.count < 64 + 20000 + 64)
      // To be asked for again they wait for their turn: 200 questions a second.
      let asked = server.questions.count
      try scene.onLoop { $0.refresh() }
      usleep(1_000_000)
      let again = server.questions.count - asked
      #expect(again >= 150 && again <= 230, "\(again)")
    }
  }

  @Test func `where nobody answers, thousands of names do not wait for each other`() async {
    await #expect(processExitsWith: .success) {
      let scene = try ResolverScene()
      let server = try DNSServer(at: "127.0.0.53", port: 53) { _ in .silence }
      try scene.onLoop { resolver in
        for number in 0..<1000 { resolver.add("n\(number).example") }
        try resolver.start()
        resolver.note(paths: ResolverScene.paths(to: resolver.nameservers))
      }
      let start = BootInstant.now
      #expect(eventually { (try? scene.isAnswered("n999.example")) == true })
      let elapsed = BootInstant.now - start
      // Two tries of two seconds each.
      #expect(elapsed >= .milliseconds(3900) && elapsed < .seconds(5))
      let asked = server.questions.count
      #expect(asked <= 2 * 64)
      usleep(2_500_000)
      // One name is tried meanwhile.
      #expect((1...4).contains(server.questions.count - asked))
      server.answer { query in .records(query.type == 1 ? [DNSRecord(first)] : []) }
      #expect(eventually { (try? scene.addresses(of: "n999.example")) == [first] })
    }
  }

  @Test func `what is taken away, and a resolver that stops, is told of no more`() async {
    await #expect(processExitsWith: .success) {
      let scene = try ResolverScene()
      let server = try DNSServer(at: "127.0.0.53", port: 53) { _ in .silence }
      try scene.start("a.example", "b.example")
      #expect(eventually { server.questions.count == 4 })
      try scene.onLoop { $0.remove("a.example") }
      #expect(try scene.onLoop { $0["a.example"] == nil })
      try scene.onLoop { $0.stop() }
      let tellings = scene.told.count
      usleep(2_500_000)
      #expect(scene.told.count == tellings)
    }
  }
}

import CTestSupport
import Glibc
import Reachability
import TestSupport
import Testing

@Suite struct ReachabilityErrors {
  @Test(arguments: [
    "", " ", ".", "a b", "-a.org", "exämple.org", "http://example.org", "example.org:80",
    "192.0.2.256", "127.1", "a\0b", "fe80::1%a b", String(repeating: "a", count: 64),
  ])
  func `a text that no host can be called`(text: String) {
    #expect(throws: ReachabilityError.invalidHostName(text)) { try NetworkReachability(host: text) }
  }

  @Test(arguments: [
    "", "example.org", "192.0.2", "192.0.2.256", "192.0.2.1/24", "[::1]", "::1 ", "%eth0",
    "1.2.3.4\0", "internet",
  ])
  func `a text that is no address`(text: String) {
    let error = ReachabilityError.invalidAddress(text)
    #expect(throws: error) { try NetworkReachability(address: text) }
    #expect(throws: error) { try NetworkReachability(local: "192.0.2.1", remote: text) }
    #expect(throws: error) { try NetworkReachability(local: text, remote: "192.0.2.1") }
  }

  @Test(arguments: ["", "a b", "a/b", "..", "eth0:1", "1234567890123456"])
  func `a text that no interface can be called`(name: String) {
    let error = ReachabilityError.invalidInterface(name)
    #expect(throws: error) { try NetworkReachability(address: "fe80::1%\(name)") }
    #expect(throws: error) { try NetworkReachability(Target(.interface(name))) }
  }

  @Test func `pairs that do not belong together`() throws {
    let four: IPAddress = "192.0.2.1"
    let six: IPAddress = "2001:db8::1"
    #expect(throws: ReachabilityError.mixedFamilies(local: four, remote: six)) {
      try NetworkReachability(local: "192.0.2.1", remote: "2001:db8::1")
    }
    #expect(throws: ReachabilityError.mixedFamilies(local: six, remote: four)) {
      try NetworkReachability(Target(.addressPair(local: six, remote: four)))
    }
    #expect(throws: ReachabilityError.mixedInterfaces(local: "eth0", remote: "eth1")) {
      try NetworkReachability(local: "fe80::1%eth0", remote: "fe80::2%eth1")
    }
    #expect(throws: ReachabilityError.missingAddress) {
      try NetworkReachability(local: nil as UnsafePointer<sockaddr>?, remote: nil)
    }
  }

  @Test func `a target that was built by hand is checked too`() {
    #expect(throws: ReachabilityError.invalidHostName("a b")) {
      try NetworkReachability(Target(.host("a b")))
    }
    #expect(throws: ReachabilityError.emptyNetwork) {
      try NetworkReachability(Target(.network(Network())))
    }
    #expect(throws: ReachabilityError.invalidNetworkName("a\nb")) {
      try NetworkReachability(Target(.network(Network(ssids: ["Home", "a\nb"]))))
    }
  }

  @Test(
    arguments: [
      { $0.kind = .tcp(port: 0) }, { $0.every = .zero }, { $0.every = .seconds(86401) },
      { $0.timeout = .zero }, { $0.timeout = .seconds(3601) }, { $0.fall = 0 }, { $0.rise = -1 },
    ] as [@Sendable (inout Probe) -> Void])
  func `a probe that was built by hand is checked too`(spoil: @Sendable (inout Probe) -> Void)
    throws
  {
    var target = Target(.address(IPAddress(ipv4: 0xc000_0201)))
    var probe = Probe(.tcp(port: 22))
    target.probe = probe
    _ = try NetworkReachability(target)
    probe.destination = .host("a b")
    target.probe = probe
    #expect(throws: ReachabilityError.invalidHostName("a b")) { try NetworkReachability(target) }
    probe.destination = nil
    spoil(&probe)
    target.probe = probe
    #expect(throws: ReachabilityError.invalidProbe(probe)) { try NetworkReachability(target) }
  }

  @Test func `a socket address of another family`() {
    var address = sockaddr()
    address.sa_family = sa_family_t(AF_UNIX)
    #expect(throws: ReachabilityError.unsupportedFamily(AF_UNIX)) {
      try NetworkReachability(address: &address)
    }
  }

  @Test func `a socket address carries its interface where it is on a link`() throws {
    func subject(_ text: String, scope: UInt32) throws -> Target.Subject {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      inet_pton(AF_INET6, text, &address.sin6_addr)
      address.sin6_scope_id = scope
      return try withUnsafePointer(to: &address) {
        try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          try NetworkReachability(address: $0).target.subject
        }
      }
    }
    // Interface 1 is lo in every namespace.
    #expect(try subject("fe80::1", scope: 1).description == "fe80::1%lo")
    #expect(try subject("fe80::1", scope: 0).description == "fe80::1")
    #expect(try subject("2001:db8::1", scope: 1).description == "2001:db8::1")
    #expect(try subject("::ffff:192.0.2.1", scope: 0).description == "192.0.2.1")
    #expect(throws: ReachabilityError.noSuchInterface(0x7fff_ffff)) {
      try subject("fe80::1", scope: 0x7fff_ffff)
    }
  }

  @Test(
    arguments: [
      (.invalidHostName("a b"), #""a b" is not a host name"#),
      (.invalidAddress("x"), #""x" is not an IP address"#),
      (.invalidInterface("a/b"), #""a/b" cannot be an interface's name"#),
      (.noSuchInterface(9), "there is no interface number 9"),
      (.unsupportedFamily(1), "a socket address of family 1 is neither IPv4 nor IPv6"),
      (.invalidNetworkName("a"), #""a" is not the name of a WiFi network"#),
      (.emptyNetwork, "a network needs a name, a router or a subnet"),
      (
        .invalidProbe(Probe(.tcp(port: 0))),
        "a probe needs a port, an interval of 100 ms to 1 day, a timeout of 10 ms to 1 h, and fall "
          + "and rise of 1 or more"
      ),
      (.missingAddress, "an address pair needs at least one address"),
      (
        .mixedFamilies(local: IPAddress(ipv4: 1), remote: IPAddress(ipv4: 2)),
        "0.0.0.1 and 0.0.0.2 are of different families"
      ),
      (.mixedInterfaces(local: "a", remote: "b"), "an address pair cannot be on both a and b"),
      (
        .noKernelAccess(operation: "open a netlink socket", code: EMFILE),
        "open a netlink socket: Too many open files"
      ),
    ] as [(ReachabilityError, String)])
  func `an error says what is wrong in one line`(error: ReachabilityError, text: String) {
    #expect(error.description == text)
  }

  @Test func `a kernel that gives no socket is told, and may be asked again`() async {
    await #expect(processExitsWith: .success) {
      let reachability = NetworkReachability()
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let allowed = limit
      limit.rlim_cur = 0
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      do throws(ReachabilityError) {
        try reachability.start()
        Issue.record("started")
      } catch {
        #expect(error == .noKernelAccess(operation: "make an epoll instance", code: EMFILE))
      }
      #expect(!reachability.isRunning)
      #expect(throws: ReachabilityError.self) { try reachability.query() }
      limit = allowed
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      try reachability.start()
      #expect(reachability.isRunning)
      #expect(reachability.status != .unknown)
      reachability.stop()
      #expect(eventually { support_threads_named("reachability") == 0 })
    }
  }
}

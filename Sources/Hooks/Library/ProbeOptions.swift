internal import Lua
internal import Posix
internal import Reachability

extension Probe {
  /// Every kind by the key that declares it, and how its value is read; a target has one at most.
  private static let kinds: [(field: Field, read: Reader)] = [
    (
      Field(
        "tcp?", "integer|string",
        """
        The probe: does the port take connections? For an interface, the internet and a network \
        with its destination: `"1.1.1.1:443"`.
        """), tcp
    ),
    (
      Field(
        "icmp?", "true|string",
        """
        The probe: does the host answer an echo request? For an interface, the internet and a \
        network its destination: `"1.1.1.1"`.
        """), icmp
    ),
    (
      Field(
        "dns?", "string",
        """
        The probe: is there an address for that name? The host is asked; for an interface, the \
        internet and a network the system's nameservers.
        """), dns
    ),
    (
      Field(
        "http?", "string",
        """
        The probe: does the http or https URL answer with 200 to 299, or as `expect` says? Its host \
        is the subject where there is none. Over plain http sign-in pages are noticed.
        """), http
    ),
  ]

  private typealias Reader =
    @Sendable (OptionTable, Target.Subject) throws(OptionError) -> Probe?

  private static let expect = Field(
    "expect?", "integer|string", "With `http`: the status, or a text that the body holds.")

  private static let settings = [
    Field("every?", "reach.Duration", "How often the probe is sent. Default 30 s."),
    Field("timeout?", "reach.Duration", "How long it may take. Default 3 s."),
    Field("fall?", "integer", "So many failures in a row make it unreachable. Default 3."),
    Field("rise?", "integer", "So many passes in a row make it reachable again. Default 2."),
  ]

  /// What `reach.target` takes that is about probes.
  static let fields = kinds.map(\.field) + [expect] + settings

  /// Reads the probe that a target declares; nil where it has none.
  static func declared(
    by options: OptionTable, for subject: Target.Subject
  ) throws(OptionError) -> Probe? {
    let given = kinds.filter { options.value($0.field.name) != nil }
    guard options.value("expect") == nil || given.contains(where: { $0.field.name == "http" })
    else {
      throw options.error("\"expect\" goes with \"http\", as in http = \"http://nas.lan/\"")
    }
    guard given.count <= 1 else {
      let names = given.map(\.field.name).joined(separator: " and ")
      throw options.error("one probe at most, not \(names)")
    }
    guard let kind = given.first, var probe = try kind.read(options, subject) else {
      if let setting = settings.first(where: { options.value($0.name) != nil }) {
        throw options.error("\"\(setting.name)\" goes with a probe, such as tcp = 22")
      }
      return nil
    }
    if subject.isAnyAddress {
      throw options.error("\"\(kind.field.name)\" needs a host, and this address stands for any")
    }
    probe.every = try options.duration("every") ?? probe.every
    probe.timeout = try options.duration("timeout") ?? probe.timeout
    probe.fall = try options.count("fall", most: 1000) ?? probe.fall
    probe.rise = try options.count("rise", most: 1000) ?? probe.rise
    guard Probe.intervals.contains(probe.every) else {
      throw options.error("\"every\": \(Probe.intervals.described)")
    }
    guard Probe.timeouts.contains(probe.timeout) else {
      throw options.error("\"timeout\": \(Probe.timeouts.described)")
    }
    return probe
  }

  /// `tcp = 22`, or with a destination of its own `tcp = "1.1.1.1:443"`.
  private static let tcp: Reader = { options, subject throws(OptionError) in
    if subject.isDestination {
      return try options.count("tcp", most: 65535).map { Probe(.tcp(port: UInt16($0))) }
    }
    guard case .string(let text)? = options.value("tcp") else {
      throw options.missesDestination("tcp", example: "1.1.1.1:443")
    }
    let (destination, port) = try options.reading("tcp", for: subject) {
      () throws(TargetError) in try Destination.withPort(parsing: text)
    }
    var probe = Probe(.tcp(port: port))
    probe.destination = destination
    return probe
  }

  /// `icmp = true`, or with a destination of its own `icmp = "1.1.1.1"`.
  private static let icmp: Reader = { options, subject throws(OptionError) in
    var probe = Probe(.icmp)
    guard options.value("icmp") != nil else { return nil }
    if subject.isDestination {
      guard case .boolean(true)? = options.value("icmp") else {
        throw options.error("\"icmp\" goes to the target here: icmp = true")
      }
      return probe
    }
    guard case .string(let text)? = options.value("icmp") else {
      throw options.missesDestination("icmp", example: "1.1.1.1")
    }
    (probe.destination, _) = try options.reading("icmp", for: subject) {
      () throws(TargetError) in (try Destination(parsing: text), 0)
    }
    return probe
  }

  /// `dns = "example.org"`: asks the target, or where that is no host, the system's name servers.
  private static let dns: Reader = { options, _ throws(OptionError) in
    guard let name = try options.string("dns") else { return nil }
    do throws(TargetError) { return Probe(.dns(name: try Target.Subject.hostName(name))) } catch {
      throw options.error("\"dns\": \(error)")
    }
  }
}

extension Target.Subject {
  /// Whether a probe of the target goes to the target itself.
  fileprivate var isDestination: Bool {
    switch self {
    case .host, .address, .addressPair: true
    default: false
    }
  }

  /// Whether it stands for the default route of one family, to which nothing can be sent.
  fileprivate var isAnyAddress: Bool {
    if case .address(let address, _) = self { address.isUnspecified } else { false }
  }
}

extension OptionTable {
  fileprivate func missesDestination(_ key: String, example: String) -> OptionError {
    error("\"\(key)\" must name a destination here, as in \(key) = \"\(example)\"")
  }

  /// Reads a destination, and checks that it fits the subject.
  fileprivate func reading(
    _ key: String, for subject: Target.Subject,
    _ body: () throws(TargetError) -> (Probe.Destination, UInt16)
  ) throws(OptionError) -> (Probe.Destination, UInt16) {
    let read: (Probe.Destination, UInt16)
    do throws(TargetError) { read = try body() } catch { throw self.error("\"\(key)\": \(error)") }
    guard case .address(let address, let zone) = read.0 else { return read }
    switch subject {
    case .interface(let name) where zone != nil && zone != name:
      throw error("\"\(key)\": \(address) is on \(zone ?? ""), and the target is \(name)")
    case .internet where address.isLinkLocal && address.family == .ipv6 && zone == nil:
      throw error("\"\(key)\": \(address) needs its interface, as in \(address)%eth0")
    default: return read
    }
  }
}

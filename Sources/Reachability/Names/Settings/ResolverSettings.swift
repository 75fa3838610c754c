internal import Glibc
internal import Posix

/// The files that say how names are resolved.
struct ResolverFiles: Sendable {
  var configuration = "/etc/resolv.conf"
  var hosts = "/etc/hosts"
  var services = "/etc/nsswitch.conf"

  /// All of them.
  var paths: [String] { [configuration, hosts, services] }
}

/// How names are resolved, as the system's files say at one moment.
struct ResolverSettings: Equatable, Sendable {
  /// Where a name's addresses come from.
  enum Source: Equatable, Sendable {
    /// The hosts file, which holds these.
    case file([IPAddress])
    /// Nameservers, under these whole names in order.
    case nameservers([String])
    /// The C library.
    case system
  }

  private let configuration: ResolverConfiguration
  private let hosts: HostsFile
  private let services: NameServices
  private let hostName: String

  /// Whom to ask, in order.
  var nameservers: [Nameserver] { configuration.nameservers }

  /// - Parameters:
  ///   - configuration: resolv.conf(5).
  ///   - hosts: hosts(5).
  ///   - services: nsswitch.conf(5).
  ///   - hostName: this machine's own name.
  init(configuration: [UInt8], hosts: [UInt8], services: [UInt8], hostName: String) {
    self.configuration = ResolverConfiguration(parsing: configuration, hostName: hostName)
    self.hosts = HostsFile(parsing: hosts)
    self.services = NameServices(parsing: services)
    self.hostName = hostName
  }

  /// Reads the files as they are now; one that cannot be read is empty.
  init(reading files: ResolverFiles) {
    self.init(
      configuration: ResolverSettings.read(files.configuration, limit: 1 << 16),
      hosts: ResolverSettings.read(files.hosts, limit: 1 << 23),
      services: ResolverSettings.read(files.services, limit: 1 << 16),
      hostName: ResolverSettings.ownName)
  }

  /// Where the addresses of a name come from.
  func source(of name: String) -> Source {
    if services.useHostsFile, let addresses = hosts[name] { return .file(addresses) }
    if services.mustAnswer(name, hostName: hostName) { return .system }
    return .nameservers(configuration.candidates(for: name))
  }

  private static func read(_ path: String, limit: Int) -> [UInt8] {
    let flags = O_RDONLY | O_NONBLOCK
    guard let file = try? FileDescriptor(opening: path, flags: flags) else { return [] }
    return (try? file.readAll(limit: limit)) ?? []
  }

  private static var ownName: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress, gethostname(base, buffer.count) == 0 else { return "" }
      buffer[255] = 0
      return String(cString: base)
    }
  }
}

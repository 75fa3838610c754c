internal import Posix

/// What resolv.conf(5) says: whom to ask, and what to append to a name.
struct ResolverConfiguration: Equatable, Sendable {
  /// Whom to ask, in order; at most as many as the C library asks.
  private(set) var nameservers: [Nameserver] = []
  /// The domains in which a short name is looked for, in order; "" stands for the root.
  private(set) var search: [String] = []
  /// A name with so many dots is tried as it is before a domain is appended.
  private(set) var dots = 1

  static let mostNameservers = 3
  static let mostDomains = 32
  private static let mostDots = 15

  /// Reads the file; what it does not say is as the C library has it: the nameserver on this machine,
  /// and the domain of this machine's own name.
  init(parsing bytes: [UInt8], hostName: String) {
    var domains: [String]?
    for words in SettingsText(bytes, comments: "#;") {
      switch words[0] {
      case "nameserver" where words.count > 1: add(nameserver: words[1])
      case "search": domains = Array(words.dropFirst())
      case "domain": domains = Array(words.dropFirst().prefix(1))
      case "options": for option in words.dropFirst() { set(option) }
      default: break
      }
    }
    if nameservers.isEmpty { nameservers = [Nameserver(IPAddress(ipv4: 0x7f00_0001))] }
    let own = hostName.firstIndex(of: ".").map { String(hostName[hostName.index(after: $0)...]) }
    search = (domains ?? own.map { [$0] } ?? []).compactMap(ResolverConfiguration.domain)
    search.removeLast(max(0, search.count - ResolverConfiguration.mostDomains))
  }

  private mutating func add(nameserver text: String) {
    guard nameservers.count < ResolverConfiguration.mostNameservers else { return }
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(parts[0])?.unmapped else { return }
    var zone: String?
    if parts.count == 2 {
      zone = try? Target.Subject.interfaceName(String(parts[1]))
      guard zone != nil else { return }
    }
    let server = Nameserver(address, zone: address.isLinkLocal ? zone : nil)
    if !nameservers.contains(server) { nameservers.append(server) }
  }

  private mutating func set(_ option: String) {
    guard option.hasPrefix("ndots:"), let count = Int(option.dropFirst("ndots:".count)), count >= 0
    else { return }
    dots = min(count, ResolverConfiguration.mostDots)
  }

  private static func domain(_ text: String) -> String? {
    text == "." ? "" : try? Target.Subject.hostName(text)
  }

  /// The whole names under which a name is looked for, in order, as the C library does.
  func candidates(for name: String) -> [String] {
    let count = name.utf8.lazy.filter { $0 == 0x2e }.count
    let searched = search.map { $0.isEmpty ? name : "\(name).\($0)" }
      .filter { $0.utf8.count <= 253 }
    var candidates = count >= dots ? [name] + searched : searched + [name]
    var seen: Set<String> = []
    candidates.removeAll { !seen.insert($0).inserted }
    return candidates
  }
}

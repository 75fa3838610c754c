/// The services that nsswitch.conf(5) names for hosts, and which names they alone can answer.
struct NameServices: Equatable, Sendable {
  private let services: Set<String>

  /// Reads the file; without a line for hosts it is as the C library has it.
  init(parsing bytes: [UInt8]) {
    var found: Set<String> = ["files", "dns"]
    for words in SettingsText(bytes, comments: "#") {
      // "hosts: files" and "hosts:files" alike.
      let line = words.joined(separator: " ")
      guard line.hasPrefix("hosts:") else { continue }
      var isAction = false
      found = []
      for word in line.dropFirst("hosts:".count).split(separator: " ") {
        if word.hasPrefix("[") { isAction = true }
        if !isAction { found.insert(String(word)) }
        if word.hasSuffix("]") { isAction = false }
      }
    }
    services = found
  }

  /// Whether the hosts file counts.
  var useHostsFile: Bool { services.contains("files") }

  /// Whether a name is to be asked of the system's own resolver, since nameservers cannot answer it,
  /// or not for certain.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - hostName: this machine's own name.
  /// - Returns: whether the system is asked instead of nameservers.
  func mustAnswer(_ name: String, hostName: String) -> Bool {
    let name = name.lowercased()
    // nss-resolve asks systemd-resolved, which resolv.conf names too.
    guard services.contains("dns") || services.contains("resolve") else { return true }
    if name.hasSuffix(".local") { return services.contains { $0.hasPrefix("mdns") } }
    if services.contains("myhostname") || services.contains("resolve"),
      NameServices.isOwn(name, hostName.lowercased())
    {
      return true
    }
    // A name of one label may be that of a container, a guest or a neighbour.
    return !name.contains(".") && services.contains { !NameServices.withoutShortNames.contains($0) }
  }

  /// Services that say nothing of names of one label, or say what we find out by ourselves.
  private static let withoutShortNames: Set<String> = [
    "files", "dns", "myhostname", "mdns", "mdns4", "mdns6", "mdns_minimal", "mdns4_minimal",
    "mdns6_minimal",
  ]

  /// The names that nss-myhostname(8) answers.
  private static func isOwn(_ name: String, _ hostName: String) -> Bool {
    name == hostName || ["_gateway", "_outbound", "localhost"].contains(name)
      || name.hasSuffix(".localhost") || name == "localhost.localdomain"
      || name.hasSuffix(".localhost.localdomain")
  }
}

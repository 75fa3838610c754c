internal import Posix

/// What hosts(5) says: addresses by host name.
struct HostsFile: Equatable, Sendable {
  private var addresses: [String: [IPAddress]] = [:]

  init(parsing bytes: [UInt8]) {
    for words in SettingsText(bytes, comments: "#") {
      // A zone is not looked at: an address of a name has none.
      guard let address = IPAddress(words[0].prefix { $0 != "%" })?.unmapped else { continue }
      for word in words.dropFirst() {
        guard let name = try? Target.Subject.hostName(word) else { continue }
        addresses[name.lowercased(), default: []].append(address)
      }
    }
  }

  /// The addresses of a name, sorted; nil where it is not in the file.
  subscript(name: String) -> [IPAddress]? {
    addresses[name.lowercased()].map {
      Array(Set($0).sorted().prefix(DNSAnswer.mostAddresses))
    }
  }
}

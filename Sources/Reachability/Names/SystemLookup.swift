internal import Glibc
internal import Posix

extension NameAnswer {
  /// Asks getaddrinfo(3), which tells no lifetime; blocks for as long as the system's services take.
  init(askingSystem name: String) {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(name, nil, &hints, &list)
    guard code == 0 else {
      self = NameAnswer.absences.contains(code) ? .absent : .failure(.failed)
      return
    }
    defer { freeaddrinfo(list) }
    var addresses: Set<IPAddress> = []
    var entry = list
    while let current = entry {
      if let address = current.pointee.ai_addr.flatMap({ IPAddress(socketAddress: $0) }) {
        addresses.insert(address.unmapped)
      }
      entry = current.pointee.ai_next
    }
    let found = Array(addresses.sorted().prefix(DNSAnswer.mostAddresses))
    self = found.isEmpty ? .absent : .addresses(found, lifetime: NameAnswer.systemLifetime)
  }

  /// How long an answer that tells no lifetime is believed.
  static let systemLifetime = Duration.seconds(300)

  /// The codes that say that a name is not there or has no address: EAI_NONAME, and EAI_NODATA and
  /// EAI_ADDRFAMILY, which Swift does not see.
  private static let absences: Set<Int32> = [EAI_NONAME, -5, -9]
}

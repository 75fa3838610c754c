internal import Glibc
internal import Posix

/// What the system's resolver says of a name.
enum NameAnswer: Equatable, Sendable {
  /// Its addresses, IPv4 first, then by value: the order of an answer decides nothing.
  case addresses([IPAddress])
  /// None, by this code of getaddrinfo(3).
  case failure(Int32)

  /// More addresses than this of one name are not looked at.
  static let mostAddresses = 32

  /// Asks getaddrinfo(3); blocks for as long as the name servers take.
  init(asking name: String) {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(name, nil, &hints, &list)
    guard code == 0 else {
      self = .failure(code)
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
    self = .addresses(Array(addresses.sorted().prefix(NameAnswer.mostAddresses)))
  }
}

public import Netlink
public import Posix

/// The interfaces and addresses of one moment.
public struct NetworkState: Sendable {
  /// The interfaces, by rising index.
  public let links: [Link]
  /// All addresses of all interfaces.
  public let addresses: [InterfaceAddress]
  private let hasIPv4Source: Bool
  private let hasIPv6Source: Bool

  /// The state that these make up.
  public init(links: [Link], addresses: [InterfaceAddress]) {
    self.init(sorted: links.sorted { $0.index < $1.index }, addresses: addresses)
  }

  /// The state of interfaces that come by rising index.
  init(sorted links: [Link], addresses: [InterfaceAddress]) {
    self.links = NetworkState.withoutDeadBonds(links)
    self.addresses = addresses
    hasIPv4Source = addresses.contains { $0.address.family == .ipv4 && $0.isSource }
    hasIPv6Source = addresses.contains { $0.address.family == .ipv6 && $0.isSource }
  }

  /// The links, but a bond none of whose ports works has no carrier: the kernel looks after that
  /// only every so often.
  private static func withoutDeadBonds(_ links: [Link]) -> [Link] {
    guard links.contains(where: \.isBond) else { return links }
    return links.map { bond in
      let ports = links.lazy.filter { $0.master == bond.index }
      guard bond.isBond, !ports.isEmpty, !ports.contains(where: \.isUsable) else { return bond }
      var dead = bond
      dead.hasCarrier = false
      return dead
    }
  }

  /// Nothing but what an unconfigured machine has: nothing.
  public static let empty = NetworkState(links: [], addresses: [])

  /// The interface with that index.
  public func link(_ index: Int32) -> Link? {
    var low = 0
    var high = links.count
    while low < high {
      let middle = (low + high) / 2
      if links[middle].index < index { low = middle + 1 } else { high = middle }
    }
    return low < links.count && links[low].index == index ? links[low] : nil
  }

  /// The interface with that name.
  public func link(named name: String) -> Link? { links.first { $0.name == name } }

  /// The machine's own loopback.
  public var loopback: Link? { links.first { $0.isLoopback } }

  /// Whether packets of a family can carry a source address that is good beyond the link.
  public func hasSource(_ family: IPAddress.Family) -> Bool {
    family == .ipv4 ? hasIPv4Source : hasIPv6Source
  }

  /// Whether an address is assigned, and usable.
  public func isAssigned(_ address: IPAddress) -> Bool {
    addresses.contains { $0.address == address && $0.isUsable }
  }

  /// The lowest address of an interface beyond the link-local ones, IPv4 before IPv6.
  public func address(of link: Link) -> IPAddress? {
    addresses.lazy
      .filter { $0.interface == link.index && $0.isSource && !$0.address.isLinkLocal }
      .map(\.address).min()
  }

  /// The ports through which a bridge or bond sends: those that work, of them the active one alone.
  ///
  /// A port that failed is the active one until the kernel has chosen another.
  func sendingPorts(of master: Link) -> [Link] {
    let working = links.filter { $0.master == master.index && $0.isUsable }
    let active = working.filter { $0.index == master.activePort }
    return active.isEmpty ? working : active
  }

  /// The interfaces that rest on one, directly or through others: a bridge on its port, a VLAN.
  public func uppers(of index: Int32) -> Set<Int32> {
    closure(of: index) { link in
      var above = links.filter { $0.lower == link.index && !$0.lowerIsForeign }.map(\.index)
      if let master = link.master { above.append(master) }
      return above
    }
  }

  /// The interfaces on which one rests, directly or through others.
  public func lowers(of index: Int32) -> Set<Int32> {
    closure(of: index) { link in
      var beneath = links.filter { $0.master == link.index }.map(\.index)
      if let lower = link.lower, !link.lowerIsForeign { beneath.append(lower) }
      return beneath
    }
  }

  private func closure(of start: Int32, _ neighbours: (Link) -> [Int32]) -> Set<Int32> {
    var found: Set<Int32> = []
    var waiting = [start]
    while let next = waiting.popLast() {
      guard let link = link(next) else { continue }
      for neighbour in neighbours(link) where found.insert(neighbour).inserted {
        waiting.append(neighbour)
      }
    }
    found.remove(start)
    return found
  }
}

extension Link {
  /// Whether it sends through ports alone; a bridge is also an end of its own.
  fileprivate var isBond: Bool { kind == "bond" || kind == "team" }
}

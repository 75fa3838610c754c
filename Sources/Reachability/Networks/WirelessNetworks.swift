internal import Netlink
internal import Posix

/// Remembers which WiFi networks the interfaces are on, and asks again once that may have changed.
struct WirelessNetworks {
  /// nl80211, where there is a WiFi interface.
  private(set) var family: GenericFamily?
  private var radios: Set<Int32> = []
  private var ssids: [Int32: String] = [:]
  /// Whether it is known which interfaces are of WiFi.
  private(set) var hasLooked = false
  private var isStale = false

  /// Takes note of interfaces that changed, or of all where it is not known which did.
  ///
  /// - Parameters:
  ///   - changed: the interfaces; nil for all.
  ///   - state: all interfaces of now.
  ///   - isRadio: whether an interface is one of WiFi.
  mutating func note(changed: Set<Int32>?, in state: NetworkState, isRadio: (Link) -> Bool) {
    let looksAtAll = changed == nil || !hasLooked
    hasLooked = true
    let indices = looksAtAll ? radios.union(state.links.map(\.index)) : changed ?? []
    for index in indices {
      let isOne = state.link(index).map(isRadio) ?? false
      if isOne { radios.insert(index) } else if radios.remove(index) == nil { continue }
      ssids[index] = nil
      isStale = true
    }
  }

  /// Takes note that an interface may have joined or left a network.
  mutating func expire() { isStale = !radios.isEmpty }

  /// The names of the networks, by the interface that is on each.
  ///
  /// - Parameters:
  ///   - state: the interfaces of now: one that does not work is on no network.
  ///   - ask: lists the interfaces of nl80211 and tells its family; nil where there is none.
  /// - Returns: those that are known, asked for where they may have changed.
  mutating func ssids(
    in state: NetworkState, asking ask: () -> (GenericFamily, [WirelessInterface])?
  ) -> [Int32: String] {
    guard isStale, radios.contains(where: { state.link($0)?.isUsable == true }) else {
      return ssids
    }
    isStale = false
    ssids = [:]
    guard let (family, interfaces) = ask() else {
      family = nil
      return [:]
    }
    self.family = family
    for interface in interfaces where interface.mode == .station {
      guard state.link(interface.index)?.isUsable == true else { continue }
      ssids[interface.index] = String(ssid: interface.ssid)
    }
    return ssids
  }
}

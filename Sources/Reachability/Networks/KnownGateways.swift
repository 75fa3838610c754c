internal import Netlink
internal import Posix

/// Remembers the hardware addresses of routers.
///
/// The kernel forgets a neighbour that is not needed, and one that does not answer for a moment; the
/// network is the same all the while. So what was known stands until the table says otherwise, or
/// until the link that it was known on has failed.
struct KnownGateways {
  private var known: [Neighbour.Place: HardwareAddress] = [:]

  /// The hardware address of a router.
  subscript(place: Neighbour.Place) -> HardwareAddress? { known[place] }

  /// Takes in what the table says of a router; nil where it has no entry.
  mutating func note(_ neighbour: Neighbour?) {
    guard let neighbour, let address = neighbour.hardwareAddress else { return }
    // Those that no link has any more are dropped with it; this is for links with many routers.
    if known.count >= 256 { known.removeAll() }
    known[neighbour.place] = address
  }

  /// Forgets what was known on a link that has failed, or may have.
  mutating func forget(interface: Int32) {
    guard !known.isEmpty else { return }
    known = known.filter { $0.key.interface != interface }
  }

  /// Forgets everything.
  mutating func forgetAll() { known.removeAll() }
}

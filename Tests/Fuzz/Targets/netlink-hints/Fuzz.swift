internal import Fuzzing
@testable internal import Netlink
internal import Posix

/// What the kernel sends unasked.
@main enum NetlinkHints: Fuzzer {
  /// A neighbour that is watched, so that those of the input are compared.
  private static let watched = Neighbour.Place(IPAddress(ipv4: 0xc000_0202), interface: 2)

  static func check(_ input: Input) {
    var hints = ChangeSocket.Hints()
    hints.add(Bytes(input.bytes))
    expect(!hints.neighboursChanged, "nobody watches a neighbour")
    hints.add(Bytes(input.bytes), watching: [watched: Neighbour(watched)])
  }
}

internal import Fuzzing

@testable internal import Netlink

/// What the kernel sends unasked.
@main enum NetlinkHints: Fuzzer {
  static func check(_ input: Input) {
    var hints = ChangeSocket.Hints()
    hints.add(Bytes(input.bytes))
  }
}

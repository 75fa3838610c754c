import Testing

@testable import Netlink

@Suite struct Wire {
  @Test func `a message that claims more than there is ends the sequence`() {
    let bytes: [UInt8] = [255, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    bytes.withUnsafeBytes { #expect(Array(MessageSequence(Bytes($0))).isEmpty) }
  }
}

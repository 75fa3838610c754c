import CNetlink
import Posix
import Testing

@testable import Netlink

@Suite struct Messages {
  private func lengths(_ bytes: [UInt8]) -> [Int] {
    bytes.withUnsafeBytes { MessageSequence(Bytes($0)).map(\.payload.count) }
  }

  private func attributes(_ bytes: [UInt8]) -> [[Int]] {
    bytes.withUnsafeBytes { Attributes(Bytes($0)).map { [$0.type, $0.value.count] } }
  }

  @Test func `messages follow each other at multiples of four`() {
    #expect(lengths(message(16, [1, 2, 3, 4]) + message(17)) == [4, 0])
    let odd: [UInt8] = [17, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0]
    #expect(lengths(odd + message(17, [1, 2])) == [1, 2])
  }

  @Test func `a message that claims more than there is ends the sequence`() {
    #expect(lengths([255, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) == [])
    #expect(lengths(message(16) + [255, 255, 255, 255] + message(16).dropFirst(4)) == [0])
  }

  @Test(arguments: [0, 1, 4, 15] as [UInt8])
  func `a message shorter than its header ends the sequence`(length: UInt8) {
    #expect(lengths([length] + message(16).dropFirst() + message(16)) == [])
  }

  @Test func `attributes follow each other at multiples of four`() {
    #expect(
      attributes(attribute(3, [0x6c, 0x6f, 0]) + attribute(5, []) + attribute(4, [1, 0, 0, 0]))
        == [[3, 3], [5, 0], [4, 4]])
  }

  @Test func `the last attribute needs no padding`() {
    #expect(attributes([7, 0, 3, 0, 0x6c, 0x6f, 0]) == [[3, 3]])
  }

  @Test func `the bits for nesting and byte order are no part of a type`() {
    #expect(
      attributes(attribute(0x8000 | 18, []) + attribute(0x4000 | 5, [])) == [[18, 0], [5, 0]])
  }

  @Test(arguments: [0, 1, 3, 9, 255] as [UInt8])
  func `an attribute of an impossible length ends the list`(length: UInt8) {
    let good = attribute(4, [1, 0, 0, 0])
    #expect(attributes(good + [length, 0, 5, 0, 1, 2, 3, 4]) == [[4, 4]])
  }

  @Test func `a value is only read whole`() {
    let bytes = attribute(4, [1, 0, 0])
    bytes.withUnsafeBytes { buffer in
      var attributes = Attributes(Bytes(buffer))
      let attribute = attributes.next()
      #expect(attribute != nil)
      #expect(attribute?.load(Int32.self) == nil)
      #expect(attribute?.load(UInt8.self) == nil)
    }
  }

  @Test func `an error message tells its errno`() {
    #expect(read(message(2, raw(Int32(-113))), \.errorCode) == 113)
    #expect(read(message(2, raw(Int32(0))), \.errorCode) == 0)
    #expect(read(message(2, raw(Int32.min)), \.errorCode) == .max)
    #expect(read(message(2, [1]), \.errorCode) == 0)
    #expect(read(message(24, raw(Int32(-113))), \.errorCode) == nil)
  }

  @Test func `a text ends at its NUL and is never refused`() {
    [0x65, 0x74, 0x68, 0x30, 0, 0x78].withUnsafeBytes { (buffer: UnsafeRawBufferPointer) in
      #expect(Bytes(buffer).prefix(0).text == "")
    }
    let bytes: [UInt8] = [0x65, 0xff, 0x30, 0, 0x78]
    #expect(bytes.withUnsafeBytes { Bytes($0).text } == "e\u{fffd}0")
  }
}

@Suite struct MessageWriters {
  @Test func `a dump request is a header and a fixed part`() {
    var writer = MessageWriter()
    writer.request(18, flags: 0x300, sequence: 7, ifinfomsg())
    #expect(
      writer.bytes == [
        32, 0, 0, 0, 18, 0, 1, 3, 7, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      ])
  }

  @Test func `requests in one datagram each have their own length`() {
    var writer = MessageWriter()
    var info = rtmsg()
    info.rtm_family = 2
    info.rtm_dst_len = 32
    writer.request(26, sequence: 0x0102_0304, info) { writer in
      writer.attribute(1, .init(ipv4: 0xc000_0201))
      writer.attribute(4, 11)
    }
    writer.request(26, sequence: 2, rtmsg())
    #expect(
      writer.bytes == [
        44, 0, 0, 0, 26, 0, 1, 0, 4, 3, 2, 1, 0, 0, 0, 0,
        2, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        8, 0, 1, 0, 192, 0, 2, 1,
        8, 0, 4, 0, 11, 0, 0, 0,
        28, 0, 0, 0, 26, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      ])
    writer.removeAll()
    #expect(writer.bytes == [])
  }

  @Test func `what is written is read back`() {
    var writer = MessageWriter()
    writer.request(26, sequence: 9, rtmsg()) { writer in
      if let address = IPAddress("2001:db8::1") { writer.attribute(1, address) }
    }
    let address = read(writer.bytes) { message -> IPAddress? in
      #expect(message.header.nlmsg_seq == 9)
      var attributes = message.split(rtmsg.self)?.attributes
      return attributes?.next()?.value.address
    }
    #expect(address?.description == "2001:db8::1")
  }
}

import TestSupport
import Testing

@testable import Netlink

@Suite struct HostileBytes {
  private static let messages = [
    Links.full, Routes.full, Routes.multipath, InterfaceAddresses.pointToPoint,
    message(2, raw(Int32(-1))), Neighbours.full, Generic.nl80211, Generic.station(), Generic.scan,
    Generic.device(Generic.peer(Generic.endpoint([203, 0, 113, 7]), handshake: 1)),
  ]

  private func readEverything(_ datagram: Bytes) -> Int {
    var hints = ChangeSocket.Hints()
    hints.add(datagram)
    var found = hints.links.count + hints.removedLinks.count
    for message in MessageSequence(datagram) {
      if Link(message) != nil { found += 1 }
      if Route(message) != nil { found += 1 }
      if InterfaceAddress(message) != nil { found += 1 }
      if RouteAnswer(message) != nil { found += 1 }
      if Neighbour(message) != nil { found += 1 }
      if HostRoute(message) != nil { found += 1 }
      found += readGeneric(message)
    }
    return found
  }

  private func readGeneric(_ message: Message) -> Int {
    var device = WireGuardDevice()
    device.add(message)
    return device.endpoints.count + (GenericFamily(message) == nil ? 0 : 1)
      + (WirelessInterface(message) == nil ? 0 : 1) + (ScannedNetwork(message) == nil ? 0 : 1)
  }

  @Test func `a datagram that was cut anywhere holds no message`() throws {
    let memory = try #require(Guarded())
    for bytes in HostileBytes.messages {
      #expect(memory.withBytes(bytes, readEverything) > 0)
      for count in 0..<bytes.count {
        #expect(memory.withBytes(bytes.prefix(count), readEverything) == 0)
      }
    }
  }

  @Test func `a message that was cut anywhere, with its length made to fit, is read within it`()
    throws
  {
    let memory = try #require(Guarded())
    for bytes in HostileBytes.messages {
      for count in 16..<bytes.count {
        _ = memory.withBytes(raw(UInt32(count)) + bytes[4..<count], readEverything)
      }
    }
  }

  @Test func `any one byte may be any other`() throws {
    let memory = try #require(Guarded())
    for bytes in HostileBytes.messages {
      for position in bytes.indices {
        for value in [0, 1, 3, 4, 0x7f, 0x80, 0xff] as [UInt8] {
          var damaged = bytes
          damaged[position] = value
          _ = memory.withBytes(damaged, readEverything)
        }
      }
    }
  }

  @Test func `random datagrams are read without a trap`() throws {
    let memory = try #require(Guarded())
    var random = Seeded(20)
    var found = 0
    for _ in 0..<100_000 {
      var bytes = (0..<random.below(120)).map { _ -> UInt8 in
        // Small numbers make plausible lengths and types.
        let word = random.next()
        return UInt8(truncatingIfNeeded: word & 3 == 0 ? word >> 8 : (word >> 8) % 24)
      }
      if bytes.count >= 16, random.below(8) > 0 {
        bytes.replaceSubrange(0..<4, with: raw(UInt32(bytes.count)))
        bytes.replaceSubrange(4..<6, with: [[16, 17, 20, 21, 24, 25, 2][random.below(7)], 0])
        if bytes.count > 16 { bytes[16] = [0, 2, 10, 7][random.below(4)] }
      }
      found += memory.withBytes(bytes, readEverything)
    }
    // Else nothing would have been tested.
    #expect(found > 10_000)
  }
}

import Glibc
import Testing

@testable import Posix

@Suite struct IPAddresses {
  @Test(arguments: [
    ("0.0.0.0", "0.0.0.0"), ("192.0.2.1", "192.0.2.1"), ("255.255.255.255", "255.255.255.255"),
    ("::", "::"), ("::1", "::1"), ("2001:DB8::0:1", "2001:db8::1"),
    ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("::ffff:192.0.2.1", "::ffff:192.0.2.1"),
    ("fe80:0:0:0:0:0:0:1", "fe80::1"),
  ])
  func `an address is written in the shortest form`(text: String, expected: String) {
    #expect(IPAddress(text)?.description == expected)
  }

  @Test(arguments: [
    "", " ", "1", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", " 1.2.3.4", "1.2.3.4 ",
    "0x7f.0.0.1",
    "fe80::1%eth0", ":::", "1::2::3", "12345::", "g::1", "example.org", "192.0.2.1\0", "::1\0x",
    "192.0.2.1/24", "[::1]",
  ])
  func `what is no address is refused`(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test func `bytes are in network order`() {
    var bytes: [UInt8] = []
    IPAddress("192.0.2.1")?.append(to: &bytes)
    #expect(bytes == [192, 0, 2, 1])
    bytes = []
    IPAddress("2001:db8::8:800:200c:417a")?.append(to: &bytes)
    #expect(bytes == [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 8, 8, 0, 0x20, 0xc, 0x41, 0x7a])
  }

  @Test(arguments: ["192.0.2.1", "0.0.0.0", "::", "fe80::1", "2001:db8::ff00:42:8329"])
  func `bytes read back as the same address`(text: String) throws {
    let address = try #require(IPAddress(text))
    var bytes: [UInt8] = []
    address.append(to: &bytes)
    #expect(bytes.withUnsafeBytes { IPAddress(networkBytes: $0) } == address)
  }

  @Test func `only 4 or 16 bytes are an address`() {
    for count in 0...20 {
      let bytes = [UInt8](repeating: 1, count: count)
      #expect(
        bytes.withUnsafeBytes { IPAddress(networkBytes: $0) != nil } == (count == 4 || count == 16))
    }
  }

  @Test func `a number in the host's order is an IPv4 address`() {
    #expect(IPAddress(ipv4: 0x7f00_0001).description == "127.0.0.1")
    #expect(IPAddress(ipv4: 1).description == "0.0.0.1")
  }

  @Test func `an IPv4 address is not the IPv6 address of the same bits`() {
    #expect(IPAddress("0.0.0.1") != IPAddress("::1"))
  }

  @Test func `a socket address of either family is read`() {
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    four.sin_addr.s_addr = UInt32(0xc000_0201).bigEndian
    var six = sockaddr_in6()
    six.sin6_family = sa_family_t(AF_INET6)
    inet_pton(AF_INET6, "2001:db8::1", &six.sin6_addr)
    func read<Address>(_ address: inout Address) -> String? {
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { IPAddress(socketAddress: $0) }
      }?.description
    }
    #expect(read(&four) == "192.0.2.1")
    #expect(read(&six) == "2001:db8::1")
    four.sin_family = sa_family_t(AF_UNIX)
    #expect(read(&four) == nil)
  }

  @Test(arguments: [
    ("::ffff:198.51.100.1", "198.51.100.1"), ("::ffff:0:0", "0.0.0.0"),
    ("::ffff:ffff:ffff", "255.255.255.255"), ("::198.51.100.1", "::198.51.100.1"),
    ("::fffe:198.51.100.1", "::fffe:c633:6401"), ("1::ffff:0:1", "1::ffff:0:1"),
    ("192.0.2.1", "192.0.2.1"), ("::1", "::1"),
  ])
  func `an IPv4 address mapped into IPv6 is taken out`(text: String, expected: String) {
    #expect(IPAddress(text)?.unmapped.description == expected)
  }

  private func which(_ property: (IPAddress) -> Bool) -> [String] {
    [
      "0.0.0.0", "127.0.0.1", "127.255.255.255", "128.0.0.0", "169.253.255.255", "169.254.0.0",
      "169.254.255.255", "169.255.0.0", "223.255.255.255", "224.0.0.0", "239.255.255.255",
      "240.0.0.0", "255.255.255.255", "::", "::1", "::2", "1::1", "fe7f::1", "fe80::",
      "febf:ffff::1",
      "fec0::1", "feff::1", "ff00::", "ff02::1",
    ].filter { IPAddress($0).map(property) ?? false }
  }

  @Test func `the ranges end where their RFCs say`() {
    #expect(which(\.isUnspecified) == ["0.0.0.0", "::"])
    #expect(which(\.isLoopback) == ["127.0.0.1", "127.255.255.255", "::1"])
    #expect(
      which(\.isLinkLocal) == ["169.254.0.0", "169.254.255.255", "fe80::", "febf:ffff::1"])
    #expect(which(\.isMulticast) == ["224.0.0.0", "239.255.255.255", "ff00::", "ff02::1"])
  }

  @Test func `addresses are ordered by family, then by value`() {
    let texts = [
      "fe80::1", "9.0.0.0", "::", "255.255.255.255", "0.0.0.0", "10.0.0.0", "::ffff:0:0",
      "1::", "0:0:0:1::",
    ]
    #expect(
      texts.compactMap { IPAddress($0) }.sorted().map(\.description) == [
        "0.0.0.0", "9.0.0.0", "10.0.0.0", "255.255.255.255", "::", "::ffff:0.0.0.0", "0:0:0:1::",
        "1::", "fe80::1",
      ])
  }

  @Test func `a family has the kernel's number and size`() {
    #expect(IPAddress.Family.ipv4.number == 2)
    #expect(IPAddress.Family.ipv6.number == 10)
    #expect(IPAddress.Family(number: 7) == nil)
    #expect(IPAddress.Family.ipv4.bitCount == 32)
    #expect(IPAddress.Family.ipv6.bitCount == 128)
  }
}

import Posix
import Testing

@Suite struct HardwareAddresses {
  @Test(arguments: [
    "02:00:5e:10:00:01", "02:00:5E:10:00:01", "02-00-5e-10-00-01", "02-00-5E-10-00-01",
  ])
  func `six pairs of digits are read in either case`(text: String) {
    #expect(HardwareAddress(text)?.description == "02:00:5e:10:00:01")
    #expect(HardwareAddress(text) == HardwareAddress(bytes: [2, 0, 0x5e, 0x10, 0, 1]))
  }

  @Test(arguments: [
    "", "02", "02:00:5e:10:00", "02:00:5e:10:00:01:02", "2:0:5e:10:0:1", "02:00:5e:10:00:0g",
    "02:00:5e:10:00:+1", "02:00:5e:10:00:-1", "02:00:5e-10:00:01", "02005e100001",
    "02:00:5e:10:00:01 ", "02::5e:10:00:01", "002:00:5e:10:00:1", "00:00:00:00:00:00",
    "02:00:5e:10:00:٠١",
  ])
  func `anything else is none`(text: String) {
    #expect(HardwareAddress(text) == nil)
  }

  @Test(
    arguments: [[], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6, 7], [0, 0, 0, 0, 0, 0]] as [[UInt8]])
  func `six bytes make one, not all of them zero`(bytes: [UInt8]) {
    #expect(HardwareAddress(bytes: bytes) == nil)
  }
}

@Suite struct Subnets {
  @Test(arguments: [
    ("192.168.1.77", 24, "192.168.1.0/24"), ("192.168.1.77", 32, "192.168.1.77/32"),
    ("192.168.1.77", 31, "192.168.1.76/31"), ("192.168.1.77", 0, "0.0.0.0/0"),
    ("2001:db8:ffff:ffff:ffff::1", 64, "2001:db8:ffff:ffff::/64"),
    ("2001:db8:ffff:ffff:ffff::1", 48, "2001:db8:ffff::/48"),
    ("2001:db8::ffff:ffff", 97, "2001:db8::8000:0/97"),
    ("2001:db8::ffff:ffff", 128, "2001:db8::ffff:ffff/128"),
    ("2001:db8::1", 0, "::/0"),
  ])
  func `an address lies in the subnet of its first bits`(
    text: String, length: UInt8, expected: String
  ) throws {
    let address = try #require(IPAddress(text))
    let subnet = try #require(Subnet(around: address, prefixLength: length))
    #expect(subnet.description == expected)
    #expect(subnet.contains(address))
  }

  @Test func `addresses beyond it and of the other family are not in it`() throws {
    let subnet = try #require(Subnet(around: IPAddress(ipv4: 0xc0a8_0100), prefixLength: 24))
    #expect(subnet.contains(IPAddress(ipv4: 0xc0a8_01ff)))
    #expect(!subnet.contains(IPAddress(ipv4: 0xc0a8_0200)))
    let any = try #require(Subnet(around: IPAddress(ipv4: 0), prefixLength: 0))
    #expect(any.contains(IPAddress(ipv4: .max)))
    #expect(!any.contains(try #require(IPAddress("::"))))
  }

  @Test func `no prefix is longer than an address`() throws {
    #expect(Subnet(around: IPAddress(ipv4: 0), prefixLength: 33) == nil)
    #expect(Subnet(around: try #require(IPAddress("::")), prefixLength: 129) == nil)
  }
}

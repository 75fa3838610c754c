import Testing

@testable import Posix

@Suite struct AddressText {
  @Test(arguments: ["192.0.2.1", "2001:db8::1", "::", "fe80::1"])
  func `an address is written as it was read`(text: String) {
    #expect(IPAddress(text)?.description == text)
  }

  @Test(arguments: ["", "192.0.2", "fe80::1%eth0", "fe80::1\0", "192.0.2.1\0junk"])
  func `what is no address from end to end is refused`(text: String) {
    #expect(IPAddress(text) == nil)
  }
}

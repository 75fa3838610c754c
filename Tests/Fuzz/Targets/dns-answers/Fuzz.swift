internal import CAres
internal import Fuzzing
internal import Posix

@testable internal import Reachability

/// What a nameserver, or somebody in its place, sends; each message goes to the parsers of both
/// families.
@main enum DNSAnswers: Fuzzer {
  static func check(_ input: Input) {
    let message = input.bytes.bindMemory(to: UInt8.self)
    for family in [IPAddress.Family.ipv4, .ipv6] {
      for status in [ARES_SUCCESS, ARES_ENODATA] {
        let answer = DNSAnswer(
          status: status, message: message, family)
        if case .addresses(let addresses, let lifetime) = answer { check(addresses, lifetime) }
      }
    }
  }

  private static func check(_ addresses: [IPAddress], _ lifetime: Duration) {
    expect((1...DNSAnswer.mostAddresses).contains(addresses.count), "\(addresses.count) addresses")
    expect(addresses == Set(addresses).sorted(), "unsorted: \(addresses)")
    expect(lifetime >= .zero && lifetime <= .seconds(Int32.max), "holds for \(lifetime)")
  }
}

import TestSupport
import Testing

@testable import Posix
@testable import Reachability

/// Messages that a nameserver, or somebody in its place, may send: each is a failure or a right
/// answer, in the time that was given.
@Suite struct HostileNameservers {
  private func answer(_ messages: @escaping @Sendable (DNSQuery) -> [[UInt8]]) throws -> DNSAnswer {
    let server = try DNSServer { .messages(messages($0)) }
    let loop = try EventLoop()
    let answers = Record<DNSAnswer>()
    loop.post {
      #expect(throws: Never.self) {
        let channel = try DNSChannel(
          to: Nameserver("127.0.0.1", port: server.port), timeout: .milliseconds(120), on: loop)
        channel.ask("nas.example", for: .ipv4) { answer in
          withExtendedLifetime(channel) { answers.note(answer) }
          loop.stop()
        }
      }
    }
    let start = BootInstant.now
    loop.run()
    #expect(BootInstant.now - start < .seconds(5))
    return try #require(answers.all.first)
  }

  private let record = DNSRecord("192.0.2.1")

  @Test func `answers to other questions do not count`() throws {
    let record = record
    #expect(
      try answer { query in
        var otherID = query.answer(records: [record])
        otherID[0] ^= 0x55
        var otherName = query.answer(records: [record])
        otherName[13] ^= 1
        var otherType = query.answer(records: [record])
        otherType[12 + 1 + 3 + 1 + 7 + 1 + 1] = 28
        return [otherID, otherName, otherType]
      } == .failure(.silent))
    #expect(
      try answer { query in
        var otherID = query.answer(records: [DNSRecord("203.0.113.9")])
        otherID[1] ^= 0x55
        return [otherID, query.answer(records: [record])]
      } == .addresses(["192.0.2.1"], lifetime: .seconds(60)))
  }

  @Test func `what is cut short is no answer`() throws {
    let record = record
    let whole = try #require(
      DNSQuery.example("nas.example")
    ).answer(records: [record]).count
    for length in 0..<whole {
      let answer = try answer { [Array($0.answer(records: [record])[..<length])] }
      #expect(
        answer == .failure(.silent) || answer == .failure(.malformed), "\(length): \(answer)")
    }
  }

  @Test func `lying lengths and counts are no answer`() throws {
    let record = record
    // The record's length says more, and less, than an address takes.
    for length: UInt8 in [0, 3, 5, 16, 255] {
      let answer = try answer { query in
        var message = query.answer(records: [record])
        message[message.count - 5] = length
        return [message]
      }
      #expect(answer == .failure(.malformed) || answer == .noData, "\(length): \(answer)")
    }
    for count: UInt8 in [2, 255] {
      let answer = try answer { query in
        var message = query.answer(records: [record])
        message[6] = count
        message[7] = count
        return [message]
      }
      #expect(answer == .failure(.malformed), "\(count): \(answer)")
    }
  }

  @Test func `names that go round in circles come to an end`() throws {
    let start = 12 + 13 + 4
    for target in [start, start + 1, 0x3fff] {
      let answer = try answer { query in
        var message = query.answer(records: [DNSRecord("192.0.2.1")])
        message[start] = 0xc0 | UInt8(target >> 8)
        message[start + 1] = UInt8(target & 0xff)
        return [message]
      }
      #expect(answer == .failure(.malformed), "\(target): \(answer)")
    }
    // A chain of aliases, each of which leads to itself.
    let answer = try answer { query in
      [
        query.answer(
          records: (0..<30).map { _ in DNSRecord(type: 5, seconds: 9, data: [0xc0, 12]) })
      ]
    }
    #expect(answer == .noData || answer == .failure(.malformed), "\(answer)")
  }

  @Test func `names with NUL and control bytes are no answer`() throws {
    let answer = try answer { query in
      let alias: [UInt8] = [4, 0, 0x1b, 0x0a, 0xff, 0]
      return [
        query.answer(records: [
          DNSRecord(type: 5, seconds: 5, data: alias), DNSRecord("192.0.2.1", seconds: 60),
        ])
      ]
    }
    #expect(answer == .failure(.malformed))
  }

  @Test func `a thousand records in one datagram give the lowest 32`() throws {
    let answer = try answer { query in
      [query.answer(records: (0..<1000).map { DNSRecord(IPAddress(ipv4: 0x0a00_03e8 - $0)) })]
    }
    let lowest = (1...32).map { IPAddress(ipv4: 0x0a00_0000 + $0) }
    #expect(answer == .addresses(lowest, lifetime: .seconds(60)))
  }

  @Test func `an empty datagram, and noise, end nothing`() throws {
    var random = Seeded(7)
    let noise = (0..<50).map { _ in
      (0..<random.below(600)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
    let record = record
    #expect(
      try answer { [[]] + noise + [$0.answer(records: [record])] }
        == .addresses(["192.0.2.1"], lifetime: .seconds(60)))
  }

  @Test func `what one byte changes is a failure or an answer`() throws {
    let whole = try #require(DNSQuery.example("nas.example"))
      .answer(records: [record]).count
    let record = record
    for position in 2..<whole {
      _ = try answer { query in
        let message = query.answer(records: [record])
        return [1, 0x80, 0xff].map { (bits: UInt8) in
          var changed = message
          changed[position] ^= bits
          return changed
        } + [message]
      }
    }
  }
}

import TestSupport
import Testing

@testable import Posix
@testable import Reachability

@Suite struct NameAnswers {
  private let ipv4 = DNSAnswer.addresses(["192.0.2.1"], lifetime: .seconds(60))
  private let ipv6 = DNSAnswer.addresses(["2001:db8::1"], lifetime: .seconds(30))

  @Test func `addresses of either family stand, whatever became of the other`() {
    #expect(
      NameAnswer(ipv4: ipv4, ipv6: ipv6)
        == .addresses(["192.0.2.1", "2001:db8::1"], lifetime: .seconds(30)))
    for nothing in [DNSAnswer.noData, .noSuchName] {
      #expect(
        NameAnswer(ipv4: ipv4, ipv6: nothing) == .addresses(["192.0.2.1"], lifetime: .seconds(60)))
      #expect(
        NameAnswer(ipv4: nothing, ipv6: ipv6) == .addresses(["2001:db8::1"], lifetime: .seconds(30))
      )
    }
    #expect(
      NameAnswer(ipv4: ipv4, ipv6: .failure(.silent))
        == .addresses(["192.0.2.1"], lifetime: .seconds(60), unanswered: .ipv6))
    #expect(
      NameAnswer(ipv4: .failure(.silent), ipv6: ipv6)
        == .addresses(["2001:db8::1"], lifetime: .seconds(30), unanswered: .ipv4))
  }

  @Test func `that there is no address is known once neither family has failed`() {
    #expect(NameAnswer(ipv4: .noData, ipv6: .noData) == .absent)
    #expect(NameAnswer(ipv4: .noData, ipv6: .failure(.silent)) == .failure(.silent))
    #expect(NameAnswer(ipv4: .failure(.refused), ipv6: .noData) == .failure(.refused))
    #expect(NameAnswer(ipv4: .noSuchName, ipv6: .failure(.silent)) == .absent)
    #expect(NameAnswer(ipv4: .failure(.failed), ipv6: .noSuchName) == .absent)
  }

  @Test func `at most 32 addresses are taken, the lowest`() {
    let many = (0..<32).map { IPAddress(ipv4: 0x0a00_0000 + $0) }
    #expect(
      NameAnswer(ipv4: .addresses(many, lifetime: .seconds(9)), ipv6: ipv6)
        == .addresses(many, lifetime: .seconds(9)))
  }

  @Test func `the C library knows this machine`() {
    guard case .addresses(let addresses, _, nil) = NameAnswer(askingSystem: "localhost") else {
      Issue.record("no address")
      return
    }
    #expect(addresses.contains("127.0.0.1"))
    #expect(addresses == addresses.sorted())
    #expect(Set(addresses).count == addresses.count)
  }
}

@Suite struct DueQueues {
  private func at(_ second: Int64) -> BootInstant { BootInstant(nanoseconds: second) }

  @Test func `what is due first leaves first, whatever was changed before`() {
    var random = Seeded(3)
    var queue = DueQueue<Int>()
    var expected: [Int: Int64] = [:]
    for _ in 0..<5000 {
      let key = random.below(300)
      if random.below(3) == 0 {
        queue.remove(key)
        expected[key] = nil
      } else {
        let instant = Int64(random.below(1000))
        queue.set(key, at: at(instant))
        expected[key] = instant
      }
      #expect(queue.first?.instant.nanoseconds == expected.values.min())
    }
    var left: [Int64] = []
    while let (key, instant) = queue.first {
      #expect(expected[key] == instant.nanoseconds)
      left.append(instant.nanoseconds)
      queue.remove(key)
    }
    #expect(left == expected.values.sorted())
  }

  @Test func `what is due at one moment leaves as it came`() {
    var queue = DueQueue<String>()
    for key in ["c", "a", "b", "a"] { queue.set(key, at: at(1)) }
    var left: [String] = []
    while let key = queue.first?.key {
      left.append(key)
      queue.remove(key)
    }
    #expect(left == ["c", "b", "a"])
  }
}

@Suite struct TokenBuckets {
  private func at(_ seconds: Double) -> BootInstant {
    BootInstant(nanoseconds: Int64(seconds * 1e9))
  }

  @Test func `no more is had than comes, save what the bucket held`() {
    var bucket = TokenBucket(perSecond: 200, at: at(0))
    var taken = 0
    for millisecond in 0...10000 {
      while bucket.has(2, at: at(Double(millisecond) / 1000)) {
        bucket.take(2, at: at(Double(millisecond) / 1000))
        taken += 2
      }
    }
    #expect(taken == 10 * 200 + 20)
  }

  @Test func `what was taken ahead is waited for`() {
    var bucket = TokenBucket(perSecond: 200, at: at(0))
    bucket.take(220, at: at(0))
    #expect(!bucket.has(1, at: at(1)))
    #expect(bucket.instant(of: 2) == at(1.01))
    #expect(!bucket.has(2, at: at(1.009)))
    #expect(bucket.has(2, at: at(1.01)))
  }

  @Test func `a long quiet gives no more than a full bucket`() {
    var bucket = TokenBucket(perSecond: 200, at: at(0))
    bucket.take(20, at: at(0))
    #expect(bucket.has(20, at: at(1e6)))
    #expect(!bucket.has(21, at: at(1e6)))
  }
}

@Suite struct NameserverTurnsAndHealth {
  private let first = Nameserver("192.0.2.53")
  private let second = Nameserver("192.0.2.54")
  private func at(_ seconds: Double) -> BootInstant {
    BootInstant(nanoseconds: Int64(seconds * 1e9))
  }

  @Test func `each is asked in turn, and the silent ones once more`() {
    var turns = NameserverTurns(3)
    var asked: [Int] = []
    while let turn = turns.next() {
      asked.append(turn)
      if turn != 1 { turns.note(silent: turn) }
    }
    #expect(asked == [0, 1, 2, 0, 2])
  }

  @Test func `a silent server is asked after the others, until it answers or time has passed`() {
    var health = NameserverHealth()
    #expect(health.order([first, second], at: at(0)) == [first, second])
    health.note(.failure(.silent), of: first, at: at(0))
    #expect(health.order([first, second], at: at(59)) == [second, first])
    #expect(health.order([first, second], at: at(60)) == [first, second])
    health.note(.failure(.silent), of: first, at: at(60))
    health.note(.noSuchName, of: first, at: at(61))
    #expect(health.order([first, second], at: at(61)) == [first, second])
  }

  @Test func `where nobody answers one is tried at a time, ever more slowly`() {
    var health = NameserverHealth()
    var now = 0.0
    for wait in [1.0, 2, 4, 8, 8] {
      health.note(.failure(.silent), of: first, at: at(now + 4))
      let isOutage = health.noteFailure(since: at(now), at: at(now + 4))
      #expect(isOutage)
      let isStill = health.noteFailure(since: at(now + 1), at: at(now + 5))
      #expect(isStill)
      #expect(health.nextAttempt == at(now + 4 + wait))
      now += 4 + wait
    }
    health.note(.failure(.failed), of: first, at: at(now))
    #expect(health.nextAttempt == nil)
  }

  @Test func `an answer about another name in the meantime shows that somebody is there`() {
    var health = NameserverHealth()
    health.note(.failure(.silent), of: first, at: at(4))
    health.note(.noData, of: second, at: at(2))
    let isOutage = health.noteFailure(since: at(0), at: at(4))
    #expect(!isOutage)
    #expect(health.nextAttempt == nil)
    let isOutageLater = health.noteFailure(since: at(3), at: at(7))
    #expect(isOutageLater)
  }
}

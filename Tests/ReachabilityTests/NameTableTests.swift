import Posix
import Testing

@testable import Reachability

/// A table with one name, and a clock in seconds.
private final class Timeline {
  var table = NameTable()
  let name = "a.example"
  private var question: NameTable.Question?

  init(_ source: NameTable.Source = .nameservers) {
    _ = table.add(name)
    table.assign(name, to: source, at: at(0))
  }

  func at(_ seconds: Double) -> BootInstant { BootInstant(nanoseconds: Int64(seconds * 1e9)) }

  /// Asks at that second, if the name is due then; whether it was.
  func asks(at seconds: Double) -> Bool {
    let begun = table.begin(at: .nameservers, at: at(seconds))
    question = begun ?? question
    return begun != nil
  }

  /// Takes an answer at that second; whether it is news.
  func takes(_ answer: NameAnswer, at seconds: Double) -> Bool {
    guard let question else { return false }
    return table.take(answer, to: question, at: at(seconds))
  }

  /// When the name is due next, in seconds.
  var due: Double? {
    let next = table.next(of: .nameservers)
    return [next.new, next.known].compactMap(\.self).min()?.seconds
  }

  var addresses: [IPAddress] { table[name]?.addresses ?? [] }
}

private let ipv4: IPAddress = "192.0.2.1"
private let other: IPAddress = "192.0.2.2"
private let ipv6: IPAddress = "2001:db8::1"

private func found(_ addresses: IPAddress..., seconds: Int = 60) -> NameAnswer {
  .addresses(addresses, lifetime: .seconds(seconds))
}

@Suite struct NameTables {
  @Test func `a new name is due at once, and asked for once`() {
    let time = Timeline()
    #expect(time.due == 0)
    #expect(time.asks(at: 0))
    #expect(time.table[time.name]?.isAnswered == false)
    #expect(time.due == nil)
    #expect(!time.asks(at: 1))
    #expect(time.takes(found(ipv4), at: 1))
    #expect(time.table[time.name]?.isAnswered == true)
    #expect(time.addresses == [ipv4])
  }

  @Test func `an answer is believed for its lifetime, from 30 s to an hour`() {
    for (lifetime, due) in [(0, 31.0), (29, 31), (45, 46), (3600, 3601), (86400, 3601)] {
      let time = Timeline()
      #expect(time.asks(at: 0))
      #expect(time.takes(found(ipv4, seconds: lifetime), at: 1))
      #expect(time.due == due)
    }
  }

  @Test func `the same answer is no news, others are`() {
    let time = Timeline()
    #expect(time.asks(at: 0))
    #expect(time.takes(found(ipv4), at: 1))
    #expect(time.asks(at: 61))
    #expect(!time.takes(found(ipv4), at: 61))
    #expect(time.asks(at: 121))
    #expect(time.takes(found(ipv4, other), at: 121))
    #expect(time.asks(at: 181))
    #expect(time.takes(found(other), at: 181))
    #expect(time.addresses == [other])
  }

  @Test func `failures take no address away, and are tried again ever more slowly`() {
    let time = Timeline()
    #expect(time.asks(at: 0))
    #expect(time.takes(.failure(.failed), at: 0))
    #expect(!time.takes(found(ipv4), at: 0))
    var now = 0.0
    for wait in [2.0, 4, 8, 16, 32, 60, 60] {
      #expect(time.due == now + wait)
      now += wait
      #expect(time.asks(at: now))
      #expect(!time.takes(.failure(.silent), at: now))
    }
    #expect(time.asks(at: 1000))
    #expect(time.takes(found(ipv4), at: 1000))
    for failure in [DNSFailure.silent, .failed, .refused, .malformed, .unreachable] {
      #expect(time.asks(at: 2000))
      #expect(!time.takes(.failure(failure), at: 2000))
      #expect(time.addresses == [ipv4])
      time.table.expireAll(at: time.at(2000))
    }
    // After an answer the wait is short again.
    #expect(time.asks(at: 2001))
    #expect(!time.takes(found(ipv4), at: 2001))
    #expect(time.asks(at: 2061))
    #expect(!time.takes(.failure(.silent), at: 2061))
    #expect(time.due == 2063)
  }

  @Test func `addresses go once a second answer, 30 s later, says too that there are none`() {
    let time = Timeline()
    #expect(time.asks(at: 0))
    #expect(time.takes(found(ipv4), at: 0))
    #expect(time.asks(at: 60))
    #expect(!time.takes(.absent, at: 60))
    #expect(time.addresses == [ipv4])
    #expect(time.due == 90)
    // Asked for earlier, since the way has changed: that is no second opinion.
    time.table.expireAll(at: time.at(70))
    #expect(time.asks(at: 70))
    #expect(!time.takes(.absent, at: 70))
    #expect(time.addresses == [ipv4])
    #expect(time.due == 90)
    #expect(time.asks(at: 90))
    #expect(time.takes(.absent, at: 90))
    #expect(time.addresses == [])
    #expect(time.table[time.name]?.isAnswered == true)
  }

  @Test func `a failure in between is no agreement, an address ends the doubt`() {
    let time = Timeline()
    #expect(time.asks(at: 0))
    #expect(time.takes(found(ipv4), at: 0))
    #expect(time.asks(at: 60))
    #expect(!time.takes(.absent, at: 60))
    #expect(time.asks(at: 90))
    #expect(!time.takes(.failure(.silent), at: 90))
    #expect(time.addresses == [ipv4])
    #expect(time.asks(at: 92))
    #expect(!time.takes(found(ipv4), at: 92))
    #expect(time.asks(at: 152))
    #expect(!time.takes(.absent, at: 152))
    #expect(time.addresses == [ipv4])
  }

  @Test func `a name that is not there is asked for ever more slowly`() {
    let time = Timeline()
    #expect(time.asks(at: 0))
    #expect(time.takes(.absent, at: 0))
    var now = 0.0
    for wait in [30.0, 60, 120, 240, 300, 300] {
      #expect(time.due == now + wait)
      now += wait
      #expect(time.asks(at: now))
      #expect(!time.takes(.absent, at: now))
    }
  }

  @Test func `a family that was not answered for keeps its addresses, and is soon asked again`() {
    let time = Timeline()
    #expect(time.asks(at: 0))
    #expect(time.takes(found(ipv4, ipv6, seconds: 600), at: 0))
    #expect(time.asks(at: 600))
    #expect(
      time.takes(.addresses([other], lifetime: .seconds(600), unanswered: .ipv6), at: 600))
    #expect(time.addresses == [other, ipv6])
    #expect(time.due == 602)
    #expect(time.asks(at: 602))
    #expect(time.takes(found(other, seconds: 600), at: 602))
    #expect(time.addresses == [other])
    #expect(time.due == 1202)
  }

  @Test func `a change of the way makes all due, those being asked for once answered`() {
    let time = Timeline()
    #expect(time.asks(at: 0))
    time.table.expireAll(at: time.at(3))
    #expect(time.due == nil)
    #expect(time.takes(found(ipv4), at: 4))
    #expect(time.due == 4)
    #expect(time.asks(at: 4))
    #expect(!time.takes(found(ipv4), at: 5))
    #expect(time.due == 65)
    time.table.expireAll(at: time.at(6))
    #expect(time.due == 6)
  }

  @Test func `a question that is given up is due again, and its answer counts no more`() {
    var table = NameTable()
    _ = table.add("a.example")
    table.assign("a.example", to: .nameservers, at: BootInstant(nanoseconds: 0))
    let now = BootInstant(nanoseconds: 5)
    guard let question = table.begin(at: .nameservers, at: now) else {
      Issue.record("not due")
      return
    }
    table.release(question, at: now)
    let lateIsNews = table.take(found(ipv4), to: question, at: now)
    #expect(!lateIsNews)
    let again = table.begin(at: .nameservers, at: now)
    #expect(again?.isFirst == true)
    #expect(again != question)
  }

  @Test func `first questions go before repeated ones, and in the order in which they came`() {
    var table = NameTable()
    let now = BootInstant(nanoseconds: 0)
    _ = table.add("z.example")
    table.assign("z.example", to: .nameservers, at: now)
    if let question = table.begin(at: .nameservers, at: now) {
      _ = table.take(found(ipv4), to: question, at: now)
    }
    table.expireAll(at: now)
    for name in ["b.example", "a.example"] {
      _ = table.add(name)
      table.assign(name, to: .nameservers, at: now)
    }
    var asked: [String?] = []
    for mayRepeat in [false, false, false, true] {
      asked.append(table.begin(at: .nameservers, at: now, mayRepeat: mayRepeat)?.name)
    }
    #expect(asked == ["b.example", "a.example", nil, "z.example"])
  }

  @Test func `a name lives until its last user goes`() {
    var table = NameTable()
    let now = BootInstant(nanoseconds: 0)
    let isNew = table.add("a.example")
    let isNewAgain = table.add("a.example")
    #expect(isNew && !isNewAgain)
    table.assign("a.example", to: .nameservers, at: now)
    table.remove("a.example")
    #expect(table["a.example"] != nil)
    let question = table.begin(at: .nameservers, at: now)
    table.remove("a.example")
    #expect(table["a.example"] == nil)
    if let question {
      let isNews = table.take(found(ipv4), to: question, at: now)
      #expect(!isNews)
    }
    #expect(table["a.example"] == nil)
    table.remove("a.example")
    #expect(table.next(of: .nameservers).known == nil)
  }

  @Test func `the hosts file's word stands without a question, until it says nothing more`() {
    var table = NameTable()
    let now = BootInstant(nanoseconds: 0)
    _ = table.add("a.example")
    let isNews = table.assign("a.example", addresses: [ipv4])
    let isNewsAgain = table.assign("a.example", addresses: [ipv4])
    #expect(isNews && !isNewsAgain)
    table.expireAll(at: now)
    let none = table.begin(at: .nameservers, at: now)
    #expect(none == nil)
    table.assign("a.example", to: .nameservers, at: now)
    #expect(table["a.example"]?.addresses == [ipv4])
    let question = table.begin(at: .nameservers, at: now)
    #expect(question?.name == "a.example")
    // What is under way when the file says something is of no interest.
    _ = table.assign("a.example", addresses: [other])
    #expect(table["a.example"]?.addresses == [other])
  }

  @Test func `where nobody answers, what was not yet asked for counts as answered`() {
    var table = NameTable()
    let now = BootInstant(nanoseconds: 0)
    for name in ["a.example", "b.local"] { _ = table.add(name) }
    table.assign("a.example", to: .nameservers, at: now)
    table.assign("b.local", to: .system, at: now)
    let conceded = table.concede(.nameservers)
    let concededAgain = table.concede(.nameservers)
    #expect(conceded == ["a.example"] && concededAgain == [])
    #expect(table["a.example"]?.isAnswered == true)
    #expect(table["b.local"]?.isAnswered == false)
    let question = table.begin(at: .nameservers, at: now)
    #expect(question?.isFirst == true)
  }

  @Test func `ten thousand names cost little each`() {
    var table = NameTable()
    let clock = ContinuousClock()
    let time = clock.measure {
      for number in 0..<10000 {
        _ = table.add("n\(number).example")
        table.assign("n\(number).example", to: .nameservers, at: BootInstant(nanoseconds: 0))
      }
      for minute in 1...2 {
        let now = BootInstant(nanoseconds: Int64(minute) * 60_000_000_000)
        while let question = table.begin(at: .nameservers, at: now) {
          _ = table.take(found(ipv4, seconds: 30), to: question, at: now)
        }
      }
    }
    // 20,000 questions; if each looked at all names, that would be minutes even where nothing else runs.
    #expect(time < .seconds(40))
  }
}

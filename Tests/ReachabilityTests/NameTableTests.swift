import Posix
import Testing

@testable import Reachability

@Suite struct NameTables {
  private func at(_ seconds: Int64) -> BootInstant {
    BootInstant(nanoseconds: seconds * 1_000_000_000)
  }
  private let answer = NameAnswer.addresses([IPAddress(ipv4: 0xc000_0201)])
  private let failure = NameAnswer.failure(-3)

  @Test func `a new name is due at once, and asked for once`() {
    var table = NameTable()
    #expect(table.next == nil)
    table.add("b.example", at: at(5))
    table.add("a.example", at: at(5))
    #expect(table.next == at(5))
    #expect(table.beginDue(at: at(4)) == [])
    #expect(table.beginDue(at: at(5)) == ["a.example", "b.example"])
    #expect(table.beginDue(at: at(6)) == [])
    #expect(table.next == nil)
  }

  @Test func `an answer is believed for 300 s`() {
    var table = NameTable()
    table.add("a.example", at: at(0))
    _ = table.beginDue(at: at(0))
    #expect(table["a.example"]?.isAnswered == false)
    let isNews = table.take(answer, for: "a.example", at: at(2))
    #expect(isNews)
    #expect(table["a.example"]?.addresses == [IPAddress(ipv4: 0xc000_0201)])
    #expect(table["a.example"]?.isAnswered == true)
    #expect(table.next == at(302))
    #expect(table.beginDue(at: at(301)) == [])
    #expect(table.beginDue(at: at(302)) == ["a.example"])
    let isNewsAgain = table.take(answer, for: "a.example", at: at(303))
    #expect(!isNewsAgain)
  }

  @Test func `a failure is tried again after 10 s, and takes no address away`() {
    var table = NameTable()
    table.add("a.example", at: at(0))
    _ = table.beginDue(at: at(0))
    let firstFailure = table.take(failure, for: "a.example", at: at(1))
    #expect(firstFailure)
    #expect(table["a.example"]?.isAnswered == true)
    #expect(table["a.example"]?.addresses == [])
    #expect(table.next == at(11))
    _ = table.beginDue(at: at(11))
    let found = table.take(answer, for: "a.example", at: at(12))
    #expect(found)
    table.expireAll(at: at(20))
    _ = table.beginDue(at: at(20))
    let secondFailure = table.take(failure, for: "a.example", at: at(21))
    #expect(!secondFailure)
    #expect(table["a.example"]?.addresses == [IPAddress(ipv4: 0xc000_0201)])
  }

  @Test func `a change of the way makes all due, those being asked for once answered`() {
    var table = NameTable()
    table.add("asking.example", at: at(0))
    _ = table.beginDue(at: at(0))
    table.add("idle.example", at: at(1))
    _ = table.beginDue(at: at(1))
    _ = table.take(answer, for: "idle.example", at: at(2))
    table.expireAll(at: at(3))
    #expect(table.beginDue(at: at(3)) == ["idle.example"])
    _ = table.take(answer, for: "asking.example", at: at(4))
    #expect(table.next == at(4))
    #expect(table.beginDue(at: at(4)) == ["asking.example"])
    _ = table.take(answer, for: "asking.example", at: at(5))
    #expect(table.next == at(305))
  }

  @Test func `a name lives until its last user goes`() {
    var table = NameTable()
    table.add("a.example", at: at(0))
    table.add("a.example", at: at(1))
    table.remove("a.example")
    #expect(table["a.example"] != nil)
    #expect(table.next == at(0))
    _ = table.beginDue(at: at(1))
    table.remove("a.example")
    #expect(table["a.example"] == nil)
    let isNews = table.take(answer, for: "a.example", at: at(2))
    #expect(!isNews)
    #expect(table["a.example"] == nil)
    table.remove("a.example")
    #expect(table.next == nil)
  }
}

@Suite struct NameAnswers {
  @Test func `localhost is this machine`() {
    guard case .addresses(let addresses) = NameAnswer(asking: "localhost") else {
      Issue.record("no address")
      return
    }
    #expect(addresses.contains(IPAddress(ipv4: 0x7f00_0001)))
    #expect(addresses == addresses.sorted())
    #expect(Set(addresses).count == addresses.count)
  }
}

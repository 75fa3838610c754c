import Reachability
import Testing

@testable import Hooks

private func sighting(_ character: Character, at second: Int64) -> StableView.Sighting {
  StableView.Sighting(verdict: Verdict(character) ?? .unknown, since: second, sequence: second)
}

@Suite struct Backlogs {
  private let everything: HandlerSet = [.reachable, .unreachable, .change]

  @Test func `an idle hook is told at once, and its first event is initial`() {
    var backlog = Backlog(target: "nas", handlers: everything)
    backlog.add(sighting("u", at: 5))
    let event = backlog.next(at: 6)
    #expect(event?.target == "nas")
    #expect(event?.verdict.status == .unreachable)
    #expect(event?.was == .unknown)
    #expect(event?.isInitial == true)
    #expect(event?.cause == .restart)
    #expect(event?.since == 5)
    #expect(event?.at == 6)
    #expect(event?.lasted == nil)
  }

  @Test func `nothing is told while a handler runs, then only the newest`() {
    var backlog = Backlog(target: "nas", handlers: everything)
    backlog.add(sighting("u", at: 1))
    #expect(backlog.next(at: 1) != nil)
    backlog.add(sighting("w", at: 2))
    #expect(backlog.next(at: 2) == nil)
    backlog.add(sighting("u", at: 3))
    backlog.add(sighting("c", at: 4))
    backlog.runEnded()
    let event = backlog.next(at: 5)
    #expect(event?.verdict.via == .wwan)
    #expect(event?.was == .unreachable)
    #expect(event?.missed == 2)
    #expect(event?.isInitial == false)
    #expect(event?.lasted == 3)
  }

  @Test func `what waits while the machine resumes is not told if it is worse`() {
    var backlog = Backlog(target: "nas", handlers: everything)
    backlog.add(sighting("w", at: 1))
    #expect(backlog.next(at: 1) != nil)
    backlog.add(sighting("u", at: 2))
    backlog.runEnded()
    #expect(backlog.next(at: 3, resuming: true) == nil)
    let event = backlog.next(at: 5)
    #expect(event?.verdict.status == .unreachable)
    #expect(event?.cause == .resume)
    backlog.runEnded()
    backlog.add(sighting("w", at: 6))
    #expect(backlog.next(at: 6, resuming: true)?.verdict.via == .wifi)
  }

  @Test(arguments: [(10_001, 10_000), (10_000, nil)])
  func `alternating while a handler runs ends in one event or none`(count: Int, missed: Int?) {
    var backlog = Backlog(target: "nas", handlers: everything)
    backlog.add(sighting("u", at: 0))
    #expect(backlog.next(at: 0) != nil)
    for number in 1...count {
      backlog.add(sighting(number % 2 == 1 ? "w" : "u", at: Int64(number)))
      #expect(backlog.next(at: Int64(number)) == nil)
    }
    backlog.runEnded()
    #expect(backlog.next(at: 99_999)?.missed == missed)
  }

  @Test func `what no handler matches counts as seen`() {
    var backlog = Backlog(target: "nas", handlers: [.unreachable])
    backlog.add(sighting("w", at: 1))
    #expect(backlog.next(at: 1) == nil)
    backlog.add(sighting("u", at: 2))
    let event = backlog.next(at: 2)
    #expect(event?.was == .reachable)
    #expect(event?.wasVia == .wifi)
    #expect(event?.lasted == 1)
  }

  @Test func `a change within one status keeps its beginning`() {
    var backlog = Backlog(target: "nas", handlers: everything)
    backlog.add(sighting("w", at: 1))
    _ = backlog.next(at: 1)
    backlog.runEnded()
    backlog.add(sighting("c", at: 8))
    let event = backlog.next(at: 8)
    #expect(event?.since == 1)
    #expect(event?.lasted == nil)
    #expect(event?.changed == [.via])
  }

  @Test func `a run that was broken off is told again`() {
    var backlog = Backlog(target: "nas", handlers: everything)
    backlog.add(sighting("w", at: 1))
    _ = backlog.next(at: 1)
    backlog.runEnded()
    backlog.add(sighting("u", at: 2))
    #expect(backlog.next(at: 2)?.verdict.status == .unreachable)
    backlog.runBroken()
    let event = backlog.next(at: 3)
    #expect(event?.verdict.status == .unreachable)
    #expect(event?.was == .reachable)
  }
}

@Suite struct Handlers {
  @Test(arguments: [
    ("?", "u", ["unreachable", "change"]),
    ("u", "w", ["reachable", "wifi", "change"]),
    ("w", "c", ["wwan", "change"]),
    ("c", "u", ["unreachable", "change"]),
    ("w", "w", ["reachable", "wifi"]),
  ])
  func `an event calls what becomes true, in order`(
    from: Character, to: Character, expected: [String]
  ) {
    let before = Verdict(from) ?? .unknown
    let after = Verdict(to) ?? .unknown
    let event = Event(
      target: "t", verdict: after, was: before.status, wasVia: before.via,
      changed: after.changes(from: before), cause: .local, since: 0, lasted: nil, at: 0,
      sequence: 1)
    #expect(HandlerSet(matching: event).names == expected)
  }
}

import Posix
import Reachability
import Testing

@testable import Hooks

/// What is called in which second, one character each: the letter of what is told, in upper case
/// where its cause is a resume; `+` where it is told again; `!` where a run is cancelled.
///
/// In the input a letter is what stands from then on, `-` no news, `[` and `]` the begin and the end
/// of a hold, `F` the begin of a run that tells the hook nothing, `L` a reload, `R` a resume, which keeps back what gets worse for 2 s.
private func told(
  _ input: String, run: Int = 0, end: Int = 0, _ change: (inout HearingRules) -> Void = { _ in }
) -> String {
  let entries = timeline(input, run: run, end: end, change).entries
  var output = input.map { _ in Character("-") }
  for entry in entries {
    guard let event = entry.event else {
      output[entry.second] = "!"
      continue
    }
    let letter = String(event.verdict.character)
    output[entry.second] =
      event.again > 0 ? "+" : Character(event.cause == .resume ? letter.uppercased() : letter)
  }
  return String(output)
}

private func timeline(
  _ input: String, run: Int = 0, end: Int = 0, _ change: (inout HearingRules) -> Void = { _ in }
) -> HearingTimeline {
  var rules = HearingRules(
    target: "nas", handlers: [.reachable, .unreachable, .portal, .change])
  change(&rules)
  var timeline = HearingTimeline(rules)
  timeline.runLength = run
  timeline.endLength = end
  for character in input {
    switch character {
    case "[": timeline.hold(true)
    case "]": timeline.hold(false)
    case "F": timeline.fire()
    case "L": timeline.reload()
    case "R": timeline.resume(until: timeline.second + 2)
    default: timeline.note(character)
    }
    timeline.pass()
  }
  return timeline
}

private func events(
  _ input: String, run: Int = 0, _ change: (inout HearingRules) -> Void = { _ in }
) -> [Event] {
  timeline(input, run: run, change).entries.compactMap(\.event)
}

private func only(_ status: Status, _ seconds: Int) -> StatusTable<Duration> {
  var table = StatusTable<Duration>()
  table[status] = .seconds(seconds)
  return table
}

@Suite struct Stability {
  private func slow(_ rules: inout HearingRules) { rules.stable = only(.reachable, 3) }

  @Test func `without a duration everything is told at once`() {
    #expect(told("uwu-c") == "uwu-c")
  }

  @Test func `what does not hold is not told`() {
    #expect(told("uw-uw----", slow) == "u------w-")
  }

  @Test func `an excursion from what was told does not exist`() {
    #expect(told("w----uw----", slow) == "---w-u---w-")
    #expect(told("w---u-w------") { $0.stable = StatusTable(.seconds(3)) } == "---w---------")
  }

  @Test func `a change of medium must hold as well`() {
    #expect(told("w----c-w-----c----", slow) == "---w------------c-")
  }

  @Test func `the same verdict again does not start the time anew`() {
    #expect(told("u-w-w-----", slow) == "u----w----")
  }

  @Test func `unknown is never told`() {
    #expect(told("?-u-?-u") == "--u----")
  }

  @Test func `the status began when it became so, not when it was told or its medium changed`() {
    let last = events("u-w--c-----", slow).last
    #expect(last?.since == 2)
    #expect(last?.at == 8)
    #expect(last?.lasted == 2)
  }

  @Test func `after a resume nothing worse than what was told is told for a while`() {
    // The loss came before the suspend, whose end would have let it go.
    let slow: (inout HearingRules) -> Void = { $0.stable = StatusTable(.seconds(3)) }
    #expect(told("w-----u--R---", slow) == "---w-------U-")
    #expect(told("w-----u--R-w-", slow) == "---w---------")
    #expect(told("w-----uR-----", slow) == "---w-----u---")
    #expect(told("w--Ru----") == "w----U---")
    // What is better or as good is not kept back.
    #expect(told("u--Rw----") == "u---w----")
    #expect(told("w--Rc----") == "w---c----")
  }

  @Test func `what waits for a run is kept back on resume as well`() {
    #expect(told("w-uR-----", run: 4) == "w----U---")
    #expect(told("w-u-R----", run: 5) == "w-----U--")
  }
}

@Suite struct Holding {
  @Test func `a held hook hears nothing, then the newest truth if it differs`() {
    #expect(told("w-[uc--]--") == "w------c--")
    #expect(told("w-[u--w]--") == "w---------")
    #expect(told("[u--]----") == "----u----")
  }

  @Test func `when a hold ends what stands must hold anew`() {
    #expect(told("w-[u---]----") { $0.stable = StatusTable(.seconds(2)) } == "---------u--")
  }

  @Test func `a hold that begins lets a run finish and drops what waits`() {
    #expect(told("w-u-[--]---", run: 5) == "w------u---")
    #expect(told("w-u-[w-]---", run: 5) == "w----------")
    #expect(told("w-u-[w-]u--", run: 5).hasSuffix("u--"))
  }

  @Test func `one hold that ends while another goes on frees nothing`() {
    var timeline = HearingTimeline(HearingRules(target: "nas", handlers: [.unreachable]))
    timeline.hold(true, .given)
    timeline.hold(true, .quiet)
    timeline.note("u")
    timeline.pass()
    timeline.hold(false, .given)
    timeline.pass()
    #expect(timeline.entries.isEmpty)
    timeline.hold(false, .quiet)
    timeline.pass()
    #expect(timeline.entries.map(\.second) == [2])
  }

  @Test func `no call during a loss of the line, and one after it if the VPN stays away`() {
    let stable: (inout HearingRules) -> Void = {
      $0.handlers = [.unreachable]
      $0.stable = StatusTable(.seconds(2))
    }
    #expect(told("w-u[----]----", stable) == "----------u--")
    #expect(told("w-u[----]w---", stable) == "-------------")
  }

  @Test func `apart keeps one status back, and the others are told`() {
    let apart: (inout HearingRules) -> Void = { $0.apart = only(.unreachable, 6) }
    #expect(told("u-w-u-----", apart) == "u-w---u---")
    #expect(told("u-w-uw----", apart) == "u-w-------")
    #expect(told("u-w-u---w-u---", apart) == "u-w---u-w---u-")
  }

  @Test func `after apart what stands must hold anew`() {
    let both: (inout HearingRules) -> Void = {
      $0.apart = only(.unreachable, 6)
      $0.stable = only(.unreachable, 2)
    }
    #expect(told("u---w-u------", both) == "--u-w-----u--")
  }

  @Test func `90 minutes of flapping are two calls a status, and the last one is true`() {
    for final in ["u", "w"] {
      let input = String(repeating: "uw", count: 45) + final + String(repeating: "-", count: 60)
      let entries = timeline(input) { $0.apart = StatusTable(.seconds(60)) }.entries
      for status in [Status.reachable, .unreachable] {
        #expect(
          entries.filter { $0.second <= 90 && $0.event?.verdict.status == status }.count <= 2)
      }
      #expect(entries.last?.event?.verdict.character == Character(final))
    }
  }

  @Test func `with apart one status waits in a queue once`() {
    let rules: (inout HearingRules) -> Void = {
      $0.apart = only(.unreachable, 20)
      $0.mode = .queue
    }
    let calls = events("wuwuw-------------------------", run: 5, rules)
    #expect(calls.map { String($0.verdict.character) }.joined() == "wuw")
    #expect(calls.map(\.missed) == [0, 0, 1])
  }
}

@Suite struct Repeating {
  private func again(_ rules: inout HearingRules) { rules.again = only(.unreachable, 3) }

  @Test func `while the status holds its handlers are called again after the last run`() {
    #expect(told("w-u--------w---", again) == "w-u--+--+--w---")
    #expect(told("u------------", run: 2, again) == "u----+----+--")
  }

  @Test func `a repeat is no change, and is counted`() {
    let timeline = timeline("u-------", again)
    #expect(timeline.entries.map { $0.event?.again } == [0, 1, 2])
    #expect(timeline.entries.map { $0.event?.was } == [.unknown, .unreachable, .unreachable])
    #expect(timeline.entries.map { $0.event?.changed } == [.status, [], []])
    #expect(
      timeline.entries.map(\.handlers) == [[.unreachable, .change], .unreachable, .unreachable])
    #expect(timeline.entries.last?.event?.since == 0)
    #expect(timeline.entries.last?.event?.lasted == nil)
  }

  @Test func `the count begins anew with the status`() {
    #expect(events("u----w-u-----", again).map(\.again) == [0, 1, 0, 0, 1])
  }

  @Test func `nothing is told again that does not stand at that moment`() {
    #expect(
      told(
        "u-w-u--",
        {
          $0.again = only(.unreachable, 3); $0.stable = only(.reachable, 5)
        })
        == "u---+--")
    #expect(told("u-?-u--", again) == "u---+--")
  }

  @Test func `again counts only while nothing holds the hook, and anew after it`() {
    #expect(told("u-[----]------", again) == "u---------+--+")
  }

  @Test func `after a resume nothing is told again before what was lost is known`() {
    let rules = { (rules: inout HearingRules) in rules.again = only(.reachable, 3) }
    #expect(told("w--R-------", rules) == "w----+--+--")
    #expect(told("w--Ru------", rules) == "w----U-----")
  }

  @Test func `again waits for apart`() {
    #expect(
      told(
        "u-----------",
        {
          $0.again = only(.unreachable, 2); $0.apart = StatusTable(.seconds(5))
        })
        == "u----+----+-")
  }

  @Test func `the clock and the count of again outlive a reload`() {
    #expect(told("u---L--------", again) == "u--+--+--+--+")
    #expect(events("u---L--------", again).map(\.again) == [0, 1, 2, 3, 4])
  }

  @Test func `what no handler matches is not called again`() {
    #expect(
      told(
        "u--------",
        {
          $0.again = only(.unreachable, 2); $0.handlers = .change
        })
        == "u--------")
  }
}

@Suite struct FirstVerdicts {
  @Test func `the first event has the cause of the load, and alone is initial`() {
    let calls = events("u--w-[Lu]-c-") { $0.stable = StatusTable(.seconds(1)) }
    #expect(calls.map(\.isInitial) == [true, false, true, false])
    #expect(calls.map(\.cause) == [.restart, .local, .reload, .local])
    #expect(calls.map(\.was) == [.unknown, .unreachable, .reachable, .unreachable])
  }

  @Test func `changed tells what differs from what was told, also after a hold`() {
    #expect(told("u--L---") == "u------")
    #expect(told("u-L[w---]---") == "u-------w---")
    let first = events("u-[L-w-]---").last
    #expect(first?.isInitial == true)
    #expect(first?.cause == .reload)
  }

  @Test func `true tells it always, to the handlers of what is true`() {
    let timeline = timeline("w--L--") { $0.initial = .always }
    #expect(timeline.entries.map(\.second) == [0, 3])
    #expect(
      timeline.entries.map(\.handlers) == [[.reachable, .wifi, .change], [.reachable, .wifi]])
    #expect(timeline.entries.last?.event?.was == .reachable)
    #expect(timeline.entries.last?.event?.wasVia == .wifi)
    // Also where only the medium is another.
    let other = HearingTests.reloaded("w", with: "c") { $0.initial = .always }
    #expect(other?.handlers == [.reachable, .wwan, .change])
  }

  @Test func `false counts it as told`() {
    #expect(told("u--w--[Lu-]w", { $0.initial = .never }) == "---w-------w")
    #expect(events("u--w") { $0.initial = .never }.map(\.was) == [.unreachable])
  }

  @Test func `a restart that finds the status last told keeps its beginning`() {
    #expect(events("u-----L-----w").last?.lasted == 12)
  }
}

enum HearingTests {
  /// What is called after a reload, during which something else came to stand.
  static func reloaded(
    _ before: Character, with after: Character, _ change: (inout HearingRules) -> Void
  ) -> HearingTimeline.Entry? {
    var rules = HearingRules(
      target: "nas", handlers: [.reachable, .unreachable, .portal, .change])
    change(&rules)
    var timeline = HearingTimeline(rules)
    timeline.note(before)
    timeline.pass()
    timeline.hold(true)
    timeline.note(after)
    timeline.pass()
    timeline.reload()
    timeline.hold(false)
    timeline.pass()
    return timeline.entries.count > 1 ? timeline.entries.last : nil
  }
}

@Suite struct RunsAndEvents {
  @Test func `the handler finishes, then hears only the newest`() {
    let calls = events("u-wuc-----", run: 6)
    #expect(calls.map { String($0.verdict.character) }.joined() == "uc")
    #expect(calls.last?.missed == 2)
    #expect(calls.last?.was == .unreachable)
    // When it was let go, not when it was handed over.
    #expect(calls.last?.at == 4)
    #expect(calls.last?.lasted == 4)
  }

  @Test(arguments: [(10_001, 10_000), (10_000, nil)])
  func `alternating while a handler runs ends in one event or none`(count: Int, missed: Int?) {
    var timeline = HearingTimeline(HearingRules(target: "nas", handlers: .change))
    timeline.runLength = -1
    timeline.note("u")
    timeline.pass()
    for number in 1...count {
      timeline.note(number % 2 == 1 ? "w" : "u")
      timeline.pass()
    }
    timeline.endRun()
    timeline.pass()
    #expect(timeline.entries.dropFirst().map { $0.event?.missed } == (missed.map { [$0] } ?? []))
  }

  @Test func `what was skipped without a call is counted in the next event`() {
    #expect(events("u-wu--w---", run: 3).map(\.missed) == [0, 2])
  }

  @Test func `what no handler matches counts as heard`() {
    let calls = events("-w-u") { $0.handlers = .unreachable }
    #expect(calls.map(\.was) == [.reachable])
    #expect(calls.map(\.wasVia) == [.wifi])
    #expect(calls.map(\.lasted) == [2])
  }

  @Test func `a change within one status keeps its beginning`() {
    let last = events("w----c--").last
    #expect(last?.since == 0)
    #expect(last?.lasted == nil)
    #expect(last?.changed == .via)
  }

  @Test func `a queue tells each event with the snapshot of its own moment`() {
    let calls = events("uwcp----------------", run: 3) { $0.mode = .queue }
    #expect(calls.map { String($0.verdict.character) }.joined() == "uwcp")
    #expect(calls.map(\.at) == [0, 1, 2, 3])
    #expect(calls.map(\.sequence) == [0, 1, 2, 3])
    #expect(calls.map(\.was) == [.unknown, .unreachable, .reachable, .reachable])
  }

  @Test func `four flips of a queue come in order, and the last is true`() {
    let calls = events("wuwu---------", run: 3) { $0.mode = .queue }
    #expect(calls.map { String($0.verdict.character) }.joined() == "wuwu")
  }

  @Test(arguments: [(32, 0), (33, 1), (35, 3)])
  func `a 33rd in the queue drops the oldest, which is missed`(count: Int, missed: Int) {
    var rules = HearingRules(target: "nas", handlers: .change)
    rules.mode = .queue
    var timeline = HearingTimeline(rules)
    timeline.runLength = -1
    timeline.note("u")
    timeline.pass()
    for number in 0..<count {
      timeline.note(number % 2 == 0 ? "w" : "c")
      timeline.pass()
    }
    timeline.runLength = 0
    timeline.endRun()
    timeline.pass()
    let told = timeline.entries.dropFirst().compactMap(\.event)
    #expect(told.count == min(count, 32))
    #expect(told.first?.missed == missed)
    #expect(told.first?.was == .unreachable)
    #expect(told.dropFirst().allSatisfy { $0.missed == 0 })
    #expect(told.map(\.sequence) == (1...count).suffix(32).map(Int64.init))
  }

  @Test func `restart cancels the run, and begins the new one once nothing of it is left`() {
    let rules: (inout HearingRules) -> Void = { $0.mode = .restart }
    #expect(told("w-u------", run: 20, end: 3, rules) == "w-!--u---")
    let calls = events("w-u------", run: 20, rules)
    #expect(calls.last?.was == .reachable)
    #expect(calls.last?.missed == 0)
  }

  @Test func `what comes while a run is being cancelled replaces what waits`() {
    let rules: (inout HearingRules) -> Void = { $0.mode = .restart }
    #expect(told("w-up-----", run: 20, end: 3, rules) == "w-!--p---")
    // The cancelled run counts as told.
    #expect(told("w-uw-----", run: 20, end: 3, rules) == "w-!------")
  }

  @Test func `a hold that begins cancels no run`() {
    #expect(told("w-[u----", run: 20, { $0.mode = .restart }) == "w-------")
  }

  @Test func `a run that was broken off is told again after the load`() {
    let calls = events("u-w-L----", run: 3)
    #expect(calls.map { String($0.verdict.character) }.joined() == "uww")
    #expect(calls.map(\.isRetried) == [false, false, true])
    #expect(calls.map(\.was) == [.unknown, .unreachable, .unreachable])
    #expect(calls.map(\.lasted) == [nil, 2, 2])
  }

  @Test func `what is owed is told whatever initial says, and without regard to apart`() {
    #expect(told("u---w--L---", run: 5, { $0.initial = .never }) == "----w--w---")
    #expect(told("w--L----", run: 5, { $0.apart = StatusTable(.seconds(60)) }) == "w--w----")
  }

  @Test func `what is owed is compared with the broken run if the status is another now`() {
    let entry = HearingTests.broken("u", "w", then: "p")
    #expect(entry?.event?.was == .reachable)
    #expect(entry?.event?.isRetried == true)
    #expect(HearingTests.broken("u", "w", then: "u")?.event?.was == .reachable)
    // Within the status of the broken run its own event is told again.
    #expect(HearingTests.broken("u", "w", then: "c")?.event?.was == .unreachable)
    #expect(HearingTests.broken("c", "w", then: "c")?.event?.wasVia == .wifi)
    #expect(HearingTests.broken("c", "w", then: "w")?.event?.wasVia == .wwan)
    // It goes to the same handlers, and to all of what is true where only the medium is another.
    #expect(HearingTests.broken("c", "w", then: "w")?.handlers == [.wifi, .change])
    #expect(HearingTests.broken("c", "w", then: "e")?.handlers == [.reachable, .wired, .change])
  }
}

extension HearingTests {
  /// What is called after a load, where the run that told `second` was broken off and something
  /// else came to stand.
  static func broken(
    _ first: Character, _ second: Character, then third: Character
  ) -> HearingTimeline.Entry? {
    var timeline = HearingTimeline(HearingRules(target: "nas", handlers: .change))
    timeline.note(first)
    timeline.pass()
    timeline.runLength = -1
    timeline.note(second)
    timeline.pass()
    timeline.note(third)
    timeline.reload()
    timeline.pass()
    return timeline.entries.last
  }
}

@Suite struct FieldCases {
  @Test func `a move from cable to WiFi is one call, with both media`() {
    let timeline = timeline("e--w--") { $0.handlers = [.reachable, .wifi, .change] }
    #expect(timeline.entries.map(\.second) == [0, 3])
    #expect(timeline.entries.last?.handlers == [.wifi, .change])
    #expect(timeline.entries.last?.event?.verdict.via == .wifi)
    #expect(timeline.entries.last?.event?.wasVia == .wired)
  }

  @Test func `interfaces that come up one after the other are one call`() {
    #expect(told("uewxe-------", { $0.stable = StatusTable(.seconds(5)) }) == "---------e--")
  }

  @Test func `what was paused on mobile data is resumed once, also by a version loaded since`() {
    #expect(told("c-L-L-w-L---") == "c-----w-----")
  }
}

@Suite struct Handlers {
  @Test(arguments: [
    ("?", "u", ["unreachable", "change"]),
    ("u", "w", ["reachable", "wifi", "change"]),
    ("w", "c", ["wwan", "change"]),
    ("w", "x", ["change"]),
    ("p", "w", ["reachable", "wifi", "change"]),
    ("w", "p", ["portal", "change"]),
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

  @Test func `a run that tells the hook nothing is waited for, and leaves no trace`() {
    #expect(told("u--Fw---", run: 2) == "u----w--")
    #expect(told("u---Fwu---", run: 3) == "u---------")
    #expect(told("u--Fw---", run: 2) { $0.mode = .restart } == "u---w---")
    // Neither the clock of `again` nor that of `apart` begins anew.
    #expect(told("u---F-----", run: 2) { $0.again = only(.unreachable, 5) } == "u------+--")
    #expect(told("u-----F---", run: 2) { $0.again = only(.unreachable, 5) } == "u-------+-")
    #expect(
      told("u-w-Fu----", run: 1) { $0.apart = only(.unreachable, 6) } == "u-w---u---")
    // Where a reload breaks it off, nothing is owed.
    #expect(events("u----FL--", run: 3).count == 1)
  }
}

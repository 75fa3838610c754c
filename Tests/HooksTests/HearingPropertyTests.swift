import Posix
import Reachability
import TestSupport
import Testing

@testable import Hooks

/// Something that happens in one second of a random timeline.
private struct Moment {
  var verdict: Character?
  var isHeld: Bool
  var isResuming = false
  var isReloaded = false
  /// Whether a run that ends now has failed.
  var isFailing = false
  /// How long a run that begins now takes, and how long one that is cancelled now.
  var runLength: Int
  var endLength: Int
}

@Suite struct HearingProperties {
  private func rules(_ random: inout Seeded) -> HearingRules {
    let sets: [HandlerSet] = [
      [.reachable, .unreachable, .portal, .change], .change, [.reachable, .unreachable],
      [.wifi, .unreachable], .unreachable,
    ]
    var rules = HearingRules(target: "t", handlers: sets[random.below(sets.count)])
    rules.mode = HearingRules.Mode.allCases[random.below(3)]
    rules.initial = [.changed, .always, .never][random.below(3)]
    if random.below(2) == 0 { rules.stable = table(&random, 0...4) }
    if random.below(2) == 0 { rules.apart = table(&random, 0...12) }
    if random.below(2) == 0 { rules.again = table(&random, 1...6) }
    rules.slowdown = Slowdown(
      failures: 1 + random.below(4), interval: .seconds(random.below(13)))
    return rules
  }

  private func table(_ random: inout Seeded, _ range: ClosedRange<Int>) -> StatusTable<Duration> {
    var table = StatusTable<Duration>()
    for status in StatusTable<Duration>.statuses where random.below(3) > 0 {
      table[status] = .seconds(Int.random(in: range, using: &random))
    }
    return table
  }

  private func moments(_ random: inout Seeded, count: Int) -> [Moment] {
    let calm = 1 + random.below(6)
    let holds = random.below(3) == 0 ? 0 : 12
    let isLong = random.below(3) == 0
    let failing = random.below(3)
    var isHeld = holds > 0 && random.below(2) == 0
    return (0..<count).map { _ in
      if holds > 0, random.below(holds) == 0 { isHeld.toggle() }
      return Moment(
        verdict: random.below(calm) == 0 ? Array("uuwwcxp?")[random.below(8)] : nil,
        isHeld: isHeld, isResuming: random.below(25) == 0, isReloaded: random.below(30) == 0,
        isFailing: random.below(3) < failing,
        runLength: isLong ? random.below(60) : random.below(4), endLength: random.below(4))
    }
  }

  /// What the model tells, and what is known beside it of how the runs went.
  private func model(_ rules: HearingRules, _ moments: [Moment]) -> [HearingModel.Entry] {
    var model = HearingModel(rules)
    var runEnds: Int?
    var isReplaced = false
    for (second, moment) in moments.enumerated() {
      model.begin(moment.verdict, isHeld: moment.isHeld, isResuming: moment.isResuming)
      if moment.isReloaded {
        if model.isRunning { model.endRun(.broken) }
        isReplaced = false
        runEnds = nil
        model.reload()
      }
      if let end = runEnds, end <= second {
        model.endRun(isReplaced ? .replaced : moment.isFailing ? .failed : .succeeded)
        isReplaced = false
        runEnds = nil
      }
      while model.act() {
        let isCancel = model.entries.last?.verdict == nil
        isReplaced = isCancel
        let length = isCancel ? moment.endLength : moment.runLength
        runEnds = second + length
        guard length == 0 else { continue }
        model.endRun(isReplaced ? .replaced : moment.isFailing ? .failed : .succeeded)
        isReplaced = false
        runEnds = nil
      }
    }
    return model.entries
  }

  private func hearing(_ rules: HearingRules, _ moments: [Moment]) -> HearingTimeline {
    var timeline = HearingTimeline(rules)
    var isHeld = false
    for moment in moments {
      if let verdict = moment.verdict { timeline.note(verdict) }
      if moment.isHeld != isHeld { timeline.hold(moment.isHeld) }
      isHeld = moment.isHeld
      if moment.isResuming { timeline.resume(until: timeline.second + 2) }
      if moment.isReloaded { timeline.reload() }
      timeline.runLength = moment.runLength
      timeline.endLength = moment.endLength
      timeline.ending = moment.isFailing ? .failed : .succeeded
      timeline.pass()
    }
    return timeline
  }

  @Test(arguments: 0..<40)
  func `a hearing tells what a look at every second finds`(seed: Int) {
    var random = Seeded(UInt64(seed))
    for number in 0..<150 {
      let rules = rules(&random)
      let moments = moments(&random, count: 80)
      let expected = model(rules, moments)
      let found = hearing(rules, moments).entries.map(HearingModel.Entry.init)
      guard found != expected else { continue }
      let index = zip(found, expected).enumerated().first { $1.0 != $1.1 }?.offset
      let at = index ?? min(found.count, expected.count)
      Issue.record(
        """
        timeline \(number) of seed \(seed) differs in entry \(at): \(rules)
        \(described(moments))
        found    \(found.dropFirst(at).first.map { "\($0)" } ?? "nothing")
        expected \(expected.dropFirst(at).first.map { "\($0)" } ?? "nothing")
        """)
      return
    }
  }

  private func described(_ moments: [Moment]) -> String {
    moments.map { moment in
      var text = moment.verdict.map { String($0) } ?? "-"
      if moment.isHeld { text += "[" }
      if moment.isResuming { text += "R" }
      if moment.isReloaded { text += "L" }
      if moment.isFailing { text += "F" }
      return text + "\(moment.runLength)/\(moment.endLength)"
    }.joined(separator: " ")
  }

  @Test(arguments: 0..<10)
  func `whatever happens, holds hold, apart is apart, and the last call is true`(seed: Int) {
    var random = Seeded(UInt64(1000 + seed))
    for _ in 0..<100 {
      var rules = rules(&random)
      rules.handlers = [.reachable, .unreachable, .portal, .change]
      rules.initial = .changed
      let busy = moments(&random, count: 60)
      let calm = Moment(isHeld: false, runLength: 0, endLength: 0)
      let moments = busy + Array(repeating: calm, count: 100)
      let entries = hearing(rules, moments).entries.filter { $0.event != nil }
      let stands = moments.compactMap(\.verdict).last
      // All rules together keep something back for at most 12 + 12 + 4 + 2 s after the last run.
      if let stands, stands != "?" { #expect(entries.last?.event?.verdict.character == stands) }
      for entry in entries { #expect(!moments[entry.second].isHeld) }
      for status in StatusTable<Duration>.statuses {
        guard let apart = rules.apart[status] else { continue }
        let calls = entries.filter { $0.event?.verdict.status == status }
        for (earlier, later) in zip(calls, calls.dropFirst()) where later.event?.isRetried == false
        {
          #expect(Duration.seconds(later.second - earlier.second) >= apart)
        }
      }
      let changes = entries.compactMap(\.event).filter { $0.again == 0 && !$0.isRetried }
      for (earlier, later) in zip(changes, changes.dropFirst()) where !later.isInitial {
        #expect(later.sequence > earlier.sequence)
        #expect(!later.changed.isEmpty)
      }
    }
  }
}

extension HearingModel.Entry {
  init(_ entry: HearingTimeline.Entry) {
    self.init(second: entry.second)
    guard let event = entry.event else { return }
    verdict = event.verdict.character
    handlers = entry.handlers
    missed = event.missed
    again = event.again
    isInitial = event.isInitial
    isRetried = event.isRetried
    since = Int(event.since)
    lasted = event.lasted.map { Int($0) }
    at = Int(event.at)
    cause = event.cause == .local ? nil : event.cause
    // All that is told of what was before, in the letters of the timeline.
    switch (event.was, event.wasVia) {
    case (.unknown, _): was = "?"
    case (.unreachable, _): was = "u"
    case (.portal, _): was = "p"
    case (.reachable, .wwan): was = "c"
    case (.reachable, _):
      let hadOtherSSID = (event.verdict.path.ssid != nil) != event.changed.contains(.ssid)
      was = hadOtherSSID ? "x" : "w"
    }
  }
}

import Posix
import Reachability
import Testing

@testable import Hooks

/// What is called in which second while runs fail, and `-` where nothing is.
///
/// In the input a letter is what stands from then on, `-` no news, `G` that runs succeed from then on, `B` that they fail,
/// `E` that the hook is enabled, `L` a reload, `X` that a run that goes on is broken off.
///
/// Three failures in a row slow the hook down to a run in ten seconds.
private func told(
  _ input: String, run: Int = 0, _ change: (inout HearingRules) -> Void = { _ in }
) -> String {
  var rules = HearingRules(target: "nas", handlers: [.reachable, .unreachable, .change])
  rules.slowdown = Slowdown(failures: 3, interval: .seconds(10))
  change(&rules)
  var timeline = HearingTimeline(rules)
  timeline.runLength = run
  timeline.ending = .failed
  for character in input {
    switch character {
    case "G": timeline.ending = .succeeded
    case "B": timeline.ending = .failed
    case "E": timeline.enable()
    case "L": timeline.reload()
    case "X": timeline.endRun(.broken)
    default: timeline.note(character)
    }
    timeline.pass()
  }
  var output = input.map { _ in Character("-") }
  for entry in timeline.entries {
    guard let event = entry.event else {
      output[entry.second] = "!"
      continue
    }
    output[entry.second] = event.again > 0 ? "+" : event.verdict.character
  }
  return String(output)
}

@Suite struct Slowdowns {
  @Test func `from the third failure on the newest is told, ten seconds after the last run began`()
  {
    #expect(
      told("uwuw-u-w--------uw-u-------")
        == "uwu---------w---------u----")
  }

  @Test func `two failures and a success begin the count anew`() {
    #expect(told("uwGuBwuGwBuwu--w---------") == "uw-u-wu-w-uwu---------w--")
  }

  @Test func `a success ends the slowdown at once`() {
    #expect(told("uwuw-------G--uwuwu") == "uwu---------w-uwuwu")
  }

  @Test func `who enables the hook has it told at once, and the count begins anew`() {
    #expect(told("uwuw---E--uwu------") == "uwu----w--uw-------")
  }

  @Test func `a reload of the same file lifts nothing`() {
    #expect(told("uwuw---L--------") == "uwu---------w---")
  }

  @Test func `a run that was broken off neither fails nor succeeds, and is owed no sooner`() {
    #expect(
      told("u-w-u-w--------XL----------", run: 1) == "u-w-u---------w---------w--")
  }

  @Test func `again waits for the slowdown`() {
    #expect(
      told("u--------------------------") { $0.again = StatusTable(.seconds(1)) }
        == "u++---------+---------+----")
  }

  @Test func `what waited for the run that failed once too often is dropped`() {
    #expect(
      told("u-wu-w-u---w------------", run: 3) { $0.mode = .queue } == "u--w--u---------w-------")
  }

  @Test func `stable counts from the end of the slowdown`() {
    var stable = StatusTable<Duration>()
    stable[.reachable] = .seconds(2)
    #expect(
      told("u-w--uw-------------") { $0.stable = stable } == "u---wu-----------w--")
  }
}

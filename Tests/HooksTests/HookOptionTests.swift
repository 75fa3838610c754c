import Posix
import Reachability
import Testing

@testable import Hooks

@Suite struct HookOptions {
  @Test func `a hook says when it wants to hear`() throws {
    let declarations = try load(
      """
      local vpn = reach.target{ interface = "wg0", name = "vpn" }
      reach.on{ target = vpn, change = print, given = reach.internet, quiet = "22:00-07:00",
        apart = { unreachable = "1h" }, again = 90, initial = false, mode = "queue" }
      reach.on{ name = "plain", target = vpn, change = print, initial = "changed", mode = "latest",
        again = {}, apart = 0 }
      """
    ).get()
    // A target that is only given is watched as well.
    #expect(declarations.watchedTargets.map(\.name) == ["internet", "vpn"])
    let hook = declarations.hooks[0]
    #expect(hook.given == .single(Target(.internet)))
    #expect(hook.quiet == QuietHours(parsing: "22:00-07:00"))
    #expect(hook.rules.apart[.unreachable] == .seconds(3600))
    #expect(hook.rules.apart[.reachable] == nil)
    #expect(hook.rules.again == StatusTable(.seconds(90)))
    #expect(hook.rules.initial == .never)
    #expect(hook.rules.mode == .queue)
    #expect(
      declarations.summaries[0].options == [
        "again 1m30s", "apart unreachable 1h", "given internet", "quiet 22:00-07:00", "mode queue",
        "initial false",
      ])
    let plain = declarations.hooks[1]
    #expect(plain.given == nil && plain.quiet == nil)
    #expect(plain.rules.initial == .changed)
    #expect(declarations.summaries[1].options == ["apart 0s"])
  }

  @Test(arguments: [
    ("given = 'internet'", "\"given\" must be a target, such as reach.internet, not \"internet\""),
    ("givne = reach.internet", "unknown key \"givne\"; did you mean \"given\"?"),
    (
      "quiet = '22-7'", "\"quiet\" must be hours of the day, as in \"22:00-07:00\", not \"22-7\""
    ),
    (
      "quiet = '22:00-25:00'",
      "\"quiet\" must be hours of the day, as in \"22:00-07:00\", not \"22:00-25:00\""
    ),
    ("quiet = 22", "\"quiet\" must be hours of the day, as in \"22:00-07:00\", not 22"),
    ("quiet = '07:00-07:00'", "\"quiet\": 07:00-07:00 begins and ends at the same time"),
    ("quiet = '00:00-24:00'", "\"quiet\": 00:00-24:00 begins and ends at the same time"),
    (
      "apart = 'often'",
      "\"apart\" must be a duration: seconds, or a text such as \"10s\" or \"1h30m\", not \"often\"; "
        + "the units are ms, s, m and h"
    ),
    (
      "apart = '1d'",
      "\"apart\" must be a duration: seconds, or a text such as \"10s\" or \"1h30m\", not \"1d\"; "
        + "the units are ms, s, m and h: did you mean \"24h\"?"
    ),
    ("onReachable = print", "unknown key \"onReachable\"; did you mean \"reachable\"?"),
    ("onreachable = print", "unknown key \"onreachable\"; did you mean \"reachable\"?"),
    ("wlan = print", "unknown key \"wlan\"; did you mean \"wifi\"?"),
    ("disconnected = print", "unknown key \"disconnected\"; did you mean \"unreachable\"?"),
    (
      "apart = { unreachabel = '1h' }",
      "apart: unknown key \"unreachabel\"; did you mean \"unreachable\"?"
    ),
    ("again = { unknown = 1 }", "again: unknown key \"unknown\"; its keys are "),
    ("again = 0", "\"again\" must be at least 100ms, not 0"),
    ("again = { portal = '99ms' }", "again: \"portal\" must be at least 100ms, not \"99ms\""),
    ("deadline = '0s'", "\"deadline\" must be at least 100ms, not \"0s\""),
    ("initial = 'always'", "\"initial\" must be \"changed\", true or false, not \"always\""),
    ("initial = 1", "\"initial\" must be \"changed\", true or false, not 1"),
    (
      "mode = 'qeue'",
      "\"mode\" must be latest, queue or restart, not \"qeue\"; did you mean \"queue\"?"
    ),
    ("mode = true", "\"mode\" must be latest, queue or restart, not true"),
  ])
  func `an option that is not as it should be is named with what it should be`(
    option: String, fault: String
  ) throws {
    let result = try load("reach.on{ target = reach.internet, change = print, \(option) }")
    guard case .failure(let error) = result else {
      Issue.record("no error")
      return
    }
    #expect(error.description.hasPrefix("t.lua:1: reach.on \"internet\": \(fault)"))
  }
}

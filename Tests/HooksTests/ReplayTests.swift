import TestSupport
import Testing

@testable import Hooks

/// Timelines that are fed to hooks, and what is told of that.
@Suite struct Replays {
  private func replay(_ timeline: String, _ script: String, for epilogue: Duration? = nil)
    throws -> [String]
  {
    let folder = try TemporaryFolder()
    try folder.write("t.lua", script)
    let timeline = try Timeline(parsing: Array(timeline.utf8), named: "t.txt")
    var lines: [String] = []
    try Replay(timeline, to: ["\(folder.path)/t.lua"]).run(for: epilogue) { line in
      lines.append(String(line.text.dropLast()))
    }
    return lines
  }

  @Test func `calls, what they would do, and what stable keeps back are told in order`() throws {
    let lines = try replay(
      """
      0    internet reachable wifi interface=wlan0
      60   internet unreachable reason=no-carrier
      63.5 internet reachable wwan interface=wwan0
      90   internet unreachable reason=no-carrier
      """,
      """
      reach.on{ name = "h", target = reach.internet, stable = { unreachable = "10s" },
        unreachable = function() reach.run{ "stop", "it" } end,
        reachable = function() reach.sleep("2s") reach.run{ "start", "it" } end,
        wwan = function() reach.notify{ title = "mobile", body = "data" } end }
      """)
    #expect(
      lines == [
        "0        internet: reachable via wifi (wlan0)",
        "0          t/h called: reachable (was unknown), initial",
        "2            t/h runs: start it",
        "60       internet: unreachable (no-carrier)",
        "60         t/h unreachable held by stable until 70",
        "63.5     internet: reachable via wwan (wwan0)",
        "63.5       t/h called: wwan",
        "63.5         t/h shows: mobile - data",
        "90       internet: unreachable (no-carrier)",
        "90         t/h unreachable held by stable until 100",
        "100        t/h called: unreachable (was reachable)",
        "100          t/h runs: stop it",
      ])
  }

  @Test func `what comes by itself is waited for`() throws {
    let lines = try replay(
      """
      @start 2026-11-30T23:00:00
      0  internet reachable wired
      """,
      """
      reach.after("5s", function() reach.run{ "soon" } end)
      reach.on{ name = "h", target = reach.internet, quiet = "22:00-06:00", reachable = print }
      """)
    #expect(
      lines == [
        "0          t/h held by quiet until 25200", "0        internet: reachable via wired",
        "5            t/after 5s runs: soon",
        "25200      t/h called: reachable (was unknown), initial",
      ])
  }

  @Test func `a verdict is told as the target counts it`() throws {
    let lines = try replay(
      "0 nas reachable wwan",
      """
      local nas = reach.target{ host = "nas.lan", name = "nas", route = true, wwan = false }
      reach.on{ name = "h", target = nas, unreachable = print }
      """)
    #expect(lines.first == "0        nas: unreachable (wwan-not-allowed)")
  }

  @Test func `only what would be told is held back`() throws {
    let lines = try replay(
      """
      0  internet reachable wifi ssid=Home
      60 internet reachable wifi ssid=Train
      """,
      """
      reach.on{ name = "h", target = reach.internet, stable = "10s", reachable = print }
      """)
    #expect(
      lines == [
        "0        internet: reachable via wifi",
        "0          t/h reachable held by stable until 10",
        "10         t/h called: reachable (was unknown), initial",
        "60       internet: reachable via wifi",
      ])
  }

  @Test func `what happens at one moment has one order`() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b", "c", "d", "e"] {
      try folder.write(
        "\(name).lua",
        """
        reach.on{ target = reach.internet, change = function(e)
          reach.run{ "one", e.status } reach.run{ "two", e.status } end }
        reach.every("10s", function() reach.run{ "tick" } end)
        """)
    }
    let text = "0 internet reachable wired\n10 internet unreachable\n20 internet reachable wired\n"
    let timeline = try Timeline(parsing: Array(text.utf8), named: "t.txt")
    var replays: Set<[String]> = []
    for _ in 1...10 {
      var lines: [String] = []
      try Replay(timeline, to: [folder.path]).run(for: .seconds(5)) { lines.append($0.text) }
      replays.insert(lines)
    }
    #expect(replays.count == 1)
    // Three verdicts; of each script three calls with two commands, and two ticks.
    #expect(replays.first?.count == 58)
  }

  @Test func `what is over before it has stood for long enough is never told`() throws {
    let lines = try replay(
      """
      0  internet reachable wired
      60 internet unreachable
      65 internet reachable wired
      """,
      """
      reach.on{ name = "h", target = reach.internet, stable = { unreachable = "10s" },
        unreachable = print, reachable = print }
      """)
    #expect(
      lines.suffix(2) == [
        "65       internet: reachable via wired",
        "65         t/h hears nothing of it: unreachable held by stable until it was over",
      ])
  }

  @Test func `given, quiet hours and apart are told, with their ends`() throws {
    let lines = try replay(
      """
      @start 2026-11-30T21:59:00
      0    internet reachable wired
      10   vpn reachable
      20   vpn unreachable
      30   vpn reachable
      40   vpn unreachable
      50   internet unreachable
      """,
      """
      local vpn = reach.target{ interface = "wg0", name = "vpn" }
      reach.on{ name = "h", target = vpn, given = reach.internet, apart = { unreachable = "2m" },
        quiet = "22:00-22:10", unreachable = print, reachable = print }
      """, for: .seconds(700))
    #expect(
      lines == [
        "0          t/h given internet is unknown",
        "0        internet: reachable via wired",
        "10       vpn: reachable via other",
        "10         t/h called: reachable (was unknown), initial",
        "20       vpn: unreachable (no-route)",
        "20         t/h called: unreachable (was reachable)",
        "30       vpn: reachable via other",
        "30         t/h called: reachable (was unreachable)",
        "40       vpn: unreachable (no-route)",
        "40         t/h unreachable held by apart until 140",
        "50       internet: unreachable (no-route)",
        "50         t/h given internet is unreachable",
        "60         t/h held by quiet until 660",
      ])
  }

  @Test func `suspend, restart and reboot are led as they stand`() throws {
    let lines = try replay(
      """
      0    internet reachable wired
      10   @suspend 1h
      3620 internet unreachable
      3630 @restart
      3640 @boot
      3650 internet reachable wired
      """,
      "reach.on{ name = 'h', target = reach.internet, unreachable = print, reachable = print }")
    #expect(
      lines == [
        "0        internet: reachable via wired",
        "0          t/h called: reachable (was unknown), initial",
        "10       @suspend 1h",
        "3620     internet: unreachable (no-route)",
        "3620       t/h called: unreachable (was reachable)",
        "3630     @restart",
        "3640     @boot",
        "3650     internet: reachable via wired",
        "3650       t/h called: reachable (was unknown), initial",
      ])
  }

  @Test func `a handler that fails is told`() throws {
    let lines = try replay(
      "0 internet reachable wired",
      "reach.on{ name = 'h', target = reach.internet, reachable = function() error('no') end }")
    #expect(lines.last?.hasSuffix("t.lua:1: no") == true, "\(lines)")
    #expect(lines.last?.hasPrefix("0            t/h fails: ") == true)
  }
}

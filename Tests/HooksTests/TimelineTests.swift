import Posix
import Reachability
import TestSupport
import Testing

@testable import Hooks

private func read(_ text: String) throws -> Timeline {
  try Timeline(parsing: Array(text.utf8), named: "t.txt")
}

private func fault(_ bytes: [UInt8]) -> String {
  do throws(TimelineError) {
    _ = try Timeline(parsing: bytes, named: "t.txt")
    return "none"
  } catch {
    return error.description
  }
}

private func fault(_ text: String) -> String { fault(Array(text.utf8)) }

@Suite struct Timelines {
  @Test func `each line says what stands for a target from a moment on`() throws {
    let timeline = try read(
      """
      # A story.

      @start 2026-11-30T18:00:00Z
      0     internet reachable wifi interface=wlan0 ssid="Café \\"Train\\"" gateway=192.0.2.1 vpn=true
      0	local_wifi reachable wifi   # tabs, and a comment
      95.5  internet unreachable reason=no-carrier
      95.5  "my nas" unreachable reason=timeout cause=remote metered=false
      100   nas unknown
      100.25 nas portal url=http://192.0.2.1/login
      """)
    var train = Path()
    train.medium = .wifi
    train.flags = .reachable
    train.isVPN = true
    train.interface = "wlan0"
    train.ssid = #"Café "Train""#
    train.gateway = IPAddress("192.0.2.1")
    var wifi = Path()
    wifi.medium = .wifi
    wifi.flags = .reachable
    var portal = wifi
    portal.medium = .other
    var free = Path()
    free.isMetered = false
    #expect(timeline.start?.seconds { _ in 7 } == 1_796_061_600)
    #expect(
      timeline.moments == [
        Timeline.Moment(
          .zero,
          [
            .init("internet", Verdict(.reachable, path: train)),
            .init("local_wifi", Verdict(.reachable, path: wifi)),
          ]),
        Timeline.Moment(
          .milliseconds(95_500),
          [
            .init("internet", Verdict(.unreachable, reason: .noCarrier)),
            .init(
              "my nas", Verdict(.unreachable, reason: .timeout, cause: .remote, path: free)),
          ]),
        Timeline.Moment(.seconds(100), [.init("nas", .unknown)]),
        Timeline.Moment(
          .milliseconds(100_250),
          [
            .init(
              "nas",
              Verdict(.portal, reason: .portal, path: portal, url: "http://192.0.2.1/login"))
          ]),
      ])
    #expect(timeline.targets == ["internet", "local_wifi", "my nas", "nas"])
  }

  @Test func `what is not said of a verdict is what it is at least`() throws {
    let timeline = try read(
      "1 a reachable\n1 b reachable wwan\n1 c unreachable\n1 d unknown\n1 e portal\n"
        + "1 f reachable wifi flags=131074\n1 g reachable flags=2 via=wwan\n1 h unreachable reason=\n"
    )
    let verdicts = timeline.moments[0].changes.map(\.verdict)
    #expect(verdicts.map(\.via) == [.other, .wwan, nil, nil, .other, .wifi, .wwan, nil])
    #expect(
      verdicts.map(\.reason) == [nil, nil, .noRoute, nil, .portal, nil, nil, nil])
    #expect(
      verdicts.map(\.path.flags) == [
        .reachable, [.reachable, .isWWAN], [], [], .reachable, [.reachable, .isDirect], .reachable,
        [],
      ])
    #expect(verdicts.allSatisfy { $0.cause == .local })
  }

  @Test func `the machine sleeps, and starts anew`() throws {
    let timeline = try read(
      """
      10 internet reachable wifi
      10 @suspend 1h30m
      5410 internet unreachable cause=resume
      5420 @restart
      5421 @boot
      5430 "@boot" reachable
      """)
    #expect(
      timeline.moments.map(\.event) == [
        .suspend(.seconds(5400)), nil, .restart, .boot, nil,
      ])
    #expect(timeline.moments.map(\.time.seconds) == [10, 5410, 5420, 5421, 5430])
    #expect(timeline.moments[4].changes.map(\.target) == ["@boot"])
  }

  @Test func `names and values are read as they are quoted`() throws {
    let timeline = try read(
      #"""
      0 "#1" reachable
      0 "a\\b \"c\"\n\t\r\u{e9}\u{1f4a1}" reachable
      0 a\b=c reachable ssid="x#y" interface="wlan0"
      0 any(a,b) reachable ssid=x#y
      """# + "\r\n0 last unreachable\r\n")
    #expect(
      timeline.targets == ["#1", "a\\b \"c\"\n\t\ré\u{1f4a1}", "a\\b=c", "any(a,b)", "last"])
    #expect(timeline.moments[0].changes[2].verdict.path.ssid == "x#y")
    #expect(timeline.moments[0].changes[3].verdict.path.ssid == "x#y")
  }

  @Test(arguments: [
    ("5 internet", "\"internet\" has no status: unknown, unreachable, portal, reachable"),
    ("5", "a line is SECONDS TARGET STATUS [VIA] [KEY=VALUE…]"),
    ("internet reachable", "\"internet\" is not a number of seconds, as in 12.5"),
    ("\"5\" internet reachable", "\"5\" is not a number of seconds, as in 12.5"),
    ("-1 internet reachable", "\"-1\" is not a number of seconds, as in 12.5"),
    ("1e3 internet reachable", "\"1e3\" is not a number of seconds, as in 12.5"),
    ("1m30.5s internet reachable", "\"1m30.5s\" is not a number of seconds; did you mean 90.5?"),
    ("1000000000 a reachable", "\"1000000000\" is not a number of seconds, as in 12.5"),
    ("1.0000000001 a reachable", "\"1.0000000001\" is not a number of seconds, as in 12.5"),
    (
      "5 internet reachabel",
      "\"reachabel\" is none of unknown, unreachable, portal, reachable; did you mean \"reachable\"?"
    ),
    (
      "5 suspend 1h",
      "\"1h\" is none of unknown, unreachable, portal, reachable; did you mean the event @suspend?"
    ),
    (
      "5 boot",
      "\"boot\" has no status: unknown, unreachable, portal, reachable; did you mean the event @boot?"
    ),
    (
      "5 internet reachable wlan",
      "\"wlan\" is neither KEY=VALUE nor one of wired, wifi, wwan, loopback, other; "
        + "did you mean \"wifi\"?"
    ),
    ("5 internet unreachable wifi", "via: an unreachable target has none"),
    ("5 internet unknown wifi", "via: an unknown target has none"),
    ("5 internet reachable wifi via=wwan", "via is given twice"),
    ("5 internet reachable vpn=true vpn=true", "vpn is given twice"),
    ("5 internet reachable wifi Home", "\"Home\" is not KEY=VALUE, as in ssid=Home"),
    ("5 internet reachable wifi \"ssid=a\"", "\"ssid=a\" is not KEY=VALUE, as in ssid=Home"),
    ("5 internet reachable sssid=Home", "unknown key \"sssid\"; did you mean \"ssid\"?"),
    ("5 internet reachable reason=dns", "reason: a reachable target has none"),
    (
      "5 internet unreachable reason=tiemout",
      "reason: \"tiemout\" is no reason; did you mean \"timeout\"?"
    ),
    ("5 internet reachable vpn=yes", "vpn: \"yes\" is not true or false"),
    (
      "5 internet reachable flags=512",
      "flags: \"512\" is not a sum of flags, as events have it in flags.raw: 2, 131074"
    ),
    ("5 internet reachable\n4.5 internet unreachable", "4.5 comes after 5: time goes on"),
    ("5 \"a b\" reachable\n5 \"a b\" unreachable", "a second line for \"a b\" at that moment"),
    ("5 a\"b reachable", "a quote within a\"b; did you mean \"a\\\"b\"?"),
    ("5 a=\"b\" reachable", "a name stands in quotes as a whole, not a=\"b\""),
    ("5 \"a reachable", "the closing quote is missing"),
    ("5 \"a\"b reachable", "a blank is missing after the closing quote"),
    ("5 \"a\\x\" reachable", "after a \\ in quotes there is one of \" \\ n t r u{…}"),
    ("5 \"\\u{d800}\" reachable", "\\u takes a character's number in braces, as in \\u{e9}"),
    ("5 \"\\u{+1}\" reachable", "\\u takes a character's number in braces, as in \\u{e9}"),
    ("5 \"\\u{\" reachable", "\\u takes a character's number in braces, as in \\u{e9}"),
    ("5 \"\" reachable", "a target's name is empty"),
    ("5 @suspnd 1h", "unknown event @suspnd; did you mean \"@suspend\"?"),
    ("5 @sleep", "unknown event @sleep; the events are @suspend, @restart, @boot"),
    ("5 @suspend", "@suspend takes a duration longer than 0, at most 277777h, as in 1h30m"),
    ("5 @suspend 0s", "@suspend takes a duration longer than 0, at most 277777h, as in 1h30m"),
    (
      "5 @suspend 277778h",
      "@suspend takes a duration longer than 0, at most 277777h, as in 1h30m"
    ),
    ("5 @boot now", "@boot stands alone, without now"),
    ("@suspend 1h", "@suspend needs its SECONDS before it, as in 60 @suspend"),
    ("@strat", "unknown @strat; did you mean \"@start\"?"),
    ("5 @suspend 10s\n14.999 a reachable", "at 14.999 the machine still sleeps, until 15"),
    (
      "5 @restart\n5 a reachable",
      "5 is over with the event before: what follows has a later time"
    ),
    ("5 @start 2026-11-30T18:00:00", "@start has no SECONDS before it"),
    ("5 a reachable\n@start 2026-11-30T18:00:00", "@start goes before all moments"),
    ("@start 2026-11-30T18:00:00\n@start 2026-11-30T18:00:00", "a second @start"),
    ("@start 2026-11-30 18:00", "@start takes one time, as in 2026-11-30T18:00:00"),
    ("@start 2026-11-30", "@start: \"2026-11-30\" is not a time, as in 2026-11-30T18:00:00"),
    ("@start 2026-02-29T18:00:00", "@start: there is no 2026-02-29T18:00:00"),
    (
      "@start 2026-11-30T18:00:00+1",
      "@start: \"2026-11-30T18:00:00+1\" ends neither as local time does, nor with Z or an offset "
        + "such as +01:00"
    ),
  ])
  func `a fault is told with its line and the nearest right thing`(text: String, message: String) {
    let line = text.split(separator: "\n").count + 1
    #expect(fault("# story\n" + text) == "t.txt:\(line): \(message)")
  }

  @Test func `bytes that are no text are refused, and no fault steers a terminal`() {
    #expect(fault([0x35, 0x20, 0x61, 0xff, 0x0a]) == "t.txt:1: not UTF-8")
    #expect(
      fault("5 a \u{1b}[2J") == "t.txt:1: \"\\u{1b}[2J\" is none of unknown, unreachable, portal, "
        + "reachable")
  }

  @Test func `what is written is read as the same`() throws {
    for seed in UInt64(1)...400 {
      var numbers = Seeded(seed)
      let timeline = Timeline(randomBy: &numbers)
      let text = timeline.text
      let again = try read(text)
      #expect(again == timeline, "seed \(seed): \(text)")
      #expect(again.text == text)
    }
  }

  @Test func `what no line can say is left out`() {
    var path = Path()
    path.interface = String(repeating: "\u{fffd}", count: 15)
    path.ssid = "Home"
    path.interfaceIndex = 3
    let change = Timeline.Change("nas", Verdict(.reachable, path: path))
    #expect(
      Timeline(moments: [Timeline.Moment(.zero, [change])]).text
        == "0 nas reachable other ssid=Home flags=0\n")
  }
}

extension Timeline {
  /// A timeline that can be written whole.
  fileprivate init(randomBy numbers: inout Seeded) {
    self.init()
    if numbers.below(2) == 0 {
      start = WallTime(
        Int64(numbers.below(200_000_000_000)), offset: Int64(numbers.below(1600) - 800) * 60)
    }
    var time = Duration.zero
    for _ in 0..<numbers.below(6) {
      var moment = Moment(time)
      for name in Timeline.names.shuffled(using: &numbers).prefix(numbers.below(4)) {
        moment.changes.append(Change(name, Verdict(randomBy: &numbers)))
      }
      switch numbers.below(6) {
      case 0:
        moment.event = .suspend(.nanoseconds(Int64(1 + numbers.below(1 << 50))))
      case 1: moment.event = .restart
      case 2: moment.event = .boot
      default: break
      }
      if moment.changes.isEmpty, moment.event == nil { continue }
      moments.append(moment)
      guard moment.end < .seconds(900_000_000) else { return }
      time = moment.end + .nanoseconds(Int64(1 + numbers.below(1 << 40)))
    }
  }

  private static let names = [
    "internet", "my nas", "#1", "@suspend", "a\"b\\", "any(a, b)", "\u{301}", "line\nend", "a=\"b",
    "\"", "\\", "\u{200f}", "a=b", "reachable", "12",
  ]
}

extension Verdict {
  /// A verdict that a line can say.
  fileprivate init(randomBy numbers: inout Seeded) {
    func one<Value>(_ values: [Value]) -> Value { values[numbers.below(values.count)] }
    let status = one([Status.unknown, .unreachable, .portal, .reachable])
    self.init(status, cause: one(Cause.allCases))
    if status != .reachable { reason = one([nil] + Reason.allCases) }
    if status == .reachable || status == .portal { path.medium = one(Medium.allCases) }
    path.isVPN = one([true, false])
    path.isMetered = one([true, false, nil])
    path.interface = one(["eth0", "a\"b", "=#", nil])
    path.address = one([IPAddress("192.0.2.7"), IPAddress("2001:db8::7"), nil])
    path.source = one([IPAddress("192.0.2.2"), nil])
    path.gateway = one([IPAddress("fe80::1"), nil])
    path.gatewayMAC = one([HardwareAddress("02:00:5e:10:00:01"), nil])
    path.ssid = one([
      "Home", "Home 5G", "\"", "\u{301}x", "#", "=", "\u{1f468}\u{200d}\u{1f4bb}", nil,
    ])
    path.flags = one(
      [[], .reachable, [.reachable, .isWWAN], Flags(Flags.named.map(\.flag))] as [Flags])
    latency = one([
      .zero, .nanoseconds(1), .microseconds(1640), .nanoseconds(Int64(numbers.below(1 << 50))), nil,
    ])
    if status == .portal { url = one(["http://192.0.2.1/a?b=c#d", nil]) }
  }
}

@Suite struct WallTimes {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("1970-03-01T00:00:00Z", 5_097_600),
      ("2000-02-29T23:59:59Z", 951_868_799), ("2024-12-31T00:00:00Z", 1_735_603_200),
      ("2026-11-30T18:00:00+01:00", 1_796_058_000), ("2026-11-30T18:00:00-09:30", 1_796_095_800),
      ("2100-03-01T00:00:00Z", 4_107_542_400), ("9999-12-31T23:59:59Z", 253_402_300_799),
    ] as [(String, Int64)])
  func `a clock that says its offset tells a moment`(text: String, seconds: Int64) throws {
    let time = try WallTime(parsing: text)
    #expect(time.seconds { _ in 99 } == seconds)
    #expect(time.description == text)
  }

  @Test func `local time is that of whoever reads it, as its clock is set then`() throws {
    // An hour ahead of UTC, two hours from 01:00 UTC on.
    let summer: Int64 = 1_774_746_000
    let offset = { (time: Int64) -> Int64 in time < summer ? 3600 : 7200 }
    #expect(try WallTime(parsing: "2026-03-29T01:59:59").seconds(offset: offset) == summer - 1)
    #expect(try WallTime(parsing: "2026-03-29T03:00:00").seconds(offset: offset) == summer)
    #expect(try WallTime(parsing: "2026-03-29T03:00:00").description == "2026-03-29T03:00:00")
  }

  @Test func `a moment is written by the clock of its place`() {
    #expect(WallTime(1_796_058_000, offset: 3600).description == "2026-11-30T18:00:00+01:00")
    #expect(WallTime(1_796_058_000, offset: 0).description == "2026-11-30T17:00:00Z")
    #expect(WallTime(1_796_058_000, offset: 3601).description == "2026-11-30T17:00:00Z")
    #expect(WallTime(.max, offset: 3600).description == "9999-12-31T00:59:59+01:00")
    #expect(WallTime(.min, offset: -3600).description == "1970-01-01T23:00:00-01:00")
  }

  @Test func `every day is written as it is read`() throws {
    for day in stride(from: Int64(1), to: 60_000, by: 1) {
      let time = WallTime(day * 86400 + 45_296, offset: 0)
      #expect(try WallTime(parsing: time.description) == time)
    }
  }

  @Test(arguments: [
    "1969-12-31T00:00:00", "2026-13-01T00:00:00", "2026-00-01T00:00:00", "2026-04-31T00:00:00",
    "2100-02-29T00:00:00", "2026-01-01T24:00:00", "2026-01-01T00:60:00", "2026-01-01T00:00:60",
    "2026-01-01t00:00:00", "2026-01-01T00:00", "2026-01-01T00:00:00.5", "2026-01-01T00:00:00z",
    "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+0100", "", "é026-01-01T00:00:00",
  ])
  func `what is no time is refused`(text: String) {
    #expect(throws: FieldError.self) { try WallTime(parsing: text) }
  }
}

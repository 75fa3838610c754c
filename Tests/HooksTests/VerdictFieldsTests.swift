import Lua
import Posix
import Reachability
import Testing

@testable import Hooks

@Suite struct FieldsOfVerdicts {
  private func fault(_ body: () throws(FieldError) -> Void) -> String {
    do throws(FieldError) {
      try body()
      return "none"
    } catch {
      return error.description
    }
  }

  @Test func `the order in which fields are set means nothing`() throws {
    let texts = [("via", "wwan"), ("flags", "2"), ("cause", "remote"), ("ssid", "Home")]
    var forwards = VerdictFields(.reachable)
    for (key, text) in texts { try forwards.set(key, to: text) }
    var backwards = VerdictFields(.reachable)
    for (key, text) in texts.reversed() { try backwards.set(key, to: text) }
    #expect(forwards.verdict == backwards.verdict)
    #expect(forwards.verdict.path.flags == .reachable)
  }

  @Test func `a verdict comes back from its texts`() throws {
    var path = Path()
    path.medium = .wwan
    path.flags = [.reachable, .isWWAN, .transientConnection]
    path.isMetered = true
    let verdict = Verdict(
      .portal, reason: .portal, cause: .remote, path: path, latency: .microseconds(1640),
      url: "http://192.0.2.1/")
    let texts = VerdictFields.texts(of: verdict)
    #expect(
      texts.map { "\($0.key)=\($0.text)" } == [
        "via=wwan", "cause=remote", "metered=true", "latency=1.64ms", "url=http://192.0.2.1/",
        "flags=262147",
      ])
    var fields = VerdictFields(.portal)
    for (key, text) in texts { try fields.set(key, to: text) }
    #expect(fields.verdict == verdict)
  }

  @Test func `values of scripts are taken by their types`() throws {
    var fields = VerdictFields(.reachable)
    let values: [(String, LuaValue)] = [
      ("via", .string("wifi")), ("vpn", .boolean(true)), ("metered", .boolean(false)),
      ("latency", .number(0.25)), ("flags", .integer(131_074)), ("ssid", .string("true")),
    ]
    for (key, value) in values { try fields.set(key, to: value) }
    let verdict = fields.verdict
    #expect((verdict.via, verdict.path.isVPN, verdict.path.isMetered) == (.wifi, true, false))
    #expect((verdict.latency, verdict.path.ssid) == (.milliseconds(250), "true"))
    #expect(verdict.path.flags == [.reachable, .isDirect])
    try fields.set("latency", to: .string("20ms"))
    #expect(fields.verdict.latency == .milliseconds(20))
    try fields.set("latency", to: .integer(2))
    #expect(fields.verdict.latency == .seconds(2))
  }

  @Test(
    arguments: [
      ("vpn", .string("true"), "vpn: \"true\" is not true or false"),
      (
        "ssid", .boolean(true),
        "ssid: true is not an SSID that events tell: 1 to 32 bytes of "
          + "printable UTF-8"
      ),
      ("interface", .integer(1), "interface: 1 is not the name of an interface"),
      ("latency", .integer(-1), "latency: -1 is not a duration, as in 20ms"),
      ("latency", .number(.nan), "latency: nan is not a duration, as in 20ms"),
      ("latency", .boolean(true), "latency: true is not a duration, as in 20ms"),
      (
        "flags", .integer(1 << 40),
        "flags: 1099511627776 is not a sum of flags, as events have it "
          + "in flags.raw: 2, 131074"
      ),
      (
        "flags", .string("2"),
        "flags: \"2\" is not a sum of flags, as events have it in flags.raw: "
          + "2, 131074"
      ),
      ("via", .string("wlan"), "via: \"wlan\" is not wired, wifi, wwan, loopback, other"),
      ("gateway", .bytes([0xff]), "gateway: a string that is not UTF-8 is not an address"),
      ("interfase", .boolean(true), "unknown key \"interfase\"; did you mean \"interface\"?"),
    ] as [(String, LuaValue, String)])
  func `other values are refused`(key: String, value: LuaValue, message: String) {
    var fields = VerdictFields(.reachable)
    #expect(fault { () throws(FieldError) in try fields.set(key, to: value) } == message)
  }
}

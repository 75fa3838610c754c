import Posix
import Reachability
import Testing

@testable import Hooks

private func fault(_ words: String...) -> String {
  do throws(RequestError) {
    _ = try ControlRequest(words: words)
    return "none"
  } catch {
    return error.description
  }
}

private func lineFault(_ line: String) -> String {
  do throws(RequestError) {
    _ = try ControlRequest(line: Array(line.utf8))
    return "none"
  } catch {
    return error.description
  }
}

@Suite struct ControlRequests {
  @Test(
    arguments: [
      ["status"], ["status", "--json"], ["reload"], ["enable", "greet"], ["enable", "greet/greet"],
      ["fire", "greet/greet", "reachable"],
      [
        "fire", "my notes/über 100 %/\u{1f4a1}", "portal", "ssid=Café & Bar",
        "url=http://a.example/?x",
      ],
      ["fire", "a/tab\tnewline\nend", "unreachable", "reason=timeout", "lasted=60"],
    ] as [[String]])
  func `what is written to the line is read from it`(words: [String]) throws {
    let request = try ControlRequest(words: words)
    let line = try request.line()
    #expect(!line.contains("\n"))
    #expect(try ControlRequest(line: Array(line.utf8)) == request)
  }

  @Test(arguments: [
    ("", "a request of words in UTF-8 and percent-encoding is needed"),
    ("status ", "a request of words in UTF-8 and percent-encoding is needed"),
    ("enable a%2", "a request of words in UTF-8 and percent-encoding is needed"),
    ("enable a%zz", "a request of words in UTF-8 and percent-encoding is needed"),
    ("enable %ff", "a request of words in UTF-8 and percent-encoding is needed"),
    ("enable a%00b", "a request of words in UTF-8 and percent-encoding is needed"),
    ("enable a\tb", "a request of words in UTF-8 and percent-encoding is needed"),
    ("statsu", "unknown request \"statsu\"; did you mean \"status\"?"),
    ("enable" + String(repeating: "a", count: 4096), "a request is shorter than 4096 bytes"),
  ])
  func `other lines are refused`(line: String, fault: String) {
    #expect(lineFault(line) == fault)
  }

  @Test func `a request that does not fit on a line is not sent`() throws {
    let request = try ControlRequest(words: ["enable", String(repeating: "ü", count: 700)])
    #expect(throws: RequestError("that is too long: 4096 bytes at most are sent")) {
      try request.line()
    }
  }

  @Test func `a mistake is named with the nearest right thing`() {
    #expect(fault("fire") == "a hook and a status are needed, as in greet/greet reachable")
    #expect(fault("fire", "a", "reachable") == "\"a\" is not SCRIPT/HOOK, as in greet/greet")
    #expect(
      fault("fire", "/b", "reachable")
        == "\"/b\" is neither a script nor SCRIPT/HOOK, as in greet/greet")
    #expect(
      fault("fire", "a/b", "reachabel")
        == "\"reachabel\" is none of reachable, unreachable, portal; did you mean \"reachable\"?")
    #expect(
      fault("fire", "a/b", "unknown") == "\"unknown\" is none of reachable, unreachable, portal")
    #expect(
      fault("fire", "a/b", "reachable", "interfase=a")
        == "unknown key \"interfase\"; did you mean \"interface\"?")
    #expect(fault("fire", "a/b", "reachable", "via") == "\"via\" is not KEY=VALUE, as in via=wifi")
    #expect(
      fault("fire", "a/b", "reachable", "was=portal")
        == "was cannot be set: it follows from the rest")
    #expect(
      fault("fire", "a/b", "unreachable", "via=wifi") == "via: an unreachable target has none")
    #expect(
      fault("fire", "a/b", "reachable", "reason=dns") == "reason: a reachable target has none")
    #expect(
      fault("fire", "a/b", "unreachable", "reason=time-out")
        == "reason: \"time-out\" is no reason; did you mean \"timeout\"?")
    #expect(fault("fire", "a/b", "reachable", "url=http://a/") == "url: only a portal has one")
    #expect(fault("enable") == "exactly one script or hook is needed, as in greet or greet/greet")
    #expect(fault("reload", "all") == "it takes no operands")
  }

  @Test(arguments: [
    "via=wlan", "vpn=yes", "metered=1", "interface=a/b", "address=1.2.3", "gateway_mac=02",
    "ssid=\u{7}", "latency=-1s", "latency=fast", "since=-1", "since=1e9", "missed=",
    "again=9007199254740993", "initial=", "cause=cable",
  ])
  func `a value that is none of the key's is refused`(word: String) {
    let parts = word.split(separator: "=", omittingEmptySubsequences: false)
    let fault = fault("fire", "a/b", "reachable", word)
    #expect(fault.hasPrefix("\(parts[0]): \"\(String(parts[1]).printable)\" is not "), "\(fault)")
  }

  @Test(arguments: ["url=http://127.0.0.1/", "url=ftp://a.example/", "url=http://u@a.example/"])
  func `a URL that no event has is refused`(word: String) {
    #expect(fault("fire", "a/b", "portal", word).hasPrefix("url: "))
  }

  @Test func `an answer is read as it was sent`() {
    for kind in ControlReply.Kind.allCases {
      for text in ["", "one", "one\ntwo", "\nthree\n"] {
        let reply = ControlReply(kind, text)
        #expect(ControlReply(parsing: reply.message) == reply)
      }
    }
    for text in ["", "done", "don", "error: x\n", "\n"] {
      #expect(ControlReply(parsing: text) == nil)
    }
  }
}

@Suite struct FiredEvents {
  private func call(
    _ words: String..., told: Told = Told(), standing: Standing? = nil
  ) throws -> (event: Event, handlers: HandlerSet) {
    try FireRequest(words: ["a/b"] + words).call(on: "nas", after: told, standing, at: 1000)
  }

  private func standing(_ verdict: Verdict, since: Int64) -> Standing {
    Standing(
      Transition(
        target: TargetID(1), from: .unknown, to: verdict, instant: .now, time: since,
        sequence: 7))
  }

  @Test func `what cannot be known is what it would be at least`() throws {
    let (event, handlers) = try call("unreachable")
    #expect(event.verdict == Verdict(.unreachable, reason: .noRoute))
    #expect(event.was == .unknown)
    #expect(event.changed == .status)
    #expect((event.since, event.at, event.lasted, event.sequence) == (1000, 1000, nil, 0))
    #expect(handlers == .unreachable)
    let reachable = try call("reachable")
    #expect(reachable.event.verdict.via == .other)
    #expect(reachable.event.verdict.path.flags == .reachable)
    #expect(reachable.handlers == .reachable)
    #expect(try call("portal").event.verdict.reason == .portal)
  }

  @Test func `what stands fills the event where it has that status`() throws {
    var path = Path()
    path.medium = .wifi
    path.interface = "wlan0"
    path.ssid = "Home"
    let standing = standing(Verdict(.reachable, path: path), since: 900)
    let (event, handlers) = try call("reachable", "ssid=", "interface=wlan1", standing: standing)
    #expect(event.verdict.via == .wifi)
    #expect(event.verdict.path.interface == "wlan1")
    #expect(event.verdict.path.ssid == nil)
    #expect((event.since, event.sequence) == (900, 7))
    // The medium is what stands, and nobody asked for its handler.
    #expect(handlers == .reachable)
    #expect(try call("unreachable", standing: standing).event.verdict.path == Path())
  }

  @Test func `the event goes on from what the hook was told`() throws {
    var told = Told()
    told.hear(Verdict(.unreachable, reason: .dns), since: 400, at: .now)
    let (event, _) = try call("reachable", "via=wwan", told: told)
    #expect((event.was, event.wasVia, event.lasted) == (.unreachable, nil, 600))
    #expect(event.verdict.path.flags == [.reachable, .isWWAN])
    let again = try call("unreachable", "again=2", "retried=true", "at=1200", told: told).event
    #expect((again.was, again.since, again.lasted, again.at) == (.unreachable, 400, nil, 1200))
    #expect(again.changed == [])
    #expect((again.again, again.isRetried) == (2, true))
  }

  @Test func `a medium that is given calls its handler too`() throws {
    #expect(try call("reachable", "via=wifi").handlers == [.reachable, .wifi])
    #expect(try call("reachable", "via=other").handlers == .reachable)
    #expect(try call("portal", "via=wifi").handlers == .portal)
  }

  @Test func `every field arrives`() throws {
    let (event, _) = try call(
      "portal", "via=wired", "reason=http-status", "cause=dns", "vpn=true", "metered=false",
      "interface=eth0", "address=192.0.2.1", "source=192.0.2.2", "gateway=fe80::1",
      "gateway_mac=02:00:5e:10:00:01", "ssid=Home 5G", "latency=20ms", "url=http://a.example/in",
      "since=1", "lasted=2", "at=3", "sequence=4", "initial=true", "missed=5", "again=6",
      "retried=true")
    #expect(
      event.json == #"""
        {"target":"nas","status":"portal","was":"unknown","via":"wired","was_via":null,\#
        "changed":{"status":true,"via":true,"vpn":true,"metered":true,"interface":true,"gateway":true,\#
        "ssid":true},"reason":"http-status","cause":"dns","vpn":true,"metered":false,\#
        "interface":"eth0","address":"192.0.2.1","source":"192.0.2.2","gateway":"fe80::1",\#
        "gateway_mac":"02:00:5e:10:00:01","ssid":"Home 5G","since":1,"lasted":2,"at":3,"sequence":4,\#
        "initial":true,"missed":5,"again":6,"retried":true,"latency":0.02,\#
        "url":"http://a.example/in","flags":{"transient_connection":false,"reachable":true,\#
        "connection_required":false,"connection_on_traffic":false,"intervention_required":false,\#
        "connection_on_demand":false,"is_local_address":false,"is_direct":false,"is_wwan":false,\#
        "raw":2}}
        """#)
  }
}

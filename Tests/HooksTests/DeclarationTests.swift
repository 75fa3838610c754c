import Posix
import Reachability
import TestSupport
import Testing

@testable import Hooks

/// What loading a script gives: its declarations, or the one line that says what is wrong.
func load(_ text: String) throws -> Result<ScriptDeclarations, ScriptError> {
  let folder = try TemporaryFolder()
  let path = try folder.write("t.lua", text)
  let check = try #require(ScriptCheck.check([ScriptSource(name: "t", path: path)]).first)
  return check.result.mapError { error in
    ScriptError(error.description.replacing("\(folder.path)/", with: ""))
  }
}

@Suite struct Declarations {
  @Test func `a script declares targets and hooks`() throws {
    let declarations = try load(
      """
      local nas = reach.target{ host = "nas.lan", name = "nas", wwan = false, medium = { usb0 = "wwan" } }
      reach.on{ target = nas, reachable = print, stable = { reachable = "10s" }, deadline = 60 }
      reach.on{ name = "net", target = reach.internet, change = print, wwan = print, stable = "1m30s" }
      """
    ).get()
    var nas = Target(.host("nas.lan"), name: "nas")
    nas.allowsWWAN = false
    nas.media = ["usb0": .wwan]
    #expect(declarations.watchedTargets == [.single(Target(.internet)), .single(nas)])
    #expect(declarations.hooks.map(\.name) == ["nas", "net"])
    #expect(declarations.hooks[0].rules.stable[.reachable] == .seconds(10))
    #expect(declarations.hooks[0].rules.stable[.unreachable] == nil)
    #expect(declarations.hooks[0].deadline == .seconds(60))
    #expect(declarations.hooks[1].rules.stable[.portal] == .seconds(90))
    #expect(declarations.summaries[1].handlers == [.wwan, .change])
  }

  @Test(arguments: [
    (
      "reach.on{ target = reach.internet, reachabel = print }",
      "t.lua:1: reach.on \"internet\": unknown key \"reachabel\"; did you mean \"reachable\"?"
    ),
    (
      "reach.on{ name = 'x', reachable = print }",
      "t.lua:1: reach.on \"x\": \"target\" is missing, as in target = reach.internet"
    ),
    (
      "reach.on{ target = 'internet', reachable = print }",
      "t.lua:1: reach.on: \"target\" must be a target, such as reach.internet, not \"internet\""
    ),
    (
      "reach.on{ target = reach.internet }",
      "t.lua:1: reach.on \"internet\": no handler; name one of reachable, unreachable, portal, "
        + "wired, wifi, wwan, change"
    ),
    (
      "reach.on{ target = reach.internet, reachable = 'x' }",
      "t.lua:1: reach.on \"internet\": \"reachable\" must be a function, not \"x\""
    ),
    (
      "reach.on{ target = reach.internet, reachable = print, stable = 'soon' }",
      "t.lua:1: reach.on \"internet\": \"stable\" must be a duration: seconds, or a text such as "
        + "\"10s\" or \"1h30m\", not \"soon\"; the units are ms, s, m and h"
    ),
    (
      "reach.on{ target = reach.internet, reachable = print, again = { down = '5m' } }",
      "t.lua:1: reach.on \"internet\": again: unknown key \"down\"; did you mean \"unreachable\"?"
    ),
    (
      "reach.on{ target = reach.internet, reachable = print, stable = { reachabel = 1 } }",
      "t.lua:1: reach.on \"internet\": stable: unknown key \"reachabel\"; did you mean "
        + "\"reachable\"?"
    ),
    (
      "reach.target{ host = 'a', address = '192.0.2.1' }",
      "t.lua:1: reach.target: needs exactly one of host, address, interface, internet and "
        + "network, not host and address"
    ),
    (
      "reach.target{ adress = '192.0.2.1' }",
      "t.lua:1: reach.target: unknown key \"adress\"; did you mean \"address\"?"
    ),
    (
      "reach.target{ host = 'a\\27[2J' }",
      "t.lua:1: reach.target: \"a\\u{1b}[2J\" is neither a host name nor an address"
    ),
    (
      "reach.target{ host = '192.0.2.1' }",
      "t.lua:1: reach.target: \"192.0.2.1\" is an address: write address = \"192.0.2.1\""
    ),
    (
      "reach.target{ host = 'fe80::1%eth0' }",
      "t.lua:1: reach.target: \"fe80::1%eth0\" is an address: write address = \"fe80::1%eth0\""
    ),
    (
      "reach.target{ host = 'nas.lan:22' }",
      "t.lua:1: reach.target: \"nas.lan:22\" is a host name and a port: "
        + "write host = \"nas.lan\", tcp = 22"
    ),
    (
      "reach.target{ host = 'https://nas.lan' }",
      "t.lua:1: reach.target: \"https://nas.lan\" is a URL: write http = \"https://nas.lan\""
    ),
    (
      "reach.target{ address = 'nas.lan' }",
      "t.lua:1: reach.target: \"nas.lan\" is a host name: write host = \"nas.lan\""
    ),
    (
      "reach.target{ address = '192.0.2.1:22' }",
      "t.lua:1: reach.target: \"192.0.2.1:22\" is an address and a port: "
        + "write address = \"192.0.2.1\", tcp = 22"
    ),
    (
      "reach.target{ address = '[2001:db8::1]:22' }",
      "t.lua:1: reach.target: \"[2001:db8::1]:22\" is an address and a port: "
        + "write address = \"2001:db8::1\", tcp = 22"
    ),
    (
      "reach.target{ interface = 'averyverylongname' }",
      "t.lua:1: reach.target: \"averyverylongname\" cannot be an interface's name"
    ),
    (
      "reach.target{ host = 'http://me@nas.lan/' }",
      "t.lua:1: reach.target: \"http://me@nas.lan/\" is neither a host name nor an address"
    ),
    ("reach.target{ address = '192.0.2' }", "t.lua:1: reach.target: \"192.0.2\" is not an address"),
    (
      "reach.target{ host = 'a b' }",
      "t.lua:1: reach.target: \"a b\" is neither a host name nor an address"
    ),
    (
      "reach.target{ address = '192.0.2.1', from = '2001:db8::1' }",
      "t.lua:1: reach.target: 2001:db8::1 and 192.0.2.1 are of different families"
    ),
    (
      "reach.target{ host = 'a', name = 'internet' }",
      "t.lua:1: reach.target: a second target named \"internet\" in this script"
    ),
    (
      "reach.target{ host = 'a', medium = { usb0 = 'lte' } }",
      "t.lua:1: reach.target \"a\": \"medium\" must be wired, wifi, wwan or other for each "
        + "interface, not \"lte\""
    ),
    ("x = reach.internet.nmae", "t.lua:1: target has no \"nmae\"; did you mean \"name\"?"),
    (
      "x = reach.internet.online",
      "t.lua:1: target has no \"online\"; it has cause, gateway, interface, latency, metered, name, "
        + "reason, since, ssid, status, via, vpn and wait"
    ),
    ("reach.internet.wait('reachable')", "t.lua:1: write target:wait(…), with a colon"),
    ("reach.log('x')", "t.lua:1: reach.log is no function; write reach.log.info(…)"),
    ("reach.json('x')", "t.lua:1: reach.json is no function; it has decode and encode"),
    (
      "io.open('x')",
      "t.lua:1: undefined global \"io\"; use reach.run{ … } or reach.write{ … }"
    ),
    ("sleep(5)", "t.lua:1: undefined global \"sleep\"; write reach.sleep"),
    (
      "coroutine.create(print)",
      "t.lua:1: undefined global \"coroutine\"; a handler is one already, and waits without it"
    ),
    ("dofile('x')", "t.lua:1: undefined global \"dofile\"; require \"lib.NAME\" runs lib/NAME.lua"),
    ("x = reach.targt", "t.lua:1: reach has no \"targt\"; did you mean \"target\"?"),
    ("x = pritn", "t.lua:1: undefined global \"pritn\"; did you mean \"print\"?"),
    (
      "reach.run{ 'true' }",
      "t.lua:1: reach.run waits; call it in a handler"
    ),
    ("if", "t.lua:1: unexpected symbol near <eof>"),
    ("\nerror('mine')", "t.lua:2: mine"),
  ])
  func `a fault is one line with file, line and the nearest right thing`(
    text: String, fault: String
  ) throws {
    #expect(throws: ScriptError(fault)) { try load(text).get() }
  }

  @Test func `a target declares how it is probed`() throws {
    let declarations = try load(
      "reach.target{ host = 'nas.lan', tcp = 22, every = '10s', timeout = 1, fall = 5 }"
    ).get()
    var probe = Probe(.tcp(port: 22))
    probe.every = .seconds(10)
    probe.timeout = .seconds(1)
    probe.fall = 5
    #expect(declarations.targets.last?.probe == probe)
    #expect(probe.rise == 2)
  }

  @Test(arguments: [
    ("host = 'a', icmp = true", Probe.Kind.icmp, Probe.Destination?.none),
    ("address = '192.0.2.1', dns = 'x.example'", .dns(name: "x.example"), nil),
    ("address = '192.0.2.1', from = '192.0.2.2', tcp = 22", .tcp(port: 22), nil),
    ("internet = true, name = 'it', dns = 'x.example'", .dns(name: "x.example"), nil),
    ("internet = true, name = 'it', icmp = 'one.example'", .icmp, .host("one.example")),
    (
      "internet = true, name = 'it', tcp = '192.0.2.1:443'", .tcp(port: 443),
      IPAddress("192.0.2.1").map { .address($0) }
    ),
    (
      "interface = 'a', tcp = '[2001:db8::1]:443'", .tcp(port: 443),
      IPAddress("2001:db8::1").map { .address($0) }
    ),
    ("interface = 'a', icmp = 'fe80::1'", .icmp, IPAddress("fe80::1").map { .address($0) }),
    (
      "internet = true, name = 'it', icmp = 'fe80::1%a'", .icmp,
      IPAddress("fe80::1").map { .address($0, zone: "a") }
    ),
    (
      "network = { ssid = 'Home' }, icmp = '192.0.2.1'", .icmp,
      IPAddress("192.0.2.1").map { .address($0) }
    ),
  ])
  func `each kind of probe goes to the target, or where it says`(
    options: String, kind: Probe.Kind, destination: Probe.Destination?
  ) throws {
    let probe = try #require(load("reach.target{ \(options) }").get().targets.last?.probe)
    #expect(probe.kind == kind && probe.destination == destination)
  }

  @Test func `what a probe cannot be sent to is refused`() throws {
    #expect(
      throws: ScriptError(
        "t.lua:1: reach.target \"internets\": \"icmp\": fe80::1 needs its interface, as in "
          + "fe80::1%eth0")
    ) { try load("reach.target{ internet = true, name = 'internets', icmp = 'fe80::1' }").get() }
    #expect(
      throws: ScriptError(
        "t.lua:1: reach.target \"0.0.0.0\": \"tcp\" needs a host, and this address stands for any")
    ) { try load("reach.target{ address = '0.0.0.0', tcp = 80 }").get() }
  }

  @Test(arguments: [
    ("host = 'a', tcp = 0", "\"tcp\" must be a whole number from 1 to 65535, not 0"),
    ("host = 'a', tcp = '22'", "\"tcp\" must be a whole number from 1 to 65535, not \"22\""),
    ("host = 'a', every = '5s'", "\"every\" goes with a probe, such as tcp = 22"),
    (
      "host = 'a', tcp = 22, route = true",
      "\"route\" says that no probe is meant, but there is one"
    ),
    (
      "interface = 'a', tcp = 22",
      "\"tcp\" must name a destination here, as in tcp = \"1.1.1.1:443\""
    ),
    (
      "interface = 'a', tcp = '1.1.1.1'",
      "\"tcp\": \"1.1.1.1\" is not HOST:PORT; an IPv6 address stands in brackets"
    ),
    (
      "interface = 'a', tcp = '2606:4700::1111:443'",
      "\"tcp\": \"2606:4700::1111:443\" is not HOST:PORT; an IPv6 address stands in brackets"
    ),
    (
      "interface = 'a', tcp = 'x:0'",
      "\"tcp\": \"x:0\" has no port from 1 to 65535 after the colon"
    ),
    (
      "interface = 'a', icmp = true",
      "\"icmp\" must name a destination here, as in icmp = \"1.1.1.1\""
    ),
    (
      "interface = 'a', icmp = '0.0.0.0'",
      "\"icmp\": \"0.0.0.0\" stands for any address, and a probe needs one"
    ),
    ("interface = 'a', icmp = 'fe80::1%b'", "\"icmp\": fe80::1 is on b, and the target is a"),
    ("host = 'a', icmp = '1.1.1.1'", "\"icmp\" goes to the target here: icmp = true"),
    ("host = 'a', icmp = false", "\"icmp\" goes to the target here: icmp = true"),
    ("host = 'a', dns = true", "\"dns\" must be a string, not true"),
    ("host = 'a', dns = 'a b'", "\"dns\": \"a b\" is neither a host name nor an address"),
    ("host = 'a', tcp = 22, dns = 'b'", "one probe at most, not tcp and dns"),
    (
      "host = 'a', tcp = 22, every = '1ms'",
      "\"every\": from 100ms to 24h"
    ),
  ])
  func `a probe that cannot be is refused`(options: String, fault: String) throws {
    let name = options.hasPrefix("interface") ? "interface:a" : "a"
    #expect(throws: ScriptError("t.lua:1: reach.target \"\(name)\": \(fault)")) {
      try load("reach.target{ \(options) }").get()
    }
  }

  @Test func `a file in lib is run once, and its result is returned`() throws {
    let folder = try TemporaryFolder()
    try folder.write("lib/names/short.lua", "count = (rawget(_ENV, 'count') or 0) + 1 return 'nas'")
    let path = try folder.write(
      "t.lua",
      """
      local name = require "lib.names.short"
      reach.on{ name = require("lib.names.short") .. count, target = reach.internet, change = print }
      """)
    let check = try #require(ScriptCheck.check([ScriptSource(name: "t", path: path)]).first)
    #expect(try check.result.get().hooks.map(\.name) == ["nas1"])
  }

  @Test(arguments: [
    ("os", "require \"os\": only files in lib/ are found, as \"lib.mail\""),
    ("lib/../x", "require \"lib/../x\": only files in lib/ are found, as \"lib.mail\""),
    ("lib..x", "require \"lib..x\": only files in lib/ are found, as \"lib.mail\""),
  ])
  func `nothing outside lib is required`(name: String, fault: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("t.lua", "require '\(name)'")
    let check = try #require(ScriptCheck.check([ScriptSource(name: "t", path: path)]).first)
    #expect(throws: ScriptError("\(path):1: \(fault)")) { try check.result.get() }
  }

  private func fault(_ text: String, _ libraries: KeyValuePairs<String, String>) throws -> String {
    let folder = try TemporaryFolder()
    for (name, text) in libraries { try folder.write("lib/\(name).lua", text) }
    let path = try folder.write("t.lua", text)
    let check = try #require(ScriptCheck.check([ScriptSource(name: "t", path: path)]).first)
    switch check.result {
    case .success: return "none"
    case .failure(let error): return error.description.replacing("\(folder.path)/", with: "")
    }
  }

  @Test func `a file that is missing is named, also where its folder is`() throws {
    #expect(
      try fault("require 'lib.mail'", [:])
        == "t.lua:1: require \"lib.mail\": there is no lib/mail.lua")
    #expect(
      try fault("require 'lib.mail'", ["a": ""])
        == "t.lua:1: require \"lib.mail\": there is no lib/mail.lua")
  }

  @Test func `files that require each other are an error that names them all`() throws {
    let circle = try fault(
      "require 'lib.first'",
      [
        "first": "require 'lib.a'", "a": "return require 'lib.b'",
        "b": "local function get(name) return require(name) end\nreturn get('lib.a')",
      ])
    #expect(
      circle
        == "t.lua: lib/b.lua:1: require goes in a circle: lib/a.lua → lib/b.lua → lib/a.lua")
    #expect(
      try fault("require 'lib.a'", ["a": "\nrequire 'lib.a'"])
        == "t.lua: lib/a.lua:2: require goes in a circle: lib/a.lua → lib/a.lua")
  }

  @Test func `a file that failed may be required again, and others after it`() throws {
    let text = """
      local fails, first = pcall(require, "lib.a")
      local again, second = pcall(require, "lib.a")
      assert(not fails and not again and first == second, second)
      assert(first:find("lib/a.lua:1: no", 1, true), first)
      assert(require "lib.b" == true and require "lib.b" == true)
      assert(not pcall(require, "lib.wrong") and not pcall(require, "lib.wrong"))
      """
    #expect(
      try fault(text, ["a": "error 'no'", "b": "", "wrong": "= ="]) == "none")
  }

  @Test func `a file in lib can declare, and cannot wait`() throws {
    #expect(
      try fault("require 'lib.a'", ["a": "reach.sleep(1)"])
        == "t.lua: lib/a.lua:1: reach.sleep waits; call it in a handler")
    #expect(
      try fault(
        "require 'lib.a'", ["a": "reach.on{ target = reach.internet, change = print }"]) == "none")
  }

  @Test func `bytecode is refused`() throws {
    let result = try load("\u{1b}Lua")
    #expect(throws: ScriptError.self) { try result.get() }
  }

  @Test func `a script that loops while it is loaded is ended with file and line`() throws {
    let result = try load("\nwhile true do end")
    #expect(
      throws: ScriptError("t.lua:2: more than 250 ms of processor time used")
    ) { try result.get() }
  }
}

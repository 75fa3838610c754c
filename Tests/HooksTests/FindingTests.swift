import Glibc
import Lua
import Posix
import Reachability
import TestSupport
import Testing

@testable import Hooks

/// What is found in a script, as rows of line, code and message.
private func findings(_ text: String, _ files: KeyValuePairs<String, String> = [:]) throws
  -> [String]
{
  let folder = try TemporaryFolder()
  for (name, text) in files { try folder.write(name, text) }
  let path = try folder.write("t.lua", text)
  let check = try #require(ScriptCheck.check([ScriptSource(name: "t", path: path)]).first)
  for finding in check.findings { #expect(finding.script == "t") }
  return check.findings.map { finding in
    let file = finding.file.replacing("\(folder.path)/", with: "")
    let place = file == "t.lua" ? "" : "\(file):"
    return "\(place)\(finding.line ?? 0) \(finding.code.rawValue) \(finding.message)"
      .replacing("\(folder.path)/", with: "")
  }
}

/// The codes of what is found, each with its line.
private func codes(_ text: String) throws -> [String] {
  try findings(text).map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
}

@Suite struct Faults {
  @Test(arguments: [
    ("\nreach.on{", "2 load-error unexpected symbol near <eof>"),
    (
      "reach.on{ target = reach.internt, change = print }",
      "1 load-error reach has no \"internt\"; did you mean \"internet\"?"
    ),
    ("error('no position', 0)", "0 load-error no position"),
    ("\nwhile true do end", "2 limit more than 250 ms of processor time used"),
    (
      "local t = {} for i = 1, 1e7 do t[i] = {} end",
      "1 limit more than 16384 KiB of memory in use"
    ),
  ])
  func `an error that ends the load has its line and is alone`(text: String, row: String) throws {
    let before = "reach.target{ host = 'a.example' } "
    #expect(try findings(before + text) == [row])
  }

  @Test func `an error in a file that is required is one of that file`() throws {
    #expect(
      try findings("require 'lib.x'", ["lib/x.lua": "\nreach.on{ tagret = 1 }"]) == [
        "lib/x.lua:2 load-error reach.on: unknown key \"tagret\"; did you mean \"target\"?"
      ])
    #expect(
      try findings("require 'lib.x'", ["lib/x.lua": "x = = 1"]) == [
        "lib/x.lua:1 load-error unexpected symbol near '='"
      ])
  }

  @Test func `of a file with a long path, of which messages name the end, the whole path is told`()
    throws
  {
    let folder = try TemporaryFolder()
    let long = String(repeating: "long/", count: 20)
    let broken = try folder.write("\(long)ä/broken.lua", "\n\nx = = 1")
    let lax = try folder.write(
      "\(long)lax.lua",
      "\nlocal t = reach.target{ host = 'a.example' } reach.on{ target = t, portal = print }")
    let checks = ScriptCheck.check([
      ScriptSource(name: "broken", path: broken), ScriptSource(name: "lax", path: lax),
    ])
    #expect(checks[0].findings.map(\.place) == ["\(broken):3:"])
    #expect(checks[0].findings.map(\.message) == ["unexpected symbol near '='"])
    #expect(checks[1].findings.map(\.place) == ["\(lax):2:", "\(lax):2:"])
  }

  @Test func `each probe that the system refuses is a fault`() throws {
    let declarations = try load(
      """
      local a = reach.target{ host = "a.example", icmp = true }
      local b = reach.target{ host = "b.example", tcp = 22 }
      local c = reach.target{ host = "c.example", http = "http://c.example" }
      reach.on{ target = reach.all{ a, b, c }, change = print }
      """
    ).get()
    let remarks = declarations.remarks(lost: []) { probe in
      if case .tcp = probe.kind { return nil }
      return SystemError("send a probe", code: EPERM)
    }
    #expect(remarks.map(\.code) == [.probeRefused, .probeRefused])
    #expect(remarks.map(\.code.severity) == [.fault, .fault])
    #expect(remarks.map(\.position?.line) == [1, 3])
    #expect(
      remarks.first?.message
        == "reach.target \"a.example\": send a probe: Operation not permitted")
  }
}

@Suite struct TargetFindings {
  @Test func `a host without a probe is warned of, unless the route is said to be enough`() throws {
    let advice =
      "without a probe a host that is switched off stays reachable; add one, such as tcp = 22, "
      + "or say that the route is enough: route = true"
    #expect(
      try findings(
        """
        local function declare(options)
          return reach.target(options)
        end
        local targets = {
          declare{ host = "a.example" }, declare{ host = "b.example", route = true },
          declare{ host = "c.example", tcp = 22 },
          reach.target{ address = "192.0.2.1", name = "d\\27" },
          reach.target{ interface = "eth0" },
        }
        reach.on{ target = reach.any(targets), change = print }
        """) == [
          "2 no-probe reach.target \"a.example\": \(advice)",
          "7 no-probe reach.target \"d\\u{1b}\": \(advice)",
        ])
  }

  @Test(arguments: [
    // Nobody hears of it, nor can.
    "reach.target{ interface = 'a' }",
    "local a = reach.target{ interface = 'a' }",
    "local a = reach.target{ interface = 'a' } a = nil",
    "local a = reach.target{ interface = 'a' } local function f() return a.status end",
    "do local t = { reach.target{ interface = 'a' } } print(t[1].status) end",
    "local a <const> = reach.target{ interface = 'a' } print(a)",
    "local function make() return reach.target{ interface = 'a' } end make()",
  ])
  func `a target that no hook uses and no function can get at is warned of`(text: String) throws {
    #expect(
      try findings("reach.on{ target = reach.internet, change = print }\n" + text) == [
        "2 unused-target reach.target \"interface:a\": no hook uses it, and no function of the "
          + "script can get at it"
      ])
  }

  @Test(arguments: [
    "reach.on{ target = a, change = print }",
    "reach.on{ target = reach.internet, given = a, change = print }",
    "reach.on{ target = reach.any{ a, reach.internet }, change = print }",
    "reach.on{ target = reach.internet, change = function() return a.status end }",
    "reach.on{ target = reach.internet, change = function() a:wait('reachable') end }",
    "local list = { deep = { a } } reach.every('1m', function() return list end)",
    "local list = setmetatable({}, { __index = { a } }) reach.after(1, function() return list end)",
    "local f = function() return a end local g = function() f() end reach.defer(function() g() end)",
    "reach.on{ target = reach.internet, change = print } shared = a",
    "reach.on{ target = reach.internet, change = print } _ENV['sha' .. 'red'] = { [a] = 1 }",
    "string = setmetatable({ a }, { __index = string }) reach.after(1, print)",
    "table.a = a reach.after(1, print)",
  ])
  func `a target that may be read is not warned of`(text: String) throws {
    #expect(try codes("local a = reach.target{ interface = 'a' }\n" + text) == [])
  }

  @Test func `what a required file keeps may be read`() throws {
    let keep = "local M = {} M.a = reach.target{ interface = 'a' } return M"
    let hook = "reach.on{ target = reach.internet, change = print } "
    #expect(try findings(hook + "require 'lib.x'", ["lib/x.lua": keep]) == [])
    #expect(
      try findings(
        hook + "require 'lib.x'", ["lib/x.lua": "\nreach.target{ interface = 'a' } return 1"]) == [
          "lib/x.lua:2 unused-target reach.target \"interface:a\": no hook uses it, and no function "
            + "of the script can get at it"
        ])
  }

  @Test func `of combined targets that nobody uses the outermost is warned of`() throws {
    #expect(
      try findings(
        """
        local a, b = reach.target{ interface = 'a' }, reach.target{ interface = 'b' }
        local both = reach.all{ a, b }
        local any = reach.any{ both, reach.internet, name = 'any' }
        reach.on{ target = reach.internet, change = print }
        """) == [
          "3 unused-target reach.any \"any\": no hook uses it, and no function of the script can "
            + "get at it"
        ])
  }

  @Test func `a member that is named twice changes nothing, unless it counts twice`() throws {
    #expect(
      try findings(
        """
        local a = reach.target{ interface = 'a' }
        local t = {
          reach.any{ a, reach.internet, a }, reach.all{ a, a, name = 'two' },
          reach.at_least(2, { a, a, reach.internet }),
        }
        reach.on{ target = reach.all(t), change = print }
        """) == [
          "3 repeated-member reach.all \"two\": names \"interface:a\" twice, which changes nothing",
          "3 repeated-member reach.any \"any(interface:a, internet, interface:a)\": names "
            + "\"interface:a\" twice, which changes nothing",
        ])
  }

  @Test func `a script that declares nothing that is called is warned of`() throws {
    let idle = "0 idle-script declares no hook, timer or reach.defer: nothing of it is ever called"
    #expect(try findings("") == [idle])
    #expect(try findings("reach.target{ interface = 'a' }") == [idle])
    #expect(try findings("reach.every('1m', print):cancel()") == [idle])
    #expect(try findings("reach.every('1m', print)") == [])
    #expect(try findings("reach.defer(print)") == [])
  }
}

@Suite struct HookFindings {
  /// What is found of a hook with some options, in words without its name.
  private func remarks(_ options: String) throws -> [String] {
    let text = """
      local T = function(options) options.name = options.name or 't' return reach.target(options) end
      local I = function(options) options.interface = 'u0' return T(options) end
      local wired = T{ interface = 'a', name = 'a', medium = { a = 'wired' } }
      local any = T{ interface = 'b', name = 'b' }
      local page = T{ internet = true, name = 'page', http = 'http://a.example' }
      keep = { T, I, wired, any, page }
      reach.on{ name = 'h', \(options) }
      """
    return try findings(text).map { $0.replacing("reach.on \"h\": ", with: "") }
  }

  @Test(arguments: [
    "target = reach.internet, portal = print, reachable = print",
    "target = reach.local_wifi, portal = print, reachable = print",
    "target = T{ host = 't', tcp = 1 }, portal = print, reachable = print",
    "target = T{ http = 'https://t' }, portal = print, reachable = print",
    "target = reach.any{ any, wired, name = 't' }, portal = print, reachable = print",
  ])
  func `a handler for a sign-in page that no probe can meet is dead`(options: String) throws {
    let name =
      options.contains("internet") ? "internet" : options.contains("wifi") ? "local_wifi" : "t"
    #expect(
      try remarks(options) == [
        "7 dead-handler \"portal\" is never called: only a probe over plain http meets a sign-in "
          + "page, and \"\(name)\" has none"
      ])
  }

  @Test(arguments: [
    (
      "target = reach.local_wifi, wired = print, wwan = print, wifi = print",
      ["wired", "wwan"], "\"local_wifi\" is reached by wifi alone"
    ),
    (
      "target = T{ internet = true, wwan = false }, wired = print, wifi = print, wwan = print",
      ["wwan"], "\"t\" says wwan = false"
    ),
    (
      "target = wired, wired = print, wifi = print, wwan = print", ["wifi", "wwan"],
      "\"a\" says that the medium of its interface is another one"
    ),
    (
      "target = reach.all{ wired, any, name = 't' }, wired = print, wifi = print", ["wifi"],
      "no member whose path \"t\" can take is ever reached by wifi"
    ),
    (
      "target = reach.at_least(2, { wired, reach.local_wifi, any, name = 't' }), "
        + "wired = print, wifi = print, wwan = print", ["wwan"],
      "no member whose path \"t\" can take is ever reached by wwan"
    ),
  ])
  func `a handler for a medium that cannot be is dead`(
    options: String, handlers: [String], reason: String
  ) throws {
    #expect(
      try remarks(options)
        == handlers.map { "7 dead-handler \"\($0)\" is never called: \(reason)" })
  }

  @Test func `a hook none of whose handlers can be called is dead`() throws {
    #expect(
      try remarks("target = reach.local_wifi, wired = print, wwan = print, portal = print") == [
        "7 dead-hook it never runs: only a probe over plain http meets a sign-in page, and "
          + "\"local_wifi\" has none; \"local_wifi\" is reached by wifi alone"
      ])
    let never = "\"t\" is never reachable, for it refuses its only medium, wwan"
    #expect(
      try remarks(
        "target = I{ medium = { u0 = 'wwan' }, wwan = false }, reachable = print, wifi = print")
        == ["7 dead-hook it never runs: \(never)"])
  }

  @Test(arguments: [
    "target = reach.internet, given = reach.internet",
    "target = any, given = reach.all{ any, reach.internet }",
    "target = reach.any{ any, reach.internet }, given = any",
    "target = reach.at_least(2, { any, wired, reach.internet }), given = reach.all{ any, wired }",
    "target = any, given = reach.all{ reach.internet, reach.all{ any, wired } }",
  ])
  func `a hook that its own target holds hears of nothing but reachable`(options: String) throws {
    let rows = try remarks("\(options), unreachable = print, portal = print, reachable = print")
    try #require(rows.count == 2)
    #expect(rows[0].hasPrefix("7 dead-handler \"portal\" is never called: "))
    #expect(rows[1].hasPrefix("7 dead-handler \"unreachable\" is never called: \"given\" holds"))
    #expect(try remarks("\(options), unreachable = print").count == 1)
    #expect(try remarks("\(options), unreachable = print")[0].hasPrefix("7 dead-hook "))
  }

  @Test(arguments: [
    "target = reach.internet, given = any, unreachable = print",
    "target = any, given = reach.any{ any, reach.internet }, unreachable = print",
    "target = reach.all{ any, reach.internet }, given = any, unreachable = print",
    "target = reach.at_least(2, { any, wired, reach.internet }), given = any, unreachable = print",
    "target = reach.internet, given = reach.internet, change = print",
    "target = page, portal = print, wired = print, wifi = print, wwan = print",
    "target = reach.all{ any, page }, portal = print",
    "target = reach.any{ wired, any }, wifi = print, wwan = print",
    "target = reach.at_least(1, { reach.local_wifi, wired }), wifi = print, wired = print",
    "target = T{ internet = true, wwan = false, medium = { u0 = 'wwan' } }, reachable = print",
    "target = I{ medium = { u1 = 'wired' } }, wifi = print, wwan = print",
    "target = I{ medium = { u0 = 'other' }, wwan = false }, reachable = print",
    "target = T{ network = { ssid = 'Home' } }, wired = print, wwan = print",
    "target = T{ address = '127.0.0.1', route = true }, unreachable = print, wifi = print",
    "target = T{ internet = true, metered = false }, wwan = print",
    // A status without a handler counts all the same.
    "target = page, reachable = print, stable = { unreachable = '30s', portal = '5s' }",
    "target = reach.internet, unreachable = print, stable = '5s', again = '5m', apart = '1h'",
    "target = reach.internet, wwan = print, again = { reachable = '5m' }",
    "target = reach.internet, change = print, apart = { unreachable = '5m' }, stable = '1s'",
    "target = reach.internet, change = print, wifi = print, initial = true",
    "target = reach.internet, change = print, initial = false",
    "target = reach.internet, reachable = print, apart = { portal = 0, unreachable = 0 }",
    // It counts from the end of a run, however long that took.
    "target = reach.internet, reachable = print, again = '100ms', deadline = '1h'",
  ])
  func `what may be is not warned of`(options: String) throws {
    #expect(try remarks(options) == [])
  }

  @Test(arguments: [
    (
      "target = reach.internet, reachable = print, stable = { portal = '5s', reachable = '1s' }",
      "\"stable\" for portal changes nothing: only a probe over plain http meets a sign-in page, "
        + "and \"internet\" has none"
    ),
    (
      "target = any, given = any, reachable = print, stable = { unreachable = '5s' }",
      "\"stable\" for unreachable changes nothing: \"given\" holds the hook while \"b\" is not "
        + "reachable"
    ),
    (
      "target = page, reachable = print, again = { unreachable = '5m', reachable = '5m' }",
      "\"again\" for unreachable changes nothing: the hook has no handler \"unreachable\""
    ),
    (
      "target = page, portal = print, again = { reachable = '5m' }",
      "\"again\" for reachable changes nothing: the hook has no handler \"reachable\", \"wired\", "
        + "\"wifi\" or \"wwan\""
    ),
    (
      "target = page, portal = print, apart = { unreachable = '5m' }",
      "\"apart\" for unreachable changes nothing: the hook has no handler \"unreachable\" or "
        + "\"change\""
    ),
    (
      "target = reach.internet, change = print, again = '5m'",
      "\"again\" changes nothing: the hook has no handler \"reachable\", \"wired\", \"wifi\" or "
        + "\"wwan\""
    ),
    (
      "target = reach.internet, change = print, initial = true",
      "\"initial\" changes nothing: a first verdict without a change goes to handlers of status and "
        + "medium, and the hook has none"
    ),
  ])
  func `an option that changes nothing is warned of`(options: String, remark: String) throws {
    #expect(try remarks(options) == ["7 dead-option \(remark)"])
  }

  @Test func `an option of a handler that is never called is not warned of besides`() throws {
    #expect(
      try remarks(
        "target = reach.internet, reachable = print, portal = print, apart = { portal = 60 }"
      ).count == 1)
  }

  @Test func `quiet hours of a whole day are an error`() throws {
    for hours in ["00:00-24:00", "07:00-07:00"] {
      #expect(
        try codes("reach.on{ target = reach.internet, change = print, quiet = '\(hours)' }") == [
          "1 load-error"
        ])
    }
  }

  @Test func `all that is found comes in the order of the lines`() throws {
    #expect(
      try codes(
        """
        reach.on{ name = 'a', target = reach.internet, change = print, again = 60 }
        local nas = reach.target{ host = 'nas.example' }

        reach.on{ name = 'b', target = reach.internet, change = print, portal = print }
        reach.target{ interface = 'a' }
        reach.on{
          name = 'c', target = reach.local_wifi, wired = print }
        """) == [
          "1 dead-option", "2 unused-target", "2 no-probe", "4 dead-handler", "5 unused-target",
          "6 dead-hook",
        ])
  }
}

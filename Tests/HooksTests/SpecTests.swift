import TestSupport
import Testing

@testable import Hooks

/// Specs of a hook, in a folder with it.
@Suite struct Specs {
  private static let hook = """
    local nas = reach.target{ host = "nas.lan", name = "nas", tcp = 22 }
    reach.on{ name = "pause", target = nas, stable = { reachable = "10s" },
      unreachable = function(e)
        reach.run{ "systemctl", "stop", "sync.service" }
        reach.store.reason = e.reason
      end,
      reachable = function(e)
        reach.run{ "systemctl", "start", "sync.service", check = true }
        reach.http{ url = "https://push.example/up", method = "PUT", body = e.via }
        reach.notify{ title = "back", body = e.ssid or "", replace = true }
        reach.write{ path = "/tmp/state", text = os.date("%H:%M") }
        reach.log.warn("via %s", e.via)
      end }
    """

  /// What is wrong with each test, nil where nothing is.
  private func run(
    _ spec: String, hook: String = Specs.hook, matching filter: String = ""
  ) throws -> [String?] {
    let folder = try TemporaryFolder()
    try folder.write("pause.lua", hook)
    try folder.write("pause_test.lua", spec)
    var results: [String?] = []
    try Spec("\(folder.path)/pause_test.lua").run(matching: filter) { result in
      results.append(result.failure?.replacing("\(folder.path)/", with: ""))
    }
    return results
  }

  /// Runs one test's body, with `t` as the rehearsal.
  private func test(_ body: String) throws -> String? {
    let results = try run(
      """
      it("does", function()
        local t = reach.test "pause"
        \(body)
      end)
      """)
    try #require(results.count == 1)
    return results[0]
  }

  @Test func `what a hook does is told, when its time has come`() throws {
    #expect(
      try test(
        """
        t:set{ nas = { status = "unreachable", reason = "timeout" } }
        assert.same({ "systemctl", "stop", "sync.service" }, t:ran "stop")
        assert.equal("timeout", t.store.reason)
        t:set{ nas = { status = "reachable", via = "wifi", ssid = "Home" } }
        t:advance "9s"
        assert.equal(1, #t:commands())
        t:advance(1)
        assert.same({ "systemctl", "start", "sync.service" }, t:commands()[2])
        assert.equal("https://push.example/up", t:ran "push.example")
        assert.same({ { method = "PUT", url = "https://push.example/up", body = "wifi",
          headers = {} } }, t:requests())
        assert.same({ { title = "back", body = "Home", urgency = "normal", replace = true } },
          t:notifications())
        assert.same({ { path = "/tmp/state", text = "12:00", append = false } }, t:written())
        local found
        for _, line in ipairs(t:log()) do found = found or line:find("^warn pause/pause: via wifi") end
        assert(found, "no warning")
        """) == nil)
  }

  @Test func `a deed ends as the test says, and takes as long`() throws {
    #expect(
      try test(
        """
        t:answer("start", { ok = false, stderr = "no such unit\\n", after = "5s" })
        t:set{ nas = "reachable" }
        t:advance "14s"
        assert.same({}, t:failures())
        t:advance "1s"
        assert.matches("exit code 1: no such unit", t:failures()[1])
        """) == nil)
  }

  @Test func `answers that nothing asked for are told under what is wrong`() throws {
    let failure = try test(
      """
      t:answer("rsnyc", { ok = false })
      t:answer("stop", { code = 1 })
      t:set{ nas = "unreachable" }
      t:answer("stop", { code = 2 })
      assert(false, "so")
      """)
    #expect(failure == "pause_test.lua:7: so\nanswer \"rsnyc\" was never asked for")
  }

  @Test func `what leads a rehearsal has no place outside of tests`() throws {
    for (call, text) in [
      ("t:set{ nas = 'reachable' }", "t:set: call it in it(…) or before_each(…)"),
      ("t.set{ nas = 'reachable' }", "write t:set{ … }, with a colon"),
      ("t:commands()", "t is led by tests; use it within it(…) or before_each(…)"),
    ] {
      let error = #expect(throws: ScriptError.self) {
        try run("describe('x', function()\n  local t = reach.test 'pause'\n  \(call)\nend)")
      }
      #expect(error?.description.hasSuffix("pause_test.lua:3: \(text)") == true, "\(error as Any)")
    }
  }

  @Test func `a handler that fails fails the test`() throws {
    let failure = try test(
      """
      t:answer("start", { ok = false })
      t:set{ nas = "reachable" }
      t:advance "1m"
      """)
    #expect(
      try #require(failure).hasPrefix(
        "a handler failed: pause/pause: pause.lua:8: systemctl start sync.service: exit code 1"))
  }

  @Test(arguments: [
    ("assert.equal(1, 2)", "not equal\n  expected: 1\n  actual:   2"),
    ("assert.equal(nil, false, 'sum')", "sum: not equal\n  expected: nil\n  actual:   false"),
    (
      "assert.equal({}, {})",
      "not the same table; assert.same compares what is in them\n  expected: {}\n  actual:   {}"
    ),
    (
      "assert.same({ a = { 1, 2 } }, { a = { 1, 3 } })",
      "not the same at .a[2]\n  expected: { a = { 1, 2 } }\n  actual:   { a = { 1, 3 } }"
    ),
    (
      "assert.same({ 1 }, { 1, ['x y'] = 'a\\nb' })",
      "not the same at [\"x y\"]\n  expected: { 1 }\n  actual:   { 1, [\"x y\"] = \"a\\nb\" }"
    ),
    ("assert.is_true(1)", "not what it must be\n  expected: true\n  actual:   1"),
    ("assert.is_false(nil)", "not what it must be\n  expected: false\n  actual:   nil"),
    ("assert.is_nil('')", "not what it must be\n  expected: nil\n  actual:   \"\""),
    ("assert.has_error(function() end)", "no error\n  expected: an error\n  actual:   none"),
    (
      "assert.has_error(function() error('a', 0) end, 'b')",
      "another error\n  expected: \"b\"\n  actual:   \"a\""
    ),
    (
      "assert.matches('%d+', 'none')",
      "no match\n  expected: a text that matches \"%d+\"\n  actual:   \"none\""
    ),
    (
      "assert.matches('no-route', 'no-route')",
      "no match; in a pattern what is no letter or digit has a % before it\n"
        + "  expected: a text that matches \"no-route\"\n  actual:   \"no-route\""
    ),
    (
      "it('y', function() end)", "it has no place within a test, where it would be too late"
    ),
    (
      "before_each(function() end)",
      "before_each has no place within a test, where it would be too late"
    ),
    ("assert(nil)", "expected a true value, got nil"),
    ("assert(false, 'so')", "so"),
    ("assert.equals(1, 1)", "assert has no \"equals\"; did you mean \"equal\"?"),
    ("assert.equal = 1", "assert is read-only"),
    ("local x = nope", "undefined global \"nope\""),
    (
      "reach.on{}",
      "reach.on is none of a spec's; a spec has reach.hostname, reach.json, reach.log, reach.test"
    ),
  ]) func `an assertion that fails says where, and tells both values`(body: String, text: String)
    throws
  {
    #expect(try run("it('x', function()\n  \(body)\nend)") == ["pause_test.lua:2: \(text)"])
  }

  @Test func `assertions that hold return what they were given`() throws {
    #expect(
      try run(
        """
        it("x", function()
          local a, b = assert("v", "m")
          assert.equal("vm", a .. b)
          assert.same({ 1, { 2 } }, { 1, { 2 } })
          assert.equal("f", assert.equal("f", "f"))
          assert.matches("deep", assert.has_error(function() error("deep") end))
          assert.has_error(function() error("deep down") end, "deep")
          assert.has_error(function() error({ code = 1 }) end)
          assert.is_true(true) assert.is_false(false) assert.is_nil(nil)
        end)
        """) == [nil])
  }

  @Test(arguments: [
    (
      "t:set{ nass = 'reachable' }", "t:set: no target \"nass\"; did you mean \"nas\"?"
    ),
    (
      "t:set{ nas = 'reachabel' }",
      "t:set: nas: status: \"reachabel\" is none of unknown, unreachable, portal, reachable; did you mean \"reachable\"?"
    ),
    (
      "t:set{ nas = { status = 'reachable', vai = 'wifi' } }",
      "t:set: nas: unknown key \"vai\"; did you mean \"via\"?"
    ),
    (
      "t:set{ nas = { status = 'reachable', stats = 'wifi' } }",
      "t:set: nas: unknown key \"stats\"; did you mean \"status\"?"
    ),
    (
      "t:set{ nas = { via = 'wifi' } }",
      "t:set: nas: \"status\" is missing, as in status = \"reachable\""
    ),
    (
      "t:advance 'soon'",
      "t:advance takes a duration: seconds, or a text such as \"10s\" or \"1h30m\", not \"soon\"; "
        + "the units are ms, s, m and h"
    ),
    ("t:restart(1)", "t:restart takes nothing"),
    (
      "t:answer('x', { kode = 1 })", "t:answer \"x\": unknown key \"kode\"; did you mean \"code\"?"
    ),
    (
      "t:answer('systemctl', 'active')",
      "t:answer takes a part of a command line or URL and how it ends, as in "
        + "t:answer(\"systemctl\", { ok = false })"
    ),
    ("t:advanced '1s'", "t has no \"advanced\"; did you mean \"advance\"?"),
    (
      "reach.test 'pausse'",
      "reach.test: no script \"pausse\" beside the spec; did you mean \"pause\"?"
    ),
    ("reach.test 'other.lua'", "reach.test: no script \"other\" beside the spec"),
    ("reach.test 'other/pause'", "reach.test: open other: No such file or directory"),
    (
      "t.set{ nas = 'reachable' }", "write t:set{ … }, with a colon"
    ),
    ("t.commands()", "write t:commands(), with a colon"),
    ("t.answer('a', {})", "write t:answer(…), with a colon"),
    ("t.store = {}", "t is read-only"),
    ("local x = t[1]", "t is indexed by names, not by a number"),
    ("t:sleep '1s'", "t has no \"sleep\"; did you mean \"advance\"?"),
    (
      "t:go()",
      "t has no \"go\"; it has advance, answer, commands, failures, log, notifications, ran, "
        + "reboot, reload, requests, restart, set, store, suspend and written"
    ),
    ("sleep(5)", "undefined global \"sleep\"; write t:advance"),
    ("reach.log('x')", "reach.log is no function; write reach.log.info(…)"),
    ("reach('x')", "reach is no function; it has hostname, json, log and test"),
    (
      "t:set{ nas = { status = 'unreachable', reason = 'dwon' } }",
      "t:set: nas: reason: \"dwon\" is no reason; reasons are no-route, link-down, no-carrier, "
        + "no-address, interface-missing, blackhole, prohibited, host-unreachable, filtered, "
        + "not-permitted, dns, timeout, refused, reset, tls, http-status, portal, wwan-not-allowed, "
        + "metered-not-allowed and network-differs"
    ),
    (
      "t:answer('x', { ok = true, code = 1 })",
      "t:answer \"x\": \"ok\" says one thing, and \"code\" the other"
    ),
    (
      "t:answer('x', { ok = false, status = 204 })",
      "t:answer \"x\": \"ok\" says one thing, and \"status\" the other"
    ),
    (
      "reach.test('pause', { at = 'noon' })",
      "reach.test \"pause\": \"at\": \"noon\" is not a time, as in 2026-11-30T18:00:00"
    ),
  ]) func `what a rehearsal cannot do is refused, with the nearest right thing`(
    body: String, text: String
  ) throws {
    let failure = try test(body)
    #expect(failure == "pause_test.lua:3: \(text)")
  }

  @Test func `the store of a script in a folder of its own is its own`() throws {
    let folder = try TemporaryFolder()
    try folder.write("greet/main.lua", "reach.on{ target = reach.internet, reachable = print }")
    try folder.write(
      "greet_test.lua",
      """
      it("keeps", function()
        local t = reach.test("greet/main.lua", { store = { count = 5 } })
        assert.equal(5, t.store.count)
      end)
      """)
    var failures: [String?] = []
    try Spec("\(folder.path)/greet_test.lua").run { failures.append($0.failure) }
    #expect(failures == [nil])
  }

  @Test func `a name that no secret has is none in a spec either`() throws {
    let results = try run(
      "it('x', function() reach.test 'pause' end)", hook: "reach.secret('../key')")
    #expect(
      results[0]?.hasSuffix("reach.secret: \"../key\" is no name of a file") == true)
  }

  @Test func `a broken hook says what is wrong with it`() throws {
    let results = try run(
      "it('x', function() local t = reach.test 'pause' end)",
      hook: "reach.on{ target = reach.internet, reachabel = print }")
    #expect(try #require(results[0]).hasPrefix("pause_test.lua:1: reach.test: pause.lua:1: "))
    #expect(try #require(results[0]).contains("reachable"))
  }

  @Test(arguments: [
    (
      "reach.internet:wait 'gone'",
      "target:wait: there is no status \"gone\"; it is unknown, unreachable, portal or reachable"
    ),
    (
      "reach.internet:wait 'online'",
      "target:wait: there is no status \"online\"; did you mean \"reachable\"?"
    ),
    (
      "reach.run{ cmd = 'ls' }",
      "reach.run: unknown key \"cmd\"; the words of the command come first, as in "
        + "reach.run{ \"ls\", \"-l\" }"
    ),
    (
      "reach.http{ url = 'http://a/', data = '' }",
      "reach.http: unknown key \"data\"; did you mean \"body\"?"
    ),
    (
      "reach.notify{ title = 'a', text = '' }",
      "reach.notify: unknown key \"text\"; did you mean \"body\"?"
    ),
    (
      "reach.write{ path = 'a', content = '' }",
      "reach.write: unknown key \"content\"; did you mean \"text\"?"
    ),
  ]) func `what a handler writes as others do is told with the right word`(
    call: String, text: String
  ) throws {
    let results = try run(
      """
      it("x", function()
        local t = reach.test "pause"
        t:set{ internet = "reachable" }
        error(t:failures()[1], 0)
      end)
      """, hook: "reach.on{ target = reach.internet, reachable = function() \(call) end }")
    #expect(try #require(results[0]).hasPrefix("pause/internet: pause.lua:1: \(text)"))
  }

  @Test func `blocks set up before and clean up after each of their tests`() throws {
    #expect(
      try run(
        """
        local trace = {}
        before_each(function() trace[#trace + 1] = "b1" end)
        after_each(function() trace[#trace + 1] = "a1" end)
        describe("outer", function()
          after_each(function() trace[#trace + 1] = "a2" end)
          describe("inner", function()
            it("one", function() trace[#trace + 1] = "one" error("lost") end)
            before_each(function() trace[#trace + 1] = "b3" end)
          end)
          before_each(function() trace[#trace + 1] = "b2" end)
        end)
        it("two", function()
          assert.equal("b1 b2 b3 one a2 a1 b1", table.concat(trace, " "))
        end)
        """) == ["pause_test.lua:7: lost", nil])
  }

  @Test func `a rehearsal of the file's begins anew with each test`() throws {
    #expect(
      try run(
        """
        local t = reach.test("pause", { at = "2026-03-01T06:30:00", store = { reason = "old" } })
        for n = 1, 2 do
          it("test " .. n, function()
            assert.equal("old", t.store.reason)
            assert.same({}, t:commands())
            t:set{ nas = "unreachable" }
            assert.equal(1, #t:commands())
            t:set{ nas = "reachable" }
            t:advance "10s"
            assert.equal("06:30", t:written()[1].text)
          end)
        end
        assert.has_error(function() t:commands() end, "use it within it")
        """) == [nil, nil])
  }

  @Test func `lives, reloads and suspends are led like time`() throws {
    let hook = """
      reach.on{ target = reach.internet, initial = true,
        reachable = function(e) reach.run{ "up", e.cause } end,
        unreachable = function(e) reach.run{ "down", e.cause } end }
      reach.defer(function(why) reach.run{ "bye", why } end)
      """
    #expect(
      try run(
        """
        it("x", function()
          local t = reach.test "pause"
          t:set{ internet = "reachable" }
          t:restart() t:reload()
          t:suspend "8h"
          t:set{ internet = "unreachable" }
          t:advance "2s"
          t:reboot()
          t:set{ internet = "reachable" }
          local words = {}
          for i, c in ipairs(t:commands()) do words[i] = table.concat(c, " ") end
          assert.same({ "up restart", "bye shutdown", "up restart", "bye reload", "up reload",
            "down resume", "bye shutdown", "up restart" }, words)
        end)
        """, hook: hook) == [nil])
  }

  @Test func `a test that never ends is ended, and the next one runs`() throws {
    let hook = """
      reach.on{ target = reach.internet, reachable = function() while true do end end }
      """
    let results = try run(
      """
      it("loops", function() while true do end end)
      it("looping hook", function()
        local t = reach.test "pause"
        t:set{ internet = "reachable" }
      end)
      it("next", function() end)
      """, hook: hook)
    #expect(results.count == 3)
    #expect(try #require(results[0]).contains("processor time"))
    #expect(try #require(results[1]).contains("processor time"))
    #expect(results[2] == nil)
  }

  @Test func `only the tests that are asked for run`() throws {
    #expect(
      try run(
        """
        describe("a", function() it("b", function() error("b", 0) end) end)
        it("c", function() error("c", 0) end)
        """, matching: "a b") == ["b"])
  }

  @Test func `a spec that cannot be loaded says why`() throws {
    let error = #expect(throws: ScriptError.self) { _ = try run("it('x', 1)") }
    #expect("\(try #require(error))".contains("pause_test.lua:1: it takes a name and a function"))
  }
}

import Posix
import Reachability
import TestSupport
import Testing

@testable import Hooks

/// Calls that somebody asked for, in a real host.
@Suite struct Firings {
  /// What the only hook was told, and the clocks that go on from there.
  private func told(_ host: HostedScript) throws -> Told? {
    try host.ask { $0.scripts.first?.hooks.first?.hearing.told }
  }

  private func prints(_ host: HostedScript) -> [String] {
    host.folder.read("log").split(separator: "\n").map(String.init)
  }

  private let note = """
    local line = reach.target{ interface = "nosuch0", name = "line" }
    local function note(...)
      local words = table.pack(...)
      for i = 1, words.n do words[i] = tostring(words[i]) end
      reach.write{ path = "log", text = table.concat(words, " ") .. "\\n", append = true }
    end

    """

  @Test func `a call is for real, and neither the record nor a clock takes notice`() throws {
    let host = try HostedScript(
      note + """
        reach.on{ name = "my hook", target = line, apart = "1h", again = "1h", stable = "1h",
          reachable = function(e) note("r", e.status, e.was, e.via, e.ssid, e.changed.via) end,
          wifi = function(e) note("w", e.interface) end, change = function() note("c") end }
        """)
    try host.settle("line")
    let before = try told(host)
    let words = ["fire", "t/my hook", "reachable", "via=wifi", "ssid=Café 5G", "interface=wlan0"]
    let replies = Record<ControlReply>()
    _ = try host.request(words, replies)
    _ = try host.request(words, replies)
    #expect(eventually { replies.all.count == 2 })
    #expect(replies.all.allSatisfy { $0.kind == .done })
    #expect(replies.all[0].text.hasPrefix("t/my hook: fired reachable: finished after "))
    #expect(
      prints(host)
        == Array(repeating: ["r reachable unknown wifi Café 5G true", "w wlan0"], count: 2)
        .flatMap(\.self))
    #expect(try told(host) == before)
    #expect(try host.ask { $0.runs.isEmpty && $0.firings.isEmpty })
  }

  @Test func `a call begins after the run in progress, and what is news waits for the call`() throws
  {
    let host = try HostedScript(
      note + """
        reach.on{ target = line, change = function() end,
          reachable = function(e) note("begin", e.was) reach.sleep("300ms") note("end") end,
          unreachable = function(e)
            note("begin", e.status, e.was) reach.sleep("300ms") note("end")
          end }
        """)
    try host.settle("line")
    #expect(try host.told() == "u")
    try host.tell(["line": "w"])
    #expect(eventually { prints(host).count == 3 })
    let replies = Record<ControlReply>()
    _ = try host.request(["fire", "t/line", "unreachable"], replies)
    #expect(try host.ask { $0.firings.count } == 1)
    #expect(eventually { prints(host).count == 5 })
    try host.tell(["line": "u"])
    #expect(eventually { prints(host).count == 8 })
    #expect(
      prints(host) == [
        "begin unreachable unknown", "end", "begin unreachable", "end",
        // Asked for, while the hook was told that it is reachable.
        "begin unreachable reachable", "end", "begin unreachable reachable", "end",
      ])
    #expect(replies.all.map(\.kind) == [.done])
    #expect(try host.told() == "u")
  }

  @Test func `a call that fails is no success, and the hook is told nothing by it`() throws {
    let host = try HostedScript(
      note + """
        reach.on{ target = line, initial = false, unreachable = function() error("no", 0) end }
        """)
    try host.settle("line")
    let reply = try host.answer("fire", "t/line", "unreachable")
    #expect(reply == ControlReply(.failed, "t/line: fired unreachable: failed: no"))
    #expect(try #require(try told(host)).unfinished == nil)
  }

  @Test func `what cannot be called is refused, with what could`() throws {
    let host = try HostedScript(
      note + "reach.on{ name = 'h', target = line, reachable = function() end }")
    try host.settle("line")
    #expect(
      try host.answer("fire", "tt/h", "reachable")
        == ControlReply(.unusable, "no script \"tt\"; did you mean \"t\"?"))
    #expect(
      try host.answer("fire", "t/hh", "reachable")
        == ControlReply(.unusable, "t has no hook \"hh\"; did you mean \"h\"?"))
    #expect(
      try host.answer("fire", "t/h", "portal")
        == ControlReply(.unusable, "t/h has no handler for that; it has reachable"))
    #expect(try host.answer("enable", "t/h") == ControlReply(.done, "t/h is enabled"))
    #expect(
      try host.answer("enable", "t/g")
        == ControlReply(.unusable, "t has no hook \"g\"; did you mean \"h\"?"))
  }

  @Test func `a script that rests after a kill is not called, and is loaded at once by enable`()
    throws
  {
    let host = try HostedScript(
      note + """
        reach.on{ name = "spin", target = line, reachable = function() while true do end end }
        reach.on{ name = "wait", target = line, reachable = function() reach.sleep("1h") end }
        """)
    try host.settle("line")
    let waiting = Record<ControlReply>()
    _ = try host.request(["fire", "t/wait", "reachable"], waiting)
    let spun = try host.answer("fire", "t/spin", "reachable")
    #expect(spun.kind == .failed)
    #expect(spun.text.contains("more than 250 ms of processor time used"))
    #expect(eventually { !waiting.all.isEmpty })
    #expect(waiting.all == [ControlReply(.failed, "broken off: its script was killed")])
    #expect(
      try host.answer("fire", "t/wait", "reachable")
        == ControlReply(
          .refused, "t is not loaded: it rests after a kill; reach enable ends that"))
    let enabled = try host.answer("enable", "t")
    #expect(enabled.kind == .done)
    #expect(enabled.text.hasPrefix("loaded 2 hooks from "))
    #expect(try host.ask { $0.scripts.first?.script != nil })
  }

  @Test func `what was asked for before a reload is called in the new version`() throws {
    let script =
      note + """
        reach.on{ name = "h", target = line, reachable = function()
          note("VERSION") reach.sleep("300ms")
        end }
        """
    let host = try HostedScript(
      ["t.lua": script.replacing("VERSION", with: "one")])
    try host.settle("line")
    let replies = Record<ControlReply>()
    _ = try host.request(["fire", "t/h", "reachable"], replies)
    #expect(eventually { prints(host) == ["one"] })
    _ = try host.request(["fire", "t/h", "reachable"], replies)
    try host.folder.write("t.lua", script.replacing("VERSION", with: "two"))
    #expect(eventually { replies.all.count == 2 })
    #expect(replies.all.map(\.kind) == [.done, .done])
    #expect(prints(host) == ["one", "two"])
  }

  @Test func `a newer event cancels a call where the hook's mode is restart`() throws {
    let host = try HostedScript(
      note + """
        reach.on{ target = line, mode = "restart", initial = false,
          reachable = function() note("begin") reach.sleep("1h") end, unreachable = print }
        """)
    try host.settle("line")
    #expect(try host.told() == "u")
    let replies = Record<ControlReply>()
    _ = try host.request(["fire", "t/line", "reachable"], replies)
    #expect(eventually { !prints(host).isEmpty })
    try host.tell(["line": "w"])
    #expect(eventually { prints(host).count == 2 })
    #expect(replies.all.map(\.kind) == [.failed])
    #expect(try #require(try told(host)).last.verdict.status == .reachable)
  }

  @Test func `nobody who has gone is waited for by a call that has not begun`() throws {
    let host = try HostedScript(
      note + "reach.on{ target = line, reachable = function() note('run') reach.sleep('1h') end }")
    try host.settle("line")
    let replies = Record<ControlReply>()
    _ = try host.request(["fire", "t/line", "reachable"], replies)
    #expect(eventually { prints(host) == ["run"] })
    let answer = try host.request(["fire", "t/line", "reachable"], replies)
    let left = try host.ask { host in
      answer.abandonment?()
      return host.firings.count
    }
    #expect(left == 0)
  }
}

import Posix
import Reachability
import TestSupport
import Testing

@testable import Hooks

/// Scripts under a clock that stands still.
@Suite struct Rehearsals {
  /// Monday 2026-01-05, noon.
  private let noon: Int64 = 1_767_614_400

  private func rehearse(_ text: String) throws -> (Rehearsal, TemporaryFolder) {
    let folder = try TemporaryFolder()
    try folder.write("t.lua", text)
    return (try Rehearsal(["\(folder.path)/t.lua"], at: noon), folder)
  }

  private let wired: Verdict = {
    var path = Path()
    path.medium = .wired
    path.flags = .reachable
    return Verdict(.reachable, path: path)
  }()

  private func commands(_ rehearsal: Rehearsal) -> [String] {
    rehearsal.stage.entries.compactMap { entry in
      if case .deed(.command(let command)) = entry.happening {
        let second = (entry.moment - BootInstant(nanoseconds: 60_000_000_000)).seconds
        return "\(Int(second)) \(command.words.joined(separator: " "))"
      }
      return nil
    }
  }

  @Test func `a command is noted when stability lets the hook hear, and is not run`() throws {
    let (rehearsal, folder) = try rehearse(
      """
      reach.on{ target = reach.internet, stable = { unreachable = "0s", reachable = "10s" },
        unreachable = function() reach.run{ "touch", "lost" } end,
        reachable = function() reach.sleep("5s") reach.run{ "touch", "back" } end }
      """)
    try rehearsal.set(["internet": Verdict(.unreachable, reason: .noRoute)])
    try rehearsal.advance(by: .seconds(100))
    try rehearsal.set(["internet": wired])
    try rehearsal.advance(by: .seconds(9))
    #expect(commands(rehearsal) == ["0 touch lost"])
    try rehearsal.advance(by: .seconds(86400))
    #expect(commands(rehearsal) == ["0 touch lost", "115 touch back"])
    #expect(!FileDescriptor.exists("\(folder.path)/lost"))
  }

  private func failures(_ rehearsal: Rehearsal) -> [String] {
    rehearsal.stage.entries.compactMap { entry in
      if case .failure(let message) = entry.happening { "\(entry.origin): \(message)" } else { nil }
    }
  }

  @Test func `what a script says while it loads, and fails at then, is no fault of loading`() throws
  {
    let (rehearsal, folder) = try rehearse(
      """
      reach.log.error("begins")
      reach.on{ name = "h", target = reach.internet, initial = true,
        unreachable = function() error("no", 0) end }
      """)
    try rehearsal.set(["internet": Verdict(.unreachable, reason: .noRoute)])
    try rehearsal.restart()
    #expect(failures(rehearsal) == ["t/h: no", "t/h: no"])
    withExtendedLifetime(folder) {}
  }

  @Test func `a timer that a limit kills has failed, one that goes with its script has not`() throws
  {
    let (rehearsal, folder) = try rehearse(
      """
      reach.every("1m", function() reach.sleep("40s") end)
      reach.after("90s", function() while true do end end)
      """)
    try rehearsal.advance(by: .seconds(70))
    try rehearsal.restart()
    #expect(failures(rehearsal).isEmpty)
    try rehearsal.advance(by: .seconds(91))
    let text = try #require(failures(rehearsal).first)
    #expect(text.hasPrefix("t/after 1m30s: "))
    #expect(text.hasSuffix(": more than 250 ms of processor time used"))
    withExtendedLifetime(folder) {}
  }

  @Test func `after a suspend nothing is told again before what was lost is known`() throws {
    let (rehearsal, _) = try rehearse(
      """
      reach.on{ target = reach.internet, again = { reachable = "10m" },
        reachable = function() reach.run{ "sync" } end }
      """)
    try rehearsal.set(["internet": wired])
    try rehearsal.suspend(for: .seconds(3600))
    try rehearsal.set(["internet": Verdict(.unreachable, reason: .noCarrier)])
    try rehearsal.advance(by: .seconds(3600))
    #expect(commands(rehearsal) == ["0 sync"])
  }

  @Test func `what its probe took away its probe brings back`() throws {
    let (rehearsal, _) = try rehearse(
      "reach.on{ target = reach.internet, reachable = function(e) reach.run{ e.cause } end }")
    var lost = Verdict(.unreachable, reason: .timeout)
    lost.cause = .remote
    try rehearsal.set(["internet": lost])
    try rehearsal.set(["internet": wired])
    #expect(commands(rehearsal) == ["0 remote"])
  }

  @Test func `what runs out of time takes the time that it has`() throws {
    let (rehearsal, _) = try rehearse(
      """
      reach.on{ target = reach.internet, reachable = function()
        local result = reach.run{ "rsync", timeout = "30s" }
        reach.run{ "late", tostring(result.timed_out) }
      end }
      """)
    var answer = StagedAnswer()
    answer.timesOut = true
    rehearsal.stage.answer("rsync", with: answer)
    try rehearsal.set(["internet": wired])
    try rehearsal.advance(by: .seconds(60))
    #expect(commands(rehearsal) == ["0 rsync", "30 late true"])
  }

  @Test func `a script shows as many notifications as the daemon lets it`() throws {
    let (rehearsal, _) = try rehearse(
      """
      reach.on{ target = reach.internet, reachable = function()
        local shown = 0
        for _ = 1, 12 do if reach.notify{ title = "up" }.ok then shown = shown + 1 end end
        reach.run{ "shown", tostring(shown) }
      end }
      """)
    try rehearsal.set(["internet": wired])
    #expect(commands(rehearsal) == ["0 shown 10"])
  }

  @Test func `what stops, restarts and reboots is told again as the daemon tells it`() throws {
    let (rehearsal, folder) = try rehearse(
      """
      reach.on{ target = reach.internet, change = function() end,
        reachable = function(e)
          reach.store.count = (reach.store.count or 0) + 1
          reach.run{ "up", tostring(reach.store.count), tostring(e.initial), e.was, e.cause }
        end }
      reach.defer(function(why) reach.run{ "bye", why } end)
      """)
    defer { withExtendedLifetime(folder) {} }
    try rehearsal.set(["internet": wired])
    #expect(commands(rehearsal) == ["0 up 1 true unknown restart"])
    try rehearsal.advance(by: .seconds(10))
    try rehearsal.restart()
    #expect(commands(rehearsal).dropFirst() == ["10 bye shutdown"])
    try rehearsal.reload()
    #expect(commands(rehearsal).dropFirst(2) == ["10 bye reload"])
    try rehearsal.reboot()
    try rehearsal.set(["internet": wired])
    #expect(
      commands(rehearsal).dropFirst(3) == ["10 bye shutdown", "10 up 2 true unknown restart"])
  }

  @Test func `after a suspend nothing gets worse for two seconds`() throws {
    let (rehearsal, folder) = try rehearse(
      """
      reach.on{ target = reach.internet, reachable = function() end,
        unreachable = function(e) reach.run{ "lost", e.cause } end }
      reach.every("1h", function() reach.run{ "tick" } end)
      """)
    defer { withExtendedLifetime(folder) {} }
    try rehearsal.set(["internet": wired])
    try rehearsal.suspend(for: .seconds(5400))
    #expect(commands(rehearsal) == ["5400 tick"])
    try rehearsal.set(["internet": Verdict(.unreachable, reason: .noRoute)])
    try rehearsal.advance(by: .seconds(1))
    #expect(commands(rehearsal).count == 1)
    try rehearsal.advance(by: .seconds(1))
    #expect(commands(rehearsal).dropFirst() == ["5402 lost resume"])
  }

  @Test func `deeds take the time and end as they are answered`() throws {
    let (rehearsal, folder) = try rehearse(
      """
      reach.on{ target = reach.internet, reachable = function()
        local r = reach.run{ "slow", timeout = "20s" }
        local h = reach.http{ url = "https://nas.lan/wake", method = "PUT" }
        local w = reach.write{ path = "/nowhere/at/all", text = "x" }
        local n = reach.notify{ title = "Hi" }
        reach.run{ tostring(r.timed_out), tostring(h.status), tostring(w.error), tostring(n.ok) }
        reach.run{ "checked", check = true }
      end }
      """)
    defer { withExtendedLifetime(folder) {} }
    var slow = StagedAnswer()
    slow.after = .seconds(3600)
    rehearsal.stage.answer("slow", with: slow)
    var teapot = StagedAnswer()
    teapot.status = 418
    rehearsal.stage.answer("nas.lan", with: teapot)
    var full = StagedAnswer()
    full.error = "disk full"
    rehearsal.stage.answer("/nowhere", with: full)
    var bad = StagedAnswer()
    bad.isGood = false
    rehearsal.stage.answer("checked", with: bad)
    try rehearsal.set(["internet": wired])
    try rehearsal.advance(by: .seconds(60))
    #expect(
      commands(rehearsal) == ["0 slow", "20 true 418 disk full true", "20 checked"])
    let failures = rehearsal.stage.entries.compactMap { entry in
      if case .failure(let text) = entry.happening { text } else { nil }
    }
    #expect(failures.count == 1 && failures[0].contains("checked: exit code 1"))
  }

  @Test func `a name that is none of a target's, or of a combined one, is refused`() throws {
    let (rehearsal, folder) = try rehearse(
      """
      local nas = reach.target{ host = "nas.lan", name = "nas", tcp = 22, wwan = false }
      local both = reach.all{ nas, reach.internet, name = "both" }
      reach.on{ target = both, change = function() end,
        reachable = function() reach.run{ "both" } end,
        unreachable = function(e) reach.run{ "not", e.reason } end }
      """)
    defer { withExtendedLifetime(folder) {} }
    #expect(throws: Rehearsal.Failure.self) { try rehearsal.set(["nass": wired]) }
    #expect(throws: Rehearsal.Failure.self) { try rehearsal.set(["both": wired]) }
    try rehearsal.set(["nas": wired, "internet": wired])
    var mobile = wired
    mobile.path.medium = .wwan
    mobile.path.flags = [.reachable, .isWWAN]
    try rehearsal.set(["nas": mobile])
    #expect(commands(rehearsal) == ["0 both", "0 not wwan-not-allowed"])
  }

  @Test func `a script finds the time of the rehearsal, and no secrets`() throws {
    let (rehearsal, folder) = try rehearse(
      """
      reach.every("1h", function()
        reach.run{ os.date("!%H:%M"), tostring(os.time()), reach.secret("mail") }
      end)
      """)
    defer { withExtendedLifetime(folder) {} }
    try rehearsal.advance(by: .seconds(7200))
    #expect(
      commands(rehearsal) == [
        "3600 13:00 1767618000 secret-mail", "7200 14:00 1767621600 secret-mail",
      ])
  }

  @Test func `a script that is broken says what is wrong, and where`() throws {
    let failure = #expect(throws: Rehearsal.Failure.self) {
      _ = try rehearse("reach.on{ target = reach.internet,\n reachabel = print }")
    }
    #expect("\(try #require(failure))".contains("t.lua:1: "))
    #expect("\(try #require(failure))".contains("reachable"))
  }
}

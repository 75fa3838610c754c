import TestSupport
import Testing

@Suite struct Timers {
  @Test func `a timer comes again without overlapping itself, until it is cancelled`() throws {
    var run = try HandlerRun()
    run.declarations = """
      n, busy = 0, false
      timer = reach.every("100ms", function()
        assert(not busy)
        busy = true
        n = n + 1
        reach.sleep("250ms")
        busy = false
        if n == 3 then timer:cancel() end
      end)
      local never = reach.after("100ms", function() error("never") end)
      never:cancel()
      never:cancel()
      once = 0
      reach.after(0.1, function() once = once + 1 end)
      """
    let result = try run("reach.sleep('1.6s') print(n, busy, once, tostring(timer))")
    #expect(result.prints == [["3", "false", "1", "timer 1"]])
    #expect(!result.errors.contains("error"))
  }

  @Test func `a handler begins timers, which outlive it, and one that fails hurts nobody`() throws {
    var run = try HandlerRun()
    run.after = "sleep 0.8"
    let result = try run(
      """
      reach.after("100ms", function() reach.sleep("100ms") print("late", reach.run{ "true" }.ok) end)
      reach.after("150ms", function() error("broken") end)
      local gone = reach.every("200ms", function() print("gone") end)
      gone:cancel()
      """)
    #expect(result.log.contains("info  t/after 100ms: late\ttrue"))
    #expect(
      result.log.contains {
        $0.hasPrefix("error t/after 150ms: failed: t.lua:") && $0.hasSuffix(": broken")
      })
    #expect(!result.errors.contains("gone"))
  }

  @Test func `what is no timer is refused`() throws {
    let result = try HandlerRun()(
      """
      local function say(f, ...) print(select(2, pcall(f, ...))) end
      say(reach.every, "50ms", print)
      say(reach.after, "1s")
      say(reach.after, print, "1s")
      local timers = {}
      for i = 1, 64 do timers[i] = reach.after("1h", print) end
      say(reach.every, "1s", print)
      timers[1]:cancel()
      say(reach.every, "1s", function() end)
      say(function() return timers[1].name end)
      say(reach.defer, print)
      """)
    let says = result.prints.map { $0.first ?? "" }
    try #require(says.count == 7)
    #expect(says[0] == "reach.every: 50ms is less than 100ms")
    #expect(says[1].hasPrefix("reach.after takes a duration and a function, as in "))
    #expect(says[2].hasPrefix("reach.after takes a duration and a function, as in "))
    #expect(says[3] == "reach.every: more than 64 timers")
    #expect(says[4].hasPrefix("timer "))
    #expect(says[5].hasSuffix("timer has no \"name\"; it has cancel"))
    #expect(says[6].hasPrefix("reach.defer declares; call it while the script is loaded"))
  }

  @Test func `a timer is no target`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "t.lua", "reach.on{ target = reach.every(\"1s\", print), reachable = print }")
    let result = try Reach.run("check", "t.lua", in: folder.path)
    #expect(
      result.output.contains("\"target\" must be a target, such as reach.internet, not a timer"))
  }
}

@Suite struct Deferring {
  private static let script = """
    for n = 1, 2 do
      reach.defer(function(why) reach.sleep("100ms") print("bye", n, why) end)
    end
    reach.after("100ms", function() print("here") end)
    """

  private func lines(_ result: Reach.Result) -> [String] {
    result.log.filter { $0.contains("bye") || $0.contains("here") || $0.contains("slept") }
      .map { String($0.dropFirst("info  t/".count)) }
  }

  @Test func `what is deferred is told of the shutdown, the last first, once handlers are done`()
    throws
  {
    var run = try HandlerRun()
    run.declarations = Deferring.script
    // A second signal before its end would end it at once.
    run.after = "kill $PID; wait $PID"
    let result = try run(
      """
      reach.after("100ms", function() reach.sleep("1s") print("slept") end)
      reach.sleep("200ms")
      """)
    #expect(
      lines(result) == [
        "after 100ms: here", "after 100ms: slept", "defer: bye\t2\tshutdown",
        "defer: bye\t1\tshutdown",
      ])
  }

  @Test func `the next version begins once all that was deferred is done`() throws {
    var run = try HandlerRun()
    run.declarations = Deferring.script
    run.after = "sleep 0.3; kill -HUP $PID; sleep 0.8"
    let result = try run("")
    #expect(
      lines(result) == [
        "after 100ms: here", "defer: bye\t2\treload", "defer: bye\t1\treload", "after 100ms: here",
        "defer: bye\t2\tshutdown", "defer: bye\t1\tshutdown",
      ])
  }

  @Test func `a script whose file is gone is told so, and no function has more than two seconds`()
    throws
  {
    var run = try HandlerRun()
    run.declarations = """
      reach.defer(function(why) print("bye", why) end)
      reach.defer(function() error("broken") end)
      reach.defer(function() reach.sleep("1h") end)
      """
    run.after = "mv t.lua gone; kill -HUP $PID; sleep 2.5; touch t.lua"
    let result = try run("")
    #expect(lines(result) == ["defer: bye\tremoved"])
    #expect(
      result.log.contains {
        $0.hasPrefix("error t/defer: failed: ") && $0.hasSuffix("cancelled: its 2s have passed")
      })
    #expect(
      result.log.contains {
        $0.hasPrefix("error t/defer: failed: t.lua:") && $0.hasSuffix("broken")
      })
  }
}

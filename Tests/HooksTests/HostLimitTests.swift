import Posix
import TestSupport
import Testing

@testable import Hooks

@Suite struct HostLimits {
  private let loop = """
    reach.on{ name = "spin", target = reach.target{ interface = "nosuch0", name = "line" },
      change = function() while true do end end }
    """

  /// Has the script's hook run until that is killed; then it rests.
  private func kill(_ host: HostedScript, _ verdict: Character) throws {
    try host.tell(["line": verdict])
    #expect(eventually { (try? host.ask { $0.scripts[0].script == nil }) == true })
  }

  /// Loads the script again without its rest.
  private func load(_ host: HostedScript) throws {
    try host.ask { $0.load($0.scripts[0]) }
    #expect(eventually { (try? host.ask { $0.scripts[0].script != nil }) == true })
  }

  /// A host whose script was killed three times.
  private func quarantined() throws -> HostedScript {
    let host = try HostedScript(loop)
    // It is killed for the first time by what the monitor finds.
    #expect(eventually { (try? host.ask { $0.isStarted && $0.scripts[0].script == nil }) == true })
    for verdict: Character in ["w", "u"] {
      #expect(try host.ask { $0.quarantines.all.isEmpty && $0.scripts[0].restartTimer != nil })
      try load(host)
      try kill(host, verdict)
    }
    return host
  }

  @Test func `three kills quarantine a script, and status says so`() throws {
    let host = try quarantined()
    let quarantine = try #require(try host.ask { $0.quarantines["t"] })
    #expect(quarantine.reason == "killed 3 times within 10m")
    #expect(quarantine.text == TextDigest(Array(loop.utf8)))
    #expect(try host.ask { $0.statusText }.contains("t.lua: quarantined since 20"))
    #expect(try host.ask { $0.statusText }.contains(": killed 3 times within 10m\n"))
    #expect(
      try host.ask { $0.statusJSON }.contains(
        #""loaded":false,"quarantined":"killed 3 times within 10m","quarantined_since":"#))
  }

  @Test func `a reload of the same file leaves the quarantine, another file ends it`() throws {
    let host = try quarantined()
    try host.ask { $0.reload() }
    #expect(try host.ask { $0.scripts[0].script == nil && $0.quarantines["t"] != nil })
    try host.folder.write("t.lua", "reach.every(60, function() end)")
    try host.ask { $0.reload() }
    #expect(eventually { (try? host.ask { $0.scripts[0].script != nil }) == true })
    #expect(try host.ask { $0.quarantines.all.isEmpty })
  }

  @Test func `enable lifts a quarantine, and three more kills bring it back`() throws {
    let host = try quarantined()
    let refusal = try host.answer("enable", "t/spin")
    #expect(
      refusal.text == "t is quarantined: killed 3 times within 10m; it runs again when its file "
        + "changes or after \"reach enable t\"")
    #expect(try host.answer("fire", "t/spin", "reachable").text == refusal.text)
    #expect(try host.answer("enable", "t").text.hasPrefix("loaded 1 hook from "))
    #expect(try host.ask { $0.quarantines.all.isEmpty && $0.scripts[0].script != nil })
    try kill(host, "w")
    #expect(try host.ask { $0.quarantines.all.isEmpty })
    try load(host)
    try kill(host, "u")
    try load(host)
    try kill(host, "w")
    #expect(try host.ask { $0.quarantines["t"] != nil })
  }

  private let failing = """
    reach.on{ name = "alert", target = reach.target{ interface = "nosuch0", name = "line" },
      again = "100ms", change = function() end,
      unreachable = function() error("no") end, reachable = function() error("no") end }
    """

  private func slow() throws -> HostedScript {
    let host = try HostedScript(failing)
    #expect(
      eventually {
        (try? host.ask { $0.scripts[0].hooks.first?.hearing.told.failures == 5 }) == true
      })
    return host
  }

  @Test func `five failures slow a hook down, and status says so`() throws {
    let host = try slow()
    let text = try host.ask { $0.statusText }
    #expect(text.contains("; slowed down by 5 failures until "), "\(text)")
    #expect(try host.ask { $0.statusJSON }.contains("\"failures\":5,\"held\":[\"slowed down by 5"))
    try host.tell(["line": "w"])
    #expect(try host.told() == "u")
    #expect(try host.ask { $0.scripts[0].hooks[0].hearing.told.failures } == 5)
  }

  @Test func `who enables a slow hook has it told the newest`() throws {
    let host = try slow()
    try host.tell(["line": "w"])
    #expect(try host.answer("enable", "t/alert").text == "t/alert is enabled")
    #expect(
      eventually { (try? host.ask { $0.scripts[0].hooks[0].hearing.told.failures == 5 }) == true })
    #expect(try host.told() == "w")
  }

  @Test func `a reload of the same file leaves a hook slow, another file does not`() throws {
    let host = try slow()
    func reload() throws {
      let before = try host.ask { ObjectIdentifier($0.scripts[0].hooks[0]) }
      try host.ask { $0.reload() }
      #expect(
        eventually {
          (try? host.ask { ObjectIdentifier($0.scripts[0].hooks[0]) != before }) == true
        })
    }
    try reload()
    #expect(try host.ask { $0.scripts[0].hooks[0].hearing.isSlow })
    try host.folder.write("t.lua", failing.replacing("error(\"no\")", with: "print()"))
    try reload()
    #expect(try host.ask { $0.scripts[0].hooks[0].hearing.told.failures } == 0)
  }

  @Test func `a supervisor hears of a reload and the end`() throws {
    let folder = try TemporaryFolder()
    let receiver = try DatagramReceiver(at: "\(folder.path)/notify")
    let host = try HostedScript("reach.every(60, function() end)")
    #expect(eventually { (try? host.ask { $0.isStarted }) == true })
    let environment = ["NOTIFY_SOCKET": "\(folder.path)/notify"]
    let supervisor = try #require(ServiceSupervisor { environment[$0] })
    try host.ask { host in
      host.supervise(by: supervisor)
      host.reload()
    }
    #expect(eventually { receiver.all.count == 2 })
    #expect(receiver.all[0].hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    #expect(receiver.all[1] == "READY=1\nSTATUS=1 script with 0 hooks")
    try host.ask { $0.stop {} }
    #expect(receiver.all.last?.hasPrefix("STOPPING=1\n") == true)
  }

  @Test func `the watchdog is fed while every thread that runs Lua answers, and not otherwise`()
    throws
  {
    let folder = try TemporaryFolder()
    let receiver = try DatagramReceiver(at: "\(folder.path)/notify")
    let environment = ["NOTIFY_SOCKET": "\(folder.path)/notify", "WATCHDOG_USEC": "40000"]
    let supervisor = try #require(ServiceSupervisor { environment[$0] })
    let host = try HostedScript("reach.every(60, function() end)")
    try host.ask { $0.supervise(by: supervisor) }
    func fed() -> Int { receiver.all.count { $0 == "WATCHDOG=1" } }
    #expect(eventually { fed() >= 3 })
    let gate = Handover<Bool>()
    let begun = Record<Bool>()
    let threads = try host.ask { $0.threads }
    threads.submit {
      begun.note(true)
      _ = gate.wait()
    }
    #expect(eventually { !begun.all.isEmpty })
    // What was asked before the thread was busy may still be answered.
    try host.ask { _ in }
    let before = fed()
    for _ in 0..<200 { try host.ask { _ in } }
    let end = BootInstant.now + .milliseconds(200)
    while BootInstant.now < end { try host.ask { _ in } }
    #expect(fed() <= before + 1)
    gate.put(true)
    #expect(eventually { fed() >= before + 4 })
  }
}

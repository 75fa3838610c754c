import Posix
import Reachability
import TestSupport
import Testing

@testable import Hooks

/// A host that runs one script, and is told by hand what becomes of its targets.
private final class HostedScript: Sendable {
  private let loop: EventLoop
  private let host: HookHost
  private let folder: TemporaryFolder

  init(_ text: String) throws {
    loop = try EventLoop()
    host = try HookHost(
      on: loop, options: ReachabilityMonitor.Options(), log: Log(level: .error))
    folder = try TemporaryFolder()
    let path = try folder.write("t.lua", text)
    let discovery = try ScriptSource.discover([path])
    let host = host
    loop.post {
      host.assumeIsolated { $0.start(discovery, from: [path]) { Issue.record("\($0)") } }
    }
    try loop.runOnOwnThread(named: "host")
  }

  deinit { loop.stop() }

  /// What the host says of itself on its loop.
  func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (isolated HookHost) -> Answer
  ) throws -> Answer {
    let answer = Record<Answer>()
    let host = host
    loop.post { answer.note(host.assumeIsolated { question($0) }) }
    _ = eventually { !answer.all.isEmpty }
    return try #require(answer.all.first)
  }

  /// Has verdicts stand, all at one moment, in the order given.
  func tell(_ verdicts: KeyValuePairs<String, Character>) throws {
    let verdicts = verdicts.map { ($0.key, Verdict($0.value) ?? .unknown) }
    try ask { host in
      host.take(
        verdicts.compactMap { name, verdict in
          guard let watched = host.targets.values.first(where: { $0.target.name == name }) else {
            Issue.record("no target \(name)")
            return nil
          }
          return Transition(
            target: watched.id, from: watched.standing?.verdict ?? .unknown, to: verdict,
            instant: .now, time: WallClock.seconds, sequence: 1)
        })
    }
  }

  /// What the only hook was told, where none of its handlers runs; waits for that.
  func told() throws -> Character {
    let told = Record<Character>()
    _ = eventually {
      let state = try? ask { host in
        host.scripts.first?.hooks.first.map { ($0.hearing.isRunning, $0.hearing.told.last.verdict) }
      }
      guard let (isRunning, verdict) = state ?? nil, !isRunning else { return false }
      told.note(verdict.character)
      return true
    }
    return try #require(told.all.first)
  }

  /// Waits until the monitor has judged what there is no interface for.
  func settle(_ name: String) throws {
    #expect(
      eventually {
        (try? ask { host in
          host.targets.values.first { $0.target.name == name }?.standing != nil
        }) == true
      })
  }
}

@Suite struct Hosting {
  private let script = """
    local line = reach.target{ interface = "nosuch0", name = "line" }
    reach.on{
      name = "alert", target = reach.target{ interface = "nosuch1", name = "vpn" },
      given = line, change = function() end,
    }
    """

  @Test func `what is lost at one moment with the line is not told, whichever is named first`()
    throws
  {
    let host = try HostedScript(script)
    try host.settle("vpn")
    try host.settle("line")
    try host.tell(["vpn": "w", "line": "w"])
    #expect(try host.told() == "w")
    try host.tell(["vpn": "u", "line": "u"])
    #expect(try host.told() == "w")
    try host.tell(["line": "w"])
    #expect(try host.told() == "u")
    try host.tell(["vpn": "w"])
    try host.tell(["line": "u", "vpn": "u"])
    #expect(try host.told() == "w")
    try host.tell(["vpn": "w", "line": "w"])
    #expect(try host.told() == "w")
  }

  @Test func `a run that finishes just as it is to be broken off is told, not owed`() throws {
    let host = try HostedScript(
      """
      reach.on{ target = reach.target{ interface = "nosuch0", name = "line" },
        reachable = function()
          local begin = os.clock()
          while os.clock() - begin < 0.1 do end
        end }
      """)
    try host.settle("line")
    try host.tell(["line": "w"])
    let broken = try host.ask { host in
      for id in host.runs.keys { host.runs[id]?.isBroken = true }
      return host.runs.count
    }
    #expect(broken == 1)
    #expect(try host.told() == "w")
    #expect(try host.ask { $0.scripts.first?.hooks.first?.hearing.told.unfinished == nil })
  }

  @Test func `a target that a hook is given alone is watched, and status says that it holds`()
    throws
  {
    let host = try HostedScript(script)
    try host.settle("vpn")
    try host.settle("line")
    #expect(
      try host.ask { $0.statusText }.contains(
        "  hook alert: not called yet; given line is unreachable\n"))
    #expect(
      try host.ask { $0.statusJSON }.contains(#""held":["given line is unreachable"]"#))
  }
}

import Posix
import Reachability
import TestSupport
import Testing

@testable import Hooks

/// A host that runs one script, and is told by hand what becomes of its targets.
final class HostedScript: Sendable {
  private let loop: EventLoop
  private let host: HookHost
  let folder: TemporaryFolder

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

import Glibc
import Posix
import Reachability
import TestSupport
import Testing

@testable import Hooks

/// A host that runs scripts in a folder of its own, and is told by hand what becomes of their targets.
final class HostedScript: Sendable {
  private let loop: EventLoop
  private let host: HookHost
  let folder: TemporaryFolder

  /// Runs one script, `t.lua`.
  convenience init(_ text: String) throws { try self.init(["t.lua": text], at: "t.lua") }

  /// Runs what is found at a path beneath a folder with some files, or in the folder itself, after a
  /// shell command that is run there.
  init(
    _ files: KeyValuePairs<String, String>, at path: String = "", prepare: String = "true"
  ) throws {
    loop = try EventLoop()
    // What is broken is meant to be.
    host = try HookHost(
      on: loop, options: ReachabilityMonitor.Options(), log: Log(level: .error))
    folder = try TemporaryFolder()
    for (name, text) in files { try folder.write(name, text) }
    try #require(system("cd '\(folder.path)' && \(prepare)") == 0)
    let path = path.isEmpty ? folder.path : "\(folder.path)/\(path)"
    let isThere = FileKind(of: path) != .missing
    let discovery = isThere ? try ScriptSource.discover([path]) : ScriptSource.Discovery()
    let host = host
    loop.post {
      host.assumeIsolated { $0.start(discovery, from: [path]) { Issue.record("\($0)") } }
    }
    try loop.runOnOwnThread(named: "host")
  }

  deinit {
    // What waits holds its host.
    let ended = Record<Bool>()
    loop.post { [host, loop] in
      host.assumeIsolated { $0.letGo() }
      loop.stop()
      ended.note(true)
    }
    _ = eventually { !ended.all.isEmpty }
  }

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

  /// Runs a shell command in the folder.
  func shell(_ command: String) {
    #expect(system("cd '\(folder.path)' && { \(command); }") == 0, "\(command)")
  }

  /// Waits until the host says so; false where it does not within the time that tests wait.
  func comes(_ condition: @escaping @Sendable (isolated HookHost) -> Bool) -> Bool {
    eventually { (try? ask(condition)) == true }
  }

  /// How often a script was loaded, or was tried to; nil where there is none of that name.
  func loads(_ name: String = "t") throws -> Int? {
    try ask { host in host.scripts.first { $0.source.name == name }?.loads }
  }

  /// Waits until the script runs, and has been loaded that often.
  func runs(_ name: String = "t", load: Int = 1) -> Bool {
    comes { host in
      host.scripts.contains { script in
        script.source.name == name && script.script != nil && script.loads == load
          && script.loadWaiters.isEmpty && !host.isDeparting(script)
      }
    }
  }

  /// Waits until a load of that number has ended, whatever became of it.
  func endsLoading(_ name: String, load: Int) -> Bool {
    comes { host in
      host.scripts.contains { $0.source.name == name && $0.loads == load && !$0.isLoading }
    }
  }

  /// Answers a request as the daemon does, once that is known.
  func answer(_ words: String...) throws -> ControlReply {
    let replies = Record<ControlReply>()
    _ = try request(words, replies)
    #expect(eventually { !replies.all.isEmpty })
    return try #require(replies.all.first)
  }

  /// Begins to answer a request, and takes note of the answer.
  func request(_ words: [String], _ replies: Record<ControlReply>) throws -> ControlAnswer {
    let request = try ControlRequest(words: words)
    return try ask { host in
      let answer = ControlAnswer { replies.note($0) }
      host.take(request, answer: answer)
      return answer
    }
  }
}

extension HookHost {
  /// Whether that version of a script is on its way out.
  fileprivate func isDeparting(_ script: LoadedScript) -> Bool {
    departures.contains { $0.loaded === script }
  }
}

internal import Posix
internal import Reachability

extension HookHost {
  /// What the daemon knows of its scripts, targets and hooks, for people.
  public var statusText: String {
    var rows: [String] = []
    for script in scripts {
      let state = state(of: script).map { ": \($0)" } ?? ""
      rows.append(script.source.path.printable + state)
      for hook in script.hooks {
        let state = hook.hearing.isRunning ? "running" : hook.lastOutcome ?? "not called yet"
        let parts = [state] + hook.holds(by: loop.clock).map { $0.text(by: loop.clock) }
        rows.append(
          "  hook \(hook.hook.name.printable): \(parts.joined(separator: "; ").printable)")
      }
    }
    for watched in watchedTargets {
      let name = watched.target.name.printable
      guard let standing = watched.standing else {
        rows.append("target \(name): unknown")
        continue
      }
      let since = WallClock.localText(standing.since)
      rows.append("target \(name): \(standing.verdict.summary) since \(since)")
    }
    return rows.joined(separator: "\n")
  }

  /// What of a script is not as it should be.
  private func state(of script: LoadedScript) -> String? {
    if let quarantine = quarantines[script.source.name] {
      let since = WallClock.localText(quarantine.since)
      return "quarantined since \(since): \(quarantine.reason)"
    }
    if script.script == nil { return "not loaded" }
    guard let end = script.sitsOutUntil, end > loop.clock.now else { return nil }
    return "waits for \((end - loop.clock.now).text), since it has used up its processor time"
  }

  /// The same as one line of JSON.
  public var statusJSON: String {
    var writer = JSONWriter()
    writer.object { json in
      json.key("scripts")
      json.array { json in for script in scripts { write(script, to: &json) } }
      json.key("targets")
      json.array { json in for watched in watchedTargets { write(watched, to: &json) } }
    }
    return writer.text
  }

  private func write(_ script: LoadedScript, to json: inout JSONWriter) {
    json.object { json in
      json.field("script", script.source.name)
      json.field("path", script.source.path)
      json.field("loaded", script.script != nil)
      let quarantine = quarantines[script.source.name]
      json.field("quarantined", quarantine?.reason)
      json.field("quarantined_since", quarantine?.since)
      json.field("sits_out", script.sitsOutUntil.map { $0 > loop.clock.now } ?? false)
      json.key("hooks")
      json.array { json in
        for hook in script.hooks {
          json.object { json in
            json.field("name", hook.hook.name)
            json.field("target", hook.hook.target.name)
            json.field("running", hook.hearing.isRunning)
            json.field("outcome", hook.lastOutcome)
            json.field("failures", Int64(hook.hearing.told.failures))
            json.key("held")
            json.array { json in
              for hold in hook.holds(by: loop.clock) { json.value(hold.text(by: loop.clock)) }
            }
          }
        }
      }
    }
  }

  private func write(_ watched: WatchedTarget, to json: inout JSONWriter) {
    let verdict = watched.standing?.verdict ?? .unknown
    json.object { json in
      json.field("name", watched.target.name)
      json.field("subject", watched.target.subject)
      json.field("status", verdict.status.rawValue)
      json.field("via", verdict.via?.rawValue)
      json.field("reason", verdict.reason?.rawValue)
      json.field("at", watched.standing?.since)
    }
  }
}

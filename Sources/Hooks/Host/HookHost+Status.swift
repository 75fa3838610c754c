internal import Posix
internal import Reachability

extension HookHost {
  /// What the daemon knows of its scripts, targets and hooks, for people.
  public var statusText: String {
    var rows: [String] = []
    for script in scripts {
      rows.append("\(script.source.path.printable)\(script.script == nil ? ": not loaded" : "")")
      for hook in script.hooks {
        let state = isRunning(hook) ? "running" : hook.lastOutcome ?? "not called yet"
        rows.append("  hook \(hook.hook.name.printable): \(state.printable)")
      }
    }
    for watched in watchedTargets {
      let name = watched.target.name.printable
      guard let last = watched.last else {
        rows.append("target \(name): unknown")
        continue
      }
      rows.append("target \(name): \(last.to.summary) since \(WallClock.localText(last.time))")
    }
    return rows.joined(separator: "\n")
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

  func isRunning(_ hook: HookState) -> Bool {
    runs.values.contains { $0.hook === hook }
  }

  private func write(_ script: LoadedScript, to json: inout JSONWriter) {
    json.object { json in
      json.field("script", script.source.name)
      json.field("path", script.source.path)
      json.field("loaded", script.script != nil)
      json.key("hooks")
      json.array { json in
        for hook in script.hooks {
          json.object { json in
            json.field("name", hook.hook.name)
            json.field("target", hook.hook.target.name)
            json.field("running", isRunning(hook))
            json.field("outcome", hook.lastOutcome)
          }
        }
      }
    }
  }

  private func write(_ watched: WatchedTarget, to json: inout JSONWriter) {
    let verdict = watched.last?.to ?? .unknown
    json.object { json in
      json.field("name", watched.target.name)
      json.field("subject", watched.target.subject.description)
      json.field("status", verdict.status.rawValue)
      json.field("via", verdict.via?.rawValue)
      json.field("reason", verdict.reason?.rawValue)
      json.field("at", watched.last?.time)
    }
  }
}

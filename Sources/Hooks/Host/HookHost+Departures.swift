internal import Lua
internal import Posix

/// A version of a script on its way out: its handlers end, then it is told what it deferred.
///
/// Touched only on the loop.
final class Departure {
  /// Why a version goes, as its functions are told.
  enum Reason: String, CaseIterable {
    case reload, removed, shutdown
  }

  let loaded: LoadedScript
  /// Its interpreter; nil where that was killed.
  let script: Script?
  var reason: Reason
  /// The hooks whose handlers end first.
  let hooks: [HookState]
  /// What is still to be called; the last first.
  var deferred: [LuaFunction]
  var isCalling = false
  /// What is done once nothing is left of it.
  var completion: () -> Void

  init(
    of loaded: LoadedScript, _ reason: Reason, completion: @escaping () -> Void
  ) {
    self.loaded = loaded
    self.reason = reason
    script = loaded.script
    hooks = loaded.hooks
    deferred = script == nil ? [] : loaded.deferred
    self.completion = completion
  }
}

extension HookHost {
  /// Lets go of all that is under way, once nobody leads the loop any more; on the loop.
  func letGo() {
    fileWatch?.cancel()
    fileWatch = nil
    watch.stop()
    let waits = runs.values.compactMap(\.wait) + tasks.values.compactMap(\.wait)
    runs = [:]
    tasks = [:]
    for firing in firings { firing.breakOff() }
    firings = []
    departures = []
    for script in scripts {
      script.endLoad(.abandoned)
      for hook in script.hooks { hook.detach() }
      // A hook holds its script.
      script.hooks = []
    }
    scripts = []
    ready = nil
    reloads = []
    for wait in waits { wait.giveUp() }
  }

  /// How long a deferred function may take, waits included.
  static let deferredLimit = Duration.seconds(2)

  /// Whether a version is on its way out.
  func isDeparting(_ script: Script) -> Bool { departures.contains { $0.script === script } }

  /// Ends a version of a script: nothing is told to its hooks any more and its timers end; handlers
  /// that run may finish, and then what it deferred is called.
  ///
  /// - Parameters:
  ///   - loaded: the script.
  ///   - reason: why it ends.
  ///   - completion: is called once nothing is left of it, at once where nothing runs and nothing is
  ///     deferred; where the same version is told to end again, only the newest is.
  func depart(
    _ loaded: LoadedScript, _ reason: Departure.Reason, completion: @escaping () -> Void
  ) {
    stopTimers(of: loaded)
    loaded.script?.hasten()
    retire(loaded.hooks)
    retireTasks(of: loaded)
    if let departure = departures.first(where: {
      $0.loaded === loaded && $0.script === loaded.script
    }) {
      departure.reason = reason
      departure.completion = completion
      return
    }
    departures.append(Departure(of: loaded, reason, completion: completion))
    advanceDepartures()
  }

  /// Goes on with what is on its way out, as far as no run is in its way.
  func advanceDepartures() {
    for departure in departures where !departure.isCalling {
      let script = departure.script
      guard departures.contains(where: { $0 === departure }),
        !departure.hooks.contains(where: \.hearing.isRunning),
        !tasks.values.contains(where: { $0.script === script })
      else { continue }
      // A kill has taken what is left with it.
      guard departure.loaded.script === script, let function = departure.deferred.popLast() else {
        departures.removeAll { $0 === departure }
        departure.completion()
        continue
      }
      departure.isCalling = true
      let reason = departure.reason.rawValue
      runTask(of: departure.loaded, named: "defer", within: HookHost.deferredLimit) {
        script, id, run, completion in
        script.start(id, function, with: { $0.string(reason) }, as: run, completion: completion)
      } completion: {
        departure.isCalling = false
      }
    }
  }

  /// Calls `body` once no version of a script that was unloaded is on its way out any more.
  func afterDepartures(of loaded: LoadedScript, _ body: @escaping () -> Void) {
    let name = loaded.source.name
    guard
      let departure = departures.first(where: {
        $0.loaded !== loaded && $0.loaded.source.name == name
      })
    else { return body() }
    let completion = departure.completion
    departure.completion = {
      completion()
      self.afterDepartures(of: loaded, body)
    }
  }

  private func retireTasks(of loaded: LoadedScript) {
    let left = tasks.filter { $0.value.loaded === loaded }.map(\.key)
    guard !left.isEmpty else { return }
    _ = loop.schedule(at: loop.clock.now + HookHost.farewell) {
      for id in left {
        self.tasks[id]?.isBroken = true
        self.cancelTask(id, "cancelled: the script was unloaded")
      }
    }
  }
}

internal import Posix
internal import Reachability

/// A call that somebody asked for.
final class Firing: Sendable {
  let request: FireRequest
  private let answer: ControlAnswer

  init(_ request: FireRequest, _ answer: ControlAnswer) {
    self.request = request
    self.answer = answer
  }

  /// Tells how the run ended.
  func end(_ outcome: Outcome, _ text: String) {
    if case .finished = outcome {
      answer.send(ControlReply(.done, text))
    } else {
      answer.send(ControlReply(.failed, text))
    }
  }

  /// Tells that the run was ended by the end of its script.
  func breakOff() { answer.send(ControlReply(.failed, "broken off: its script was killed")) }

  /// Tells why there is no run.
  func refuse(_ refusal: HookHost.Refusal) {
    answer.send(ControlReply(refusal.isAbsence ? .unusable : .refused, refusal.text))
  }
}

/// What is asked of the daemon from outside.
extension HookHost {
  /// Why a request is not carried out.
  struct Refusal: Error {
    let text: String
    /// Whether what it is about is not there.
    var isAbsence = false
  }

  /// Answers a request, now or later; on the loop.
  public func take(_ request: ControlRequest, answer: ControlAnswer) {
    switch request {
    case .status(let asJSON): answer.send(ControlReply(.done, asJSON ? statusJSON : statusText))
    case .fire(let request): fire(request, answer)
    case .enable(let place): enable(place, answer)
    case .reload: reload { answer.send($0) }
    }
  }

  // MARK: Fire

  private func fire(_ request: FireRequest, _ answer: ControlAnswer) {
    let firing = Firing(request, answer)
    // Nobody is told of one that has not begun. Weak, for the call holds its answer.
    answer.abandonment = { [weak firing] in self.firings.removeAll { $0 === firing } }
    firings.append(firing)
    advanceFirings()
  }

  /// Begins the calls that were asked for, as far as no run is in their way.
  func advanceFirings() {
    for firing in firings {
      do throws(Refusal) {
        guard try advance(firing) else { continue }
      } catch {
        firing.refuse(error)
      }
      firings.removeAll { $0 === firing }
    }
  }

  /// Begins a call; false where it has to wait.
  private func advance(_ firing: Firing) throws(Refusal) -> Bool {
    let request = firing.request
    let loaded = try script(request.script)
    guard let script = loaded.script else {
      if loaded.isLoading { return false }
      try checkQuarantine(of: loaded)
      let isResting = loaded.restartTimer != nil
      throw Refusal(
        text: "\(request.script.printable) is not loaded"
          + (isResting ? ": it rests after a kill; reach enable ends that" : ""))
    }
    let hook = try hook(request.hook, of: loaded)
    guard !isDeparting(script), !hook.hearing.isRunning else { return false }
    let call = request.call(
      on: hook.hook.target.name, after: hook.hearing.told, hook.hearing.standing,
      at: loop.clock.seconds)
    guard !call.handlers.isDisjoint(with: hook.hook.rules.handlers) else {
      throw Refusal(
        text: "\(hook.origin.printable) has no handler for that; it has "
          + hook.hook.rules.handlers.names.joined(separator: ", "), isAbsence: true)
    }
    hook.hearing.beginForeignRun()
    self.call(call.handlers, of: hook, call.event, script, firing: firing)
    return true
  }

  private func script(_ name: String) throws(Refusal) -> LoadedScript {
    guard shutdown == nil else { throw Refusal(text: "the daemon is stopping") }
    guard let loaded = scripts.first(where: { $0.source.name == name }) else {
      let hint = Nearest.hint(for: name, among: scripts.map(\.source.name))
      throw Refusal(text: "no script \"\(name.printable)\"\(hint.printable)", isAbsence: true)
    }
    return loaded
  }

  private func checkQuarantine(of loaded: LoadedScript) throws(Refusal) {
    guard let quarantine = quarantines[loaded.source.name] else { return }
    throw Refusal(text: "\(loaded.source.name.printable) is \(quarantine.summary)")
  }

  private func hook(_ name: String, of loaded: LoadedScript) throws(Refusal) -> HookState {
    guard let hook = loaded.hooks.first(where: { $0.hook.name == name }) else {
      let hint = Nearest.hint(for: name, among: loaded.hooks.map(\.hook.name))
      throw Refusal(
        text: "\(loaded.source.name.printable) has no hook \"\(name.printable)\"\(hint.printable)",
        isAbsence: true)
    }
    return hook
  }

  // MARK: Enable

  private func enable(_ place: HookPlace, _ answer: ControlAnswer) {
    do throws(Refusal) {
      let loaded = try script(place.script)
      if let name = place.hook {
        try checkQuarantine(of: loaded)
        enable(try hook(name, of: loaded))
      } else {
        enable(loaded)
      }
      guard loaded.script == nil else {
        return answer.send(ControlReply(.done, "\(place.text.printable) is enabled"))
      }
      loaded.loadWaiters.append { result in
        answer.send(
          ControlReply(result.isSuccess ? .done : .failed, result.text(of: loaded.source)))
      }
      load(loaded)
    } catch {
      answer.send(ControlReply(error.isAbsence ? .unusable : .refused, error.text))
    }
  }
}

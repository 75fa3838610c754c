internal import Lua
internal import Posix
internal import Reachability

/// What a declaration says of a target beside what is watched.
struct TargetNote: Sendable {
  /// The function that declares it.
  var function: String
  /// Where it stands.
  var position: LuaPosition?
  /// Whether it says that no probe is meant.
  var meansNoProbe: Bool
}

extension ScriptDeclarations {
  /// What is to be said of a script that was loaded.
  ///
  /// - Parameters:
  ///   - lost: the positions of the targets that no function of it can get at.
  ///   - obstacle: what keeps a probe from being sent on this system.
  /// - Returns: faults and warnings, in no particular order.
  func remarks(lost: Set<Int>, obstacle: (Probe) -> SystemError?) -> [Remark] {
    guard !hooks.isEmpty || !timers.isEmpty || !deferred.isEmpty else {
      // That all its targets are unused, too, need not be said.
      return probeRemarks(obstacle) + memberRemarks + [
        Remark(
          .idleScript, at: nil,
          "declares no hook, timer or reach.defer: nothing of it is ever called")
      ]
    }
    return probeRemarks(obstacle) + memberRemarks + unusedTargets(lost) + hookRemarks
  }

  private func remark(
    _ code: ScriptFinding.Code, about target: DeclaredTarget, _ text: String
  ) -> Remark {
    let note = notes[target.name]
    return Remark(
      code, at: note?.position,
      "\(note?.function ?? "reach.target") \"\(target.name)\": \(text)".printable)
  }

  // MARK: Probes

  private func probeRemarks(_ obstacle: (Probe) -> SystemError?) -> [Remark] {
    targets.dropFirst(2).compactMap { target in
      guard case .single(let watched) = target else { return nil }
      if let probe = watched.probe {
        return obstacle(probe).map { remark(.probeRefused, about: target, "\($0)") }
      }
      guard watched.subject.isHost, notes[target.name]?.meansNoProbe == false else { return nil }
      return remark(
        .noProbe, about: target,
        "without a probe a host that is switched off stays reachable; add one, such as tcp = 22, "
          + "or say that the route is enough: route = true")
    }
  }

  // MARK: Uses

  /// Targets of which nobody ever hears.
  ///
  /// A handler can only read or wait for a target that a variable, a table or a function still
  /// leads to, since events hold the name alone: what Lua would collect, nobody can use.
  private func unusedTargets(_ lost: Set<Int>) -> [Remark] {
    var used = Set(hooks.map(\.target.name))
    used.formUnion(hooks.compactMap(\.given?.name))
    for target in targets { used.formUnion(target.members.map(\.name)) }
    return targets.indices.dropFirst(2).compactMap { position in
      let target = targets[position]
      guard lost.contains(position), !used.contains(target.name) else { return nil }
      return remark(
        .unusedTarget, about: target,
        "no hook uses it, and no function of the script can get at it")
    }
  }

  private var memberRemarks: [Remark] {
    targets.dropFirst(2).compactMap { target in
      // Of two or more of several, a member that is named twice counts twice.
      guard case .combined(let combined) = target,
        combined.needed == 1 || combined.needed == combined.members.count
      else { return nil }
      var names: Set<String> = []
      guard let twice = combined.members.first(where: { !names.insert($0.name).inserted }) else {
        return nil
      }
      return remark(
        .repeatedMember, about: target, "names \"\(twice.name)\" twice, which changes nothing")
    }
  }
}

extension Target.Subject {
  /// Whether it is a machine, which may be switched off while there is a way to it.
  fileprivate var isHost: Bool {
    switch self {
    case .host, .address, .addressPair: true
    default: false
    }
  }
}

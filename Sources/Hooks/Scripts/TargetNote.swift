internal import Posix
internal import Reachability

/// What a declaration says of a target beside what is watched.
struct TargetNote: Sendable {
  /// Where it stands, as errors begin: `hook.lua:3: `.
  var position: String
  /// Whether it says that no probe is meant.
  var meansNoProbe: Bool
}

extension ScriptDeclarations {
  /// What keeps probes of this script from being sent on this system, each with file and line.
  public var obstacles: [String] {
    watchedTargets.compactMap { target in
      target.probe?.obstacle.map { complaint(about: target, "\($0)") }
    }
  }

  /// What is allowed but seldom meant, each with file and line.
  public var warnings: [String] {
    watchedTargets.compactMap { target in
      guard case .single(let watched) = target, watched.probe == nil,
        notes[target.name]?.meansNoProbe == false
      else { return nil }
      switch watched.subject {
      case .host, .address, .addressPair:
        return complaint(
          about: target,
          "without a probe a host that is switched off stays reachable; add one, such as tcp = 22, "
            + "or say that the route is enough: route = true")
      default: return nil
      }
    }
  }

  private func complaint(about target: DeclaredTarget, _ text: String) -> String {
    "\(notes[target.name]?.position ?? "")reach.target \"\(target.name)\": \(text)".printable
  }
}

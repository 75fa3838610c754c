internal import Reachability

/// What can ever become of a target; what is not certain to be impossible counts as possible.
struct TargetOutlook: Equatable {
  /// Whether it can be reachable.
  var canBeReachable = true
  /// Whether a sign-in page can stand before it.
  var canBePortal = false
  /// The media that have handlers, as far as it can be reached by them.
  var media = TargetOutlook.handled

  private static let handled: Set<Medium> = [.wired, .wifi, .wwan]

  /// The outlook of a target that is watched by itself.
  init(_ target: Target) {
    switch target.subject {
    case .localWiFi: media = [.wifi]
    // What the declaration says of the interface itself goes before all that could be found.
    case .interface(let name): if let medium = target.media[name] { media = [medium] }
    default: break
    }
    if !target.allowsWWAN { media.remove(.wwan) }
    canBeReachable = !media.isEmpty
    media.formIntersection(TargetOutlook.handled)
    if case .http(let check)? = target.probe?.kind {
      canBePortal = canBeReachable && check.url.scheme == .http
    }
  }

  /// The outlook of a target that others make up, by theirs.
  init(atLeast needed: Int, of members: [TargetOutlook]) {
    canBeReachable = members.count(where: \.canBeReachable) >= needed
    canBePortal = members.contains(where: \.canBePortal)
    // Its path is that of the first member that is reachable, before which too few could be down.
    let first = canBeReachable ? members.prefix(members.count - needed + 1) : []
    media = first.reduce(into: []) { $0.formUnion($1.media) }
  }
}

extension ScriptDeclarations {
  /// The outlooks of all targets by their names.
  var outlooks: [String: TargetOutlook] {
    var outlooks: [String: TargetOutlook] = [:]
    // Members are declared before what they make up.
    for target in targets {
      switch target {
      case .single(let watched): outlooks[target.name] = TargetOutlook(watched)
      case .combined(let combined):
        outlooks[target.name] = TargetOutlook(
          atLeast: combined.needed, of: combined.members.compactMap { outlooks[$0.name] })
      }
    }
    return outlooks
  }

  /// The names of all targets that are certain to be reachable while one is.
  func reachable(with target: DeclaredTarget) -> Set<String> {
    var names: Set<String> = []
    var rest = [target]
    while let next = rest.popLast() {
      guard names.insert(next.name).inserted, case .combined(let combined) = next,
        combined.needed == combined.members.count
      else { continue }
      rest += combined.members
    }
    for case .combined(let combined) in targets
    where combined.members.count(where: { names.contains($0.name) }) >= combined.needed {
      names.insert(combined.name)
    }
    return names
  }
}

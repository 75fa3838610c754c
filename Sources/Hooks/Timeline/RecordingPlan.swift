public import Reachability

/// Which targets are watched so that what happens to them can be told again to some scripts, by name.
///
/// Combined targets are not among them: what makes them up says how they stand.
public struct RecordingPlan: Sendable {
  /// A target as a script declares it.
  public struct Use: Hashable, Sendable {
    /// The script.
    public let source: ScriptSource
    /// The target.
    public let target: DeclaredTarget
  }

  /// What is watched, in the order in which it is first declared; each has a name of its own.
  public private(set) var targets: [Target] = []
  /// Combined targets, which are not watched.
  public private(set) var combined: [CombinedTarget] = []
  /// Two targets of one name, of which a timeline could only tell one.
  public private(set) var conflicts: [(first: Use, second: Use)] = []
  /// Two targets of one name that differ in nothing but how their probes are repeated and counted;
  /// the first is watched.
  public private(set) var likenesses: [(first: Use, second: Use)] = []

  /// Collects what scripts use.
  ///
  /// - Parameter scripts: what each declares.
  public init(_ scripts: [(source: ScriptSource, declarations: ScriptDeclarations)]) {
    var known: [String: Use] = [:]
    for (source, declarations) in scripts {
      for target in declarations.readTargets {
        let use = Use(source: source, target: target)
        guard let first = known[target.name] else {
          known[target.name] = use
          add(target)
          continue
        }
        switch first.target.likeness(to: target) {
        case .same: break
        case .alike: likenesses.append((first, use))
        case .different: conflicts.append((first, use))
        }
      }
    }
  }

  private mutating func add(_ target: DeclaredTarget) {
    switch target {
    case .single(let target): targets.append(target)
    case .combined(let target): combined.append(target)
    }
  }
}

extension ScriptDeclarations {
  /// The targets that the script declares, names in what it declares, or may read.
  var readTargets: [DeclaredTarget] {
    let used = watchedTargets
    let read = readyTargets.sorted().map { targets[$0] }.filter { !used.contains($0) }
    return read + used
  }
}

extension DeclaredTarget {
  fileprivate enum Likeness { case same, alike, different }

  /// How far what happens to a target of that name is true of another one.
  fileprivate func likeness(to other: DeclaredTarget) -> Likeness {
    switch (self, other) {
    case (.single(let target), .single(let other)):
      if target == other { return .same }
      return target.withoutPace == other.withoutPace ? .alike : .different
    case (.combined(let target), .combined(let other)):
      // Their members are compared by themselves.
      let isSame =
        target.needed == other.needed && target.members.map(\.name) == other.members.map(\.name)
      return isSame ? .same : .different
    default: return .different
    }
  }
}

extension Target {
  /// The target, with its probe as often and counted as probes are by themselves.
  fileprivate var withoutPace: Target {
    var target = self
    if let probe {
      target.probe = Probe(probe.kind)
      target.probe?.destination = probe.destination
    }
    return target
  }
}

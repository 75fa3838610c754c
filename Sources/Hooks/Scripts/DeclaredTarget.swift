public import Reachability

/// A target as a script declares it: one that is watched by itself, or one that others make up.
public enum DeclaredTarget: Hashable, Sendable {
  case single(Target)
  case combined(CombinedTarget)

  /// How events call it.
  public var name: String {
    switch self {
    case .single(let target): target.name
    case .combined(let target): target.name
    }
  }

  /// What is judged, in the words of scripts: `192.0.2.1`, `any(nas, internet)`.
  public var subject: String {
    switch self {
    case .single(let target): target.subject.description
    case .combined(let target): target.subject
    }
  }

  /// The probe of a target that is watched by itself.
  public var probe: Probe? {
    if case .single(let target) = self { target.probe } else { nil }
  }

  /// What makes it up; nothing for one that is watched by itself.
  var members: [DeclaredTarget] {
    if case .combined(let target) = self { target.members } else { [] }
  }

  /// Subject and probe, as a text: what was told of one target is true of all that share it.
  var identity: String {
    switch self {
    case .single(let target):
      let probe = target.probe.map { " \($0.kind) \($0.destination, default: "")" }
      return "\(target.subject)\(probe ?? "")"
    case .combined(let target):
      let members = target.members.map(\.identity).joined(separator: ", ")
      return "\(target.needed) of (\(members))"
    }
  }
}

/// A target that others make up.
public struct CombinedTarget: Hashable, Sendable {
  /// How events call it.
  public var name: String
  /// How many members must be reachable.
  public let needed: Int
  /// The members, as they were declared.
  public let members: [DeclaredTarget]

  /// A target that is named as it is written.
  init(atLeast needed: Int, of members: [DeclaredTarget]) {
    name = ""
    self.needed = needed
    self.members = members
    name = subject
  }

  /// `any(a, b)`, `all(a, b)` or `at_least(2, a, b, c)`, by the members' names.
  var subject: String {
    let names = members.map(\.name).joined(separator: ", ")
    switch needed {
    case 1: return "any(\(names))"
    case members.count: return "all(\(names))"
    default: return "at_least(\(needed), \(names))"
    }
  }
}

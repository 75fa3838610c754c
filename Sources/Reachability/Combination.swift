/// A target that others make up: it is reachable once enough of them are.
public struct Combination: Hashable, Sendable {
  /// How many members must be reachable.
  public var needed: Int
  /// The members, as they were declared.
  public var members: [TargetID]

  /// A target that needs some of its members, at least one and at most all.
  public init(atLeast needed: Int, of members: [TargetID]) {
    self.needed = needed
    self.members = members
  }
}

extension Combination {
  /// What the members' verdicts amount to: that of the first that has the combined status.
  func verdict(of verdicts: [Verdict]) -> Verdict {
    let status = status(of: verdicts.map(\.status))
    return verdicts.first { $0.status == status } ?? Verdict(status)
  }

  /// The combined status of the members' own.
  ///
  /// What unknown ones can still bring about is unknown; then what portals can, a portal.
  func status(of statuses: [Status]) -> Status {
    func count(_ status: Status) -> Int { statuses.lazy.filter { $0 == status }.count }
    let reachable = count(.reachable)
    let possible = reachable + count(.unknown)
    if reachable >= needed { return .reachable }
    if possible >= needed { return .unknown }
    return possible + count(.portal) >= needed ? .portal : .unreachable
  }

  /// What brought the combined status about: the cause of the last change that led to it.
  ///
  /// - Parameters:
  ///   - verdicts: those of the members now.
  ///   - changes: what happened to members, in order.
  /// - Returns: nil where the combined status is what it was before.
  func cause(_ verdicts: [Verdict], after changes: [Transition]) -> Cause? {
    var statuses = verdicts.map(\.status)
    for change in changes.reversed() { set(change.from.status, of: change.target, in: &statuses) }
    var status = status(of: statuses)
    var cause: Cause?
    for change in changes {
      set(change.to.status, of: change.target, in: &statuses)
      let next = self.status(of: statuses)
      if next != status { cause = change.to.cause }
      status = next
    }
    return cause
  }

  private func set(_ status: Status, of member: TargetID, in statuses: inout [Status]) {
    for index in members.indices where members[index] == member { statuses[index] = status }
  }
}

/// The combined targets of a watchlist, each with the verdict that stands for it.
package struct Combinations {
  /// None.
  package init() {}

  private struct Entry {
    let combination: Combination
    var machine = StatusMachine()
  }

  /// By rising identity, so that members that are combined themselves come first.
  private var entries: [(id: TargetID, entry: Entry)] = []

  /// Adds one; its members are judged by others, or were added before.
  package mutating func add(_ combination: Combination, as id: TargetID) {
    entries.append((id, Entry(combination: combination)))
  }

  /// Ends the watch of a target; false for one that is not here.
  package mutating func remove(_ id: TargetID) -> Bool {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
    entries.remove(at: index)
    return true
  }

  /// What stands for one; nil for one that is not here.
  package func verdict(of id: TargetID) -> Verdict? {
    entries.first { $0.id == id }?.entry.machine.verdict
  }

  /// Judges what members have changed, and what is new.
  ///
  /// - Parameters:
  ///   - changes: what happened to targets that are not combined.
  ///   - verdict: what stands for such a target.
  ///   - publish: makes a transition of a target, from one verdict to another.
  /// - Returns: the transitions of the combined targets.
  package mutating func judge(
    after changes: [Transition], _ verdict: (TargetID) -> Verdict?,
    _ publish: (TargetID, _ from: Verdict, _ to: Verdict) -> Transition
  ) -> [Transition] {
    guard !entries.isEmpty else { return [] }
    var all = changes
    for index in entries.indices {
      let (id, entry) = entries[index]
      let own = all.filter { entry.combination.members.contains($0.target) }
      guard !own.isEmpty || entry.machine.verdict.status == .unknown else { continue }
      let verdicts = entry.combination.members.map { member in
        verdict(member) ?? self.verdict(of: member) ?? .unknown
      }
      var new = entry.combination.verdict(of: verdicts)
      if let cause = entry.combination.cause(verdicts, after: own) { new.cause = cause }
      guard let old = entries[index].entry.machine.judge(new, settled: true) else { continue }
      all.append(publish(id, old, new))
    }
    return Array(all.dropFirst(changes.count))
  }
}

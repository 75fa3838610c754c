import Testing

@testable import Posix
@testable import Reachability

/// The combined status of members in letters: u unreachable, r reachable, p portal, ? unknown.
private func status(_ needed: Int, _ members: String) -> Status {
  let combination = Combination(
    atLeast: needed, of: members.indices.enumerated().map { TargetID($0.offset + 1) })
  return combination.status(of: members.map(letter))
}

private func letter(_ letter: Character) -> Status {
  switch letter {
  case "u": .unreachable
  case "r": .reachable
  case "p": .portal
  default: .unknown
  }
}

/// A few members, and what is combined of them.
private struct CombinedTargets {
  private(set) var combinations = Combinations()
  private var verdicts: [TargetID: Verdict] = [:]
  private var sequence: Int64 = 0

  mutating func combine(_ id: Int, atLeast needed: Int, of members: Int...) {
    combinations.add(Combination(atLeast: needed, of: members.map(TargetID.init)), as: TargetID(id))
  }

  mutating func remove(_ id: Int) -> Bool { combinations.remove(TargetID(id)) }

  /// Changes members' verdicts in one moment; tells what the combined targets make of it:
  /// `4 unreachable->reachable local eth1`.
  mutating func change(_ changes: (Int, Verdict)...) -> [String] {
    let transitions = changes.map { number, verdict in
      sequence += 1
      let id = TargetID(number)
      defer { verdicts[id] = verdict }
      return Transition(
        target: id, from: verdicts[id] ?? .unknown, to: verdict,
        instant: BootInstant(nanoseconds: 0), time: 0, sequence: sequence)
    }
    let known = self.verdicts
    return combinations.judge(after: transitions, { known[$0] }) { id, from, to in
      Transition(
        target: id, from: from, to: to, instant: BootInstant(nanoseconds: 0), time: 0, sequence: 0)
    }.map {
      "\($0.target.number) \($0.from.status)->\($0.to.status) \($0.to.cause) "
        + "\($0.to.path.interface ?? $0.to.reason?.rawValue ?? "-")"
    }
  }
}

private func up(_ interface: String, _ cause: Cause = .local) -> Verdict {
  var path = Path()
  path.flags = .reachable
  path.medium = .wired
  path.interface = interface
  return Verdict(.reachable, cause: cause, path: path)
}

private func down(_ reason: Reason, _ cause: Cause = .local) -> Verdict {
  Verdict(.unreachable, reason: reason, cause: cause)
}

@Suite struct CombinationTests {
  @Test(arguments: [
    // any
    (1, "rr", Status.reachable), (1, "ur", .reachable), (1, "u?", .unknown), (1, "p?", .unknown),
    (1, "up", .portal), (1, "uu", .unreachable), (1, "pr", .reachable),
    // all
    (2, "rr", .reachable), (2, "r?", .unknown), (2, "u?", .unreachable), (2, "p?", .portal),
    (2, "rp", .portal), (2, "ru", .unreachable), (2, "up", .unreachable),
    // at least two of three
    (2, "rru", .reachable), (2, "r?u", .unknown), (2, "rpu", .portal), (2, "?pu", .portal),
    (2, "ruu", .unreachable), (2, "??u", .unknown), (2, "ppp", .portal),
  ])
  func `enough reachable members make it so, and what may still come stays open`(
    needed: Int, members: String, expected: Status
  ) {
    #expect(status(needed, members) == expected)
  }

  @Test func `the first member that has the combined status lends its path and reason`() {
    var scene = CombinedTargets()
    scene.combine(3, atLeast: 1, of: 1, 2)
    #expect(scene.change() == [])
    #expect(
      scene.change((1, down(.noRoute)), (2, up("eth2"))) == ["3 unknown->reachable local eth2"])
    #expect(scene.change((1, up("eth1"))) == ["3 reachable->reachable local eth1"])
    #expect(scene.change((2, down(.timeout, .remote))) == [])
    #expect(
      scene.change((1, down(.noCarrier))) == ["3 reachable->unreachable local no-carrier"])
    // Reachable through the second, whose cause tips it.
    #expect(scene.change((2, up("eth2", .remote))) == ["3 unreachable->reachable remote eth2"])
  }

  @Test func `the cause is that of the member that tipped it`() {
    var scene = CombinedTargets()
    scene.combine(4, atLeast: 2, of: 1, 2, 3)
    #expect(
      scene.change((1, up("a")), (2, up("b")), (3, up("c")))
        == ["4 unknown->reachable local a"])
    // The second loss of one moment decides, though the first member lends its reason.
    #expect(
      scene.change((1, down(.noRoute, .local)), (3, down(.timeout, .remote)))
        == ["4 reachable->unreachable remote no-route"])
  }

  @Test func `what is combined of combined targets changes in the same moment`() {
    var scene = CombinedTargets()
    scene.combine(4, atLeast: 1, of: 1, 2)
    scene.combine(5, atLeast: 2, of: 4, 3)
    #expect(
      scene.change((1, up("a")), (2, down(.noRoute)), (3, up("c"))) == [
        "4 unknown->reachable local a", "5 unknown->reachable local a",
      ])
    #expect(
      scene.change((1, down(.noCarrier))) == [
        "4 reachable->unreachable local no-carrier", "5 reachable->unreachable local no-carrier",
      ])
    #expect(scene.change((3, down(.timeout, .remote))) == [])
  }

  @Test func `one that is removed is told no more`() {
    var scene = CombinedTargets()
    scene.combine(2, atLeast: 1, of: 1)
    let removed = [1, 2].map { scene.remove($0) }
    #expect(removed == [false, true])
    #expect(scene.change((1, up("a"))) == [])
    #expect(scene.combinations.verdict(of: TargetID(2)) == nil)
  }
}

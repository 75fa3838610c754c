internal import Netlink
internal import Posix

/// Judges nameservers as any address is judged, within a pass over all targets.
struct NameserverJudgement {
  private let nameservers: [(server: Nameserver, target: Target, range: Range<Int>)]

  /// Adds the questions about nameservers to those that are asked anyway.
  init(of servers: [Nameserver], by evaluator: Evaluator, _ queries: inout [RouteQuery]) {
    var judged: [(Nameserver, Target, Range<Int>)] = []
    for server in servers {
      let target = Target(.address(server.address, zone: server.zone))
      let start = queries.count
      queries += evaluator.queries(for: target.subject)
      judged.append((server, target, start..<queries.count))
    }
    nameservers = judged
  }

  /// Each nameserver with the verdict on it.
  func verdicts(
    by evaluator: Evaluator, _ queries: [RouteQuery], _ answers: [RouteAnswer]
  ) -> [(server: Nameserver, verdict: Verdict)] {
    nameservers.map { server, target, range in
      let verdict = evaluator.verdict(for: target, queries: queries[range], answers: answers[range])
      return (server, verdict)
    }
  }

  /// Those to which there is a path, and how the kernel would send there.
  func paths(
    by evaluator: Evaluator, _ queries: [RouteQuery], _ answers: [RouteAnswer]
  ) -> [Nameserver: Path] {
    var paths: [Nameserver: Path] = [:]
    for (server, verdict) in verdicts(by: evaluator, queries, answers)
    where verdict.status == .reachable { paths[server] = verdict.path }
    return paths
  }
}

extension NameTable.Entry {
  /// The verdict on a name without a known address, as there is a path to a nameserver or none.
  func verdictWithoutAddress(hasPath: Bool) -> Verdict {
    let waits = hasPath || source == .system
    if !isAnswered, waits { return .unknown }
    return hasPath
      ? Verdict(.unreachable, reason: .dns, cause: .dns) : Verdict(.unreachable, reason: .noRoute)
  }
}

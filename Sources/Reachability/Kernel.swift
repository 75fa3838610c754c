internal import Netlink
internal import Posix

/// Asks the kernel for the truth, and remembers what does not change.
struct Kernel: ~Copyable {
  /// The interfaces and addresses of the last observation.
  private(set) var state = NetworkState.empty
  private var requests: RequestSocket
  private let facts = FactsStorage()
  private let media: [String: Medium]

  /// - Parameter media: media that are not to be found out, by interface name.
  /// - Throws: what the kernel says where a socket cannot be had.
  init(media: [String: Medium]) throws(SystemError) {
    requests = try RequestSocket()
    self.media = media
  }

  /// Looks at all interfaces and addresses, once changes in progress are finished.
  ///
  /// - Parameter changed: the interfaces that were said to have changed.
  /// - Throws: what the kernel says where it cannot be asked.
  mutating func observe(changed: Set<Int32> = []) throws(SystemError) {
    var concerned = changed
    for index in changed { concerned.formUnion(state.uppers(of: index)) }
    try requests.synchronize(Array(concerned))
    state = NetworkState(sorted: try requests.links(), addresses: try requests.addresses())
  }

  /// An evaluator for the state that was last observed, which knows what carries the tunnels.
  ///
  /// - Throws: what the kernel says where it cannot be asked.
  mutating func evaluator() throws(SystemError) -> Evaluator {
    let facts = facts
    var evaluator = Evaluator(
      MediumClassifier(state: state, overrides: media) { link in facts.cache.facts(of: link) })
    if evaluator.hasTunnel {
      evaluator.findUnderlay(try answers(to: evaluator.underlayQueries))
    }
    return evaluator
  }

  /// The kernel's answers, in the order of the queries.
  mutating func answers(to queries: [RouteQuery]) throws(SystemError) -> [RouteAnswer] {
    queries.isEmpty ? [] : try requests.routes(queries)
  }

  private final class FactsStorage {
    var cache = InterfaceFactsCache()
  }
}

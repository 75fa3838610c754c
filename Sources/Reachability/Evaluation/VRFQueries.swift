internal import Netlink

/// The questions that are left where routes lead into a VRF: it sends nothing itself, but goes by a
/// table of its own; Documentation/networking/vrf.rst in the kernel's source.
struct VRFQueries {
  /// What the kernel must be asked.
  private(set) var queries: [RouteQuery] = []
  private var positions: [Int] = []
  private let routers: Set<Int32>

  /// - Parameters:
  ///   - queries: what was asked.
  ///   - answers: what the kernel said, in the same order.
  ///   - state: the interfaces, of which some may be VRFs.
  init(_ queries: [RouteQuery], _ answers: [RouteAnswer], in state: NetworkState) {
    routers = Set(state.links.lazy.filter { $0.kind == "vrf" }.map(\.index))
    guard !routers.isEmpty else { return }
    for (position, answer) in answers.enumerated() {
      guard let router = router(in: answer) else { continue }
      var query = queries[position]
      query.interface = router
      self.queries.append(query)
      positions.append(position)
    }
  }

  /// Puts what the VRFs' own tables say in the place of the routes that led there.
  ///
  /// Where such a table says nothing, the kernel finds the route into the VRF again.
  func replace(in answers: inout [RouteAnswer], by own: [RouteAnswer]) {
    for (position, answer) in zip(positions, own) {
      answers[position] = router(in: answer) == nil ? answer : .refused(RouteAnswer.noRoute)
    }
  }

  private func router(in answer: RouteAnswer) -> Int32? {
    guard case .route(let route) = answer, routers.contains(route.nextHop.interface) else {
      return nil
    }
    return route.nextHop.interface
  }
}

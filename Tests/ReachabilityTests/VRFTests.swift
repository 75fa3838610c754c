import Netlink
import Posix
import Testing

@testable import Reachability

@Suite struct VRFs {
  private let state = NetworkState(
    links: [Link(index: 11, name: "eth0", master: 20), Link(index: 20, name: "blue", kind: "vrf")],
    addresses: [])
  private let queries = [RouteQuery(IPAddress(ipv4: 1)), RouteQuery(IPAddress(ipv4: 2))]

  private func way(_ interface: Int32) -> RouteAnswer {
    .route(Route(nextHop: .init(interface: interface)))
  }

  @Test func `a route that leads into a VRF is looked up in the VRF's own table`() {
    var answers = [way(11), way(20)]
    let inner = VRFQueries(queries, answers, in: state)
    #expect(inner.queries == [RouteQuery(IPAddress(ipv4: 2), interface: 20)])
    inner.replace(in: &answers, by: [way(11)])
    #expect(answers == [way(11), way(11)])
  }

  @Test func `a VRF without a route leads nowhere`() {
    var answers: [RouteAnswer] = [way(20), .refused(113)]
    VRFQueries(queries, answers, in: state).replace(in: &answers, by: [.refused(101)])
    #expect(answers == [.refused(101), .refused(113)])
  }

  @Test func `a VRF whose route leads back into it leads nowhere`() {
    var answers = [way(20), way(11)]
    VRFQueries(queries, answers, in: state).replace(in: &answers, by: [way(20)])
    #expect(answers == [.refused(101), way(11)])
  }

  @Test func `where no route leads into a VRF, nothing more is asked`() {
    #expect(VRFQueries(queries, [way(11), .refused(101)], in: state).queries.isEmpty)
    #expect(VRFQueries(queries, [way(20), way(20)], in: .empty).queries.isEmpty)
  }
}

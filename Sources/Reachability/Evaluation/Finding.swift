public import Netlink

/// One step of a judgement: a question to the kernel, its answer, and what follows from it.
public struct Finding: Sendable {
  /// The question.
  public var query: RouteQuery?
  /// The kernel's answer.
  public var answer: RouteAnswer?
  /// The interface that the packet would leave through, usable or not.
  public var link: Link?
  /// What that interface is, where it is usable.
  public var classification: Classification?
  /// How the kernel would send; empty where it cannot.
  public var path = Path()
  /// Why it cannot; nil where it can.
  public var reason: Reason?
  /// What about the interface does not fit the network that is looked for.
  public var differences: [NetworkDifference] = []

  var isReachable: Bool { path.flags.contains(.reachable) }

  /// Says that the kernel cannot send there after all.
  mutating func block(_ reason: Reason) {
    path = Path()
    self.reason = reason
  }

  init(query: RouteQuery? = nil, answer: RouteAnswer? = nil) {
    self.query = query
    self.answer = answer
  }
}

/// The verdict that stands for a target, and which new one replaces it.
public struct StatusMachine: Sendable {
  /// What was last published; unknown at first.
  public private(set) var verdict = Verdict.unknown
  /// The interfaces of the last path there was.
  public private(set) var lastInterfaces = Path.Interfaces()

  /// A target that has not been judged.
  public init() {}

  /// Whether `judge` would publish this verdict.
  ///
  /// - Parameters:
  ///   - new: what was found.
  ///   - settled: whether the kernel has been quiet for long enough.
  /// - Returns: true for the first verdict, for a settled change, and for a path lost with its link.
  public func wouldPublish(_ new: Verdict, settled: Bool) -> Bool {
    // A target that is still not judged is no news, whatever is known of the way to it.
    guard new.status != .unknown || verdict.status != .unknown else { return false }
    guard !new.isAlike(verdict) || new.path.flags != verdict.path.flags else { return false }
    if settled || verdict.status == .unknown { return true }
    let losesPath = verdict.path.flags.contains(.reachable) && !new.path.flags.contains(.reachable)
    return losesPath && new.reason?.isLossOfLink == true
  }

  /// Takes a verdict in, and returns the one that it replaces; nil where it changes nothing yet.
  public mutating func judge(_ new: Verdict, settled: Bool) -> Verdict? {
    guard wouldPublish(new, settled: settled) else {
      // What is no change in itself, such as a better-known reason, is still the truth.
      if settled, new.status == verdict.status, new.isAlike(verdict) { keep(new) }
      return nil
    }
    let old = verdict
    keep(new)
    return old
  }

  private mutating func keep(_ new: Verdict) {
    let known = verdict.path
    let sameWay = new.path.address == verdict.path.address && new.isAlike(verdict)
    verdict = new
    // These are only asked for where a verdict is published.
    if new.path.source == nil, sameWay { verdict.path.source = known.source }
    if new.path.gatewayMAC == nil, sameWay { verdict.path.gatewayMAC = known.gatewayMAC }
    if new.path.interfaceIndex != 0 { lastInterfaces = new.path.interfaces }
  }
}

internal import Posix
internal import Reachability

extension Probe {
  /// What is sent, and where to if not to the subject: `TCP to 192.0.2.1 port 443`.
  var text: String {
    let place = destination.map { " to \($0.text)" } ?? ""
    switch kind {
    case .tcp(let port): return "TCP\(place) port \(port)"
    case .icmp: return "ICMP echo\(place)"
    case .dns(let name): return "DNS query for \(name)"
    case .http(let check): return "GET \(check.url.withoutQuery)"
    }
  }
}

extension Probe.Destination {
  private static func zoned(_ address: IPAddress, _ zone: String?) -> String {
    zone.map { "\(address)%\($0)" } ?? "\(address)"
  }

  fileprivate var text: String {
    switch self {
    case .address(let address, let zone): Self.zoned(address, zone)
    case .host(let name): name
    }
  }
}

extension ProbeResult {
  /// What came of it.
  var text: String {
    switch self {
    case .pass(let latency, let address):
      "passed by \(address) after \(latency.measuredText)"
    case .failure(let reason, let url):
      "failed, \(reason.rawValue)" + (url.map { " at \($0)" } ?? "")
    }
  }
}

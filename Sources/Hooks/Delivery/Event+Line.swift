internal import Posix
internal import Reachability

extension Event {
  /// The event as one line for people: time, target, status, and what explains it.
  public var line: String {
    var words = [WallClock.localText(at), target.printable, verdict.status.rawValue]
    if let via = verdict.via { words.append("via \(via.rawValue)") }
    if verdict.path.isVPN { words.append("vpn") }
    if let reason = verdict.reason { words.append("(\(reason.rawValue))") }
    if let interface = verdict.path.interface { words.append(interface.printable) }
    if let ssid = verdict.path.ssid { words.append("\"\(ssid.printable)\"") }
    if let gateway = verdict.path.gateway { words.append("gateway \(gateway)") }
    if let url = verdict.url { words.append("at \(url.printable)") }
    return words.joined(separator: " ")
  }
}

internal import Hooks
internal import Netlink
internal import Posix
internal import Reachability

/// The steps from a target to its verdict, as rows that a person reads from top to bottom.
struct Chain {
  private let target: Target
  private let verdict: Verdict
  private var rows: [(label: String, text: String)] = []

  init(_ target: Target, _ explanation: Explanation) {
    self.target = target
    verdict = explanation.verdict
    for resolution in explanation.resolutions { rows += resolution.rows }
    for finding in explanation.findings { add(finding) }
    for answer in explanation.answers { rows.append(("answer", answer)) }
    if let probe = target.probe {
      if let result = explanation.probe {
        rows.append(("probe", "\(probe.text): \(result.text)"))
      } else if let obstacle = explanation.obstacle {
        rows.append(("probe", "\(probe.text): not sent: \(obstacle)"))
      }
    }
    rows.append(("verdict", Chain.summary(of: verdict)))
  }

  var text: String {
    var text = "\(target.name.printable)\n"
    for (label, row) in rows {
      let padding = String(repeating: " ", count: max(1, 11 - label.count))
      text += "  \(label)\(padding)\(row.printable)\n"
    }
    return text
  }

  var json: String {
    var writer = JSONWriter()
    writer.object { json in
      json.field("target", target.name)
      json.key("steps")
      json.array { json in
        for (label, text) in rows {
          json.object { json in
            json.field("step", label)
            json.field("text", text)
          }
        }
      }
      json.field("status", verdict.status.rawValue)
      json.field("via", verdict.via?.rawValue)
      json.field("reason", verdict.reason?.rawValue)
    }
    return writer.text
  }

  private mutating func add(_ finding: Finding) {
    if let query = finding.query, let answer = finding.answer {
      rows.append(("route", "\(query.text) → \(answer.text(in: finding))"))
    }
    if let link = finding.link {
      rows.append(("interface", link.text))
    }
    if let classification = finding.classification {
      let tunnel = classification.isTunnel ? ", a tunnel" : ""
      let medium = classification.medium.rawValue
      rows.append(("medium", "\(medium)\(tunnel): \(classification.evidence.text)"))
    }
    if finding.path.underlayIndex != 0 {
      let gateway = finding.path.gateway.map { " via \($0)" } ?? ""
      let medium = finding.path.medium?.rawValue ?? "unknown"
      rows.append(("beneath", "\(medium): \(finding.path.interface ?? "")\(gateway)"))
    } else if finding.classification?.isTunnel == true, finding.reason == .noRoute {
      rows.append(("beneath", "nothing carries the tunnel"))
    }
    if !finding.path.flags.isEmpty { rows.append(("flags", finding.path.flags.text)) }
    if let ssid = finding.path.ssid { rows.append(("ssid", ssid)) }
    if let isMetered = finding.path.isMetered {
      rows.append(("metered", "\(isMetered ? "yes" : "no"), says NetworkManager"))
    }
    if let source = finding.path.source { rows.append(("source", "\(source)")) }
    for difference in finding.differences { rows.append(("differs", text(difference))) }
    if let reason = finding.reason { rows.append(("broken", reason.rawValue)) }
  }

  /// What a link has, and what the network that is looked for has.
  private func text(_ difference: NetworkDifference) -> String {
    guard case .network(let network) = target.subject else { return "" }
    switch difference {
    case .ssid(let ssid):
      let wanted = network.ssids.map { "\"\($0)\"" }.joined(separator: " or ")
      return "ssid \(ssid.map { "\"\($0)\"" } ?? "none"), not \(wanted)"
    case .gatewayMAC(let found):
      let known = found.isEmpty ? "none known" : found.map(\.description).joined(separator: " ")
      return "gateway_mac \(known), not \(network.gatewayMAC?.description ?? "")"
    case .subnet(let addresses):
      let found = addresses.map(\.description).joined(separator: " ")
      return "address \(found), not in \(network.subnet?.description ?? "")"
    }
  }

  private static func summary(of verdict: Verdict) -> String {
    var text = verdict.status.rawValue
    if let via = verdict.via { text += " via \(via.rawValue)" }
    if verdict.path.isVPN { text += " through a VPN" }
    if let reason = verdict.reason { text += ": \(reason.rawValue)" }
    return text
  }
}

extension RouteQuery {
  fileprivate var text: String {
    let isDefault = destination.isUnspecified || destination == IPAddress(ipv4: 1)
    let family = destination.family == .ipv4 ? "IPv4" : "IPv6"
    let start = source.map { "\($0) to " } ?? ""
    return start + (isDefault ? "\(family) default" : "\(destination)")
  }
}

extension RouteAnswer {
  fileprivate func text(in finding: Finding) -> String {
    switch self {
    case .refused(let code): return "none: \(SystemError.text(of: code))"
    case .route(let route):
      var text = "\(route.kind)"
      if let gateway = route.nextHop.gateway { text += " via \(gateway)" }
      if let link = finding.link { text += " dev \(link.name)" }
      if !route.otherNextHops.isEmpty { text += " and \(route.otherNextHops.count) more" }
      text += " (/\(route.prefixLength), table \(route.table)"
      if let metric = route.metric { text += ", metric \(metric)" }
      if let expires = route.expires { text += ", expires in \(expires.text)" }
      return text + ")"
    }
  }
}

extension Link {
  fileprivate var text: String {
    let switchedOn = isUp ? "up" : "down"
    let carrier = isLowerUp ? "carrier" : "no carrier"
    let kind = kind.isEmpty ? "" : ", kind \(kind)"
    return "\(name): \(switchedOn), \(carrier), state \(operationalState)\(kind)"
  }
}

extension Flags {
  fileprivate var text: String {
    let names = Flags.named.filter { contains($0.flag) }.map(\.name)
    let digits = String(rawValue, radix: 16)
    let padding = String(repeating: "0", count: 8 - digits.count)
    return "0x\(padding)\(digits) \(names.joined(separator: " "))"
  }
}

extension Classification.Evidence {
  fileprivate var text: String {
    switch self {
    case .override: "given by an override"
    case .loopback: "the loopback interface"
    case .modem: "belongs to a modem"
    case .kind(let kind): "interface kind \(kind)"
    case .deviceType(let type): "device type \(type)"
    case .wireless: "belongs to a radio"
    case .hardwareType(let type): "hardware type \(type)"
    case .port(let name): "as its port \(name)"
    case .lower(let name): "as \(name) beneath"
    case .pointToPoint: "point-to-point; nothing tells what carries it"
    case .tunnel(let kind): "tunnel of kind \(kind)"
    case .tethering(let driver): "driver \(driver), often a tethered phone"
    case .name: "by its name"
    case .virtual(let kind): "virtual, kind \(kind)"
    case .ethernet: "Ethernet"
    case .nothing: "nothing tells"
    }
  }
}

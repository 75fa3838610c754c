internal import Posix
internal import Reachability

extension NameResolution {
  /// Who was asked for a name and what they said, and what is known of it then.
  var rows: [(label: String, text: String)] {
    var rows = pathless.map { server, reason in
      (label: "server", text: "\(server): not asked, \(reason.rawValue)")
    }
    for exchange in exchanges {
      let name = exchange.name == name ? "" : "\(exchange.name): "
      rows.append(("server", "\(exchange.server): \(name)\(exchange.text)"))
    }
    let found = addresses.map(\.description).joined(separator: " ")
    rows.append(("name", "\(name) → \(found.isEmpty ? "no address" : found)\(origin)"))
    return rows
  }

  private var origin: String {
    switch source {
    case .hostsFile: ", by the hosts file"
    case .system: ", by the system's services"
    case .nameservers: lifetime.map { ", TTL \(Int($0.seconds)) s" } ?? ""
    }
  }

  /// All questions to one server about one whole name.
  fileprivate struct Exchange {
    let server: Nameserver
    let name: String
    var steps: [Step]
  }

  private var exchanges: [Exchange] {
    var exchanges: [Exchange] = []
    for step in steps {
      if let position = exchanges.firstIndex(where: {
        $0.server == step.server && $0.name == step.name
      }) {
        exchanges[position].steps.append(step)
      } else {
        exchanges.append(Exchange(server: step.server, name: step.name, steps: [step]))
      }
    }
    return exchanges
  }
}

extension NameResolution.Exchange {
  /// `1 IPv4 address, 2 IPv6 addresses, after 0.31ms`, or `silent`.
  fileprivate var text: String {
    let kinds = Set(steps.map(\.kind))
    let time = "after \((steps.map(\.duration).max() ?? .zero).measuredText)"
    if kinds.count == 1, let kind = kinds.first, let kind {
      return kind == "silent" ? kind : "\(kind), \(time)"
    }
    // The last word of a family counts: the tries before it were in vain.
    let last = [IPAddress.Family.ipv4, .ipv6].compactMap { family in
      steps.last { $0.family == family }
    }
    return (last.map(\.text) + [time]).joined(separator: ", ")
  }
}

extension NameResolution.Step {
  /// What was said, where it names no address.
  fileprivate var kind: String? {
    switch answer {
    case .addresses: nil
    case .noData: "no address"
    case .noSuchName: "no such name"
    case .failure(let failure): failure.rawValue
    }
  }

  fileprivate var text: String {
    let family = family == .ipv4 ? "IPv4" : "IPv6"
    guard case .addresses(let found, _) = answer else { return "\(family) \(kind ?? "")" }
    return "\(found.count) \(family) address\(found.count == 1 ? "" : "es")"
  }
}

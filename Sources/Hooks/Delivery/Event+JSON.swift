internal import Posix
internal import Reachability

extension Event {
  /// The event as one line of JSON, its fields named as hooks know them and null where absent.
  public var json: String {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.text
  }

  func write(to writer: inout JSONWriter) {
    let path = verdict.path
    writer.object { json in
      json.field("target", target)
      json.field("status", verdict.status.rawValue)
      json.field("was", was.rawValue)
      json.field("via", verdict.via?.rawValue)
      json.field("was_via", wasVia?.rawValue)
      json.key("changed")
      json.object { json in
        for (name, change) in Verdict.Changes.named where changed.contains(change) {
          json.field(name, true)
        }
      }
      json.field("reason", verdict.reason?.rawValue)
      json.field("cause", cause.rawValue)
      json.field("vpn", path.isVPN)
      json.field("metered", path.isMetered)
      json.field("interface", path.interface)
      json.field("address", path.address?.description)
      json.field("source", path.source?.description)
      json.field("gateway", path.gateway?.description)
      json.field("gateway_mac", path.gatewayMAC?.description)
      json.field("ssid", path.ssid)
      json.field("since", since)
      json.field("lasted", lasted)
      json.field("at", at)
      json.field("sequence", sequence)
      json.field("initial", isInitial)
      json.field("missed", Int64(missed))
      json.field("again", Int64(again))
      json.field("retried", isRetried)
      json.key("latency")
      json.value(verdict.latency?.seconds)
      json.field("url", verdict.url)
      json.key("flags")
      json.object { json in
        for (name, flag) in Flags.named { json.field(name, path.flags.contains(flag)) }
        json.field("raw", Int64(path.flags.rawValue))
      }
    }
  }
}

extension JSONWriter {
  /// Writes a key and a string.
  public mutating func field(_ name: String, _ string: String?) {
    key(name)
    value(string)
  }

  /// Writes a key and an integer.
  public mutating func field(_ name: String, _ integer: Int64?) {
    key(name)
    value(integer)
  }

  /// Writes a key and a truth value.
  public mutating func field(_ name: String, _ boolean: Bool?) {
    key(name)
    value(boolean)
  }
}

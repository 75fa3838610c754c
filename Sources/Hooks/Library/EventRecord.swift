internal import Lua
internal import Posix
internal import Reachability

extension LuaShape {
  static let event = LuaShape(
    id: 0, name: "event",
    keys: [
      "target", "status", "was", "via", "was_via", "changed", "vpn", "metered", "interface",
      "address", "source", "gateway", "gateway_mac", "ssid", "reason", "cause", "since", "lasted",
      "at", "sequence", "initial", "missed", "again", "retried", "latency", "url", "flags",
    ])
  static let changed = LuaShape(
    id: 1, name: "event.changed", keys: Verdict.Property.allCases.map(\.rawValue))
  static let flags = LuaShape(
    id: 2, name: "event.flags", keys: Flags.named.map(\.name) + ["raw"])

  /// All of them, each at the position of its id.
  static let all = [event, changed, flags, runResult]
}

extension LuaWriter {
  /// Writes an event as a handler gets it.
  mutating func event(_ event: Event) {
    let verdict = event.verdict
    let path = verdict.path
    record(.event) { record in
      record.string(event.target)
      record.string(verdict.status.rawValue)
      record.string(event.was.rawValue)
      record.string(verdict.via?.rawValue)
      record.string(event.wasVia?.rawValue)
      record.record(.changed) { record in
        for property in Verdict.Property.allCases {
          if event.changed.contains(property) { record.boolean(true) } else { record.null() }
        }
      }
      record.boolean(path.isVPN)
      record.boolean(path.isMetered)
      record.string(path.interface)
      record.string(path.address?.description)
      record.string(path.source?.description)
      record.string(path.gateway?.description)
      record.string(path.gatewayMAC)
      record.string(path.ssid)
      record.string(verdict.reason?.rawValue)
      record.string(event.cause.rawValue)
      record.integer(event.since)
      record.integer(event.lasted)
      record.integer(event.at)
      record.integer(event.sequence)
      record.boolean(event.isInitial)
      record.integer(Int64(event.missed))
      record.integer(Int64(event.again))
      record.boolean(event.isRetried)
      record.number(verdict.latency?.seconds)
      record.string(verdict.url)
      record.flags(path.flags)
    }
  }

  private mutating func flags(_ flags: Flags) {
    record(.flags) { record in
      for (_, flag) in Flags.named { record.boolean(flags.contains(flag)) }
      record.integer(Int64(flags.rawValue))
    }
  }
}

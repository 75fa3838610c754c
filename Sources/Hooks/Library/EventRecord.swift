package import Lua
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
    id: 1, name: "event.changed", keys: Verdict.Changes.named.map(\.name))
  static let flags = LuaShape(
    id: 2, name: "event.flags", keys: Flags.named.map(\.name) + ["raw"])

  /// All of them, each at the position of its id.
  static let all = [event, changed, flags, runResult, report, answer]
}

extension LuaWriter {
  /// Writes an event as a handler gets it.
  package mutating func event(_ event: Event) {
    record(.event) { record in
      record.string(event.target)
      record.string(event.verdict.status.rawValue)
      record.string(event.was.rawValue)
      record.string(event.verdict.via?.rawValue)
      record.string(event.wasVia?.rawValue)
      record.record(.changed) { record in
        for (_, change) in Verdict.Changes.named {
          if event.changed.contains(change) { record.boolean(true) } else { record.null() }
        }
      }
      record.boolean(event.verdict.path.isVPN)
      record.boolean(event.verdict.path.isMetered)
      record.string(event.verdict.path.interface)
      record.address(event.verdict.path.address)
      record.address(event.verdict.path.source)
      record.address(event.verdict.path.gateway)
      record.string(event.verdict.path.gatewayMAC?.description)
      record.string(event.verdict.path.ssid)
      record.string(event.verdict.reason?.rawValue)
      record.string(event.cause.rawValue)
      record.integer(event.since)
      record.integer(event.lasted)
      record.integer(event.at)
      record.integer(event.sequence)
      record.boolean(event.isInitial)
      record.integer(Int64(event.missed))
      record.integer(Int64(event.again))
      record.boolean(event.isRetried)
      record.number(event.verdict.latency?.seconds)
      record.string(event.verdict.url)
      record.flags(event.verdict.path.flags)
    }
  }

  private mutating func address(_ address: IPAddress?) {
    guard let address else { return null() }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: IPAddress.longestText) { text in
      bytes(UnsafeBufferPointer(rebasing: text[..<address.write(to: text)]))
    }
  }

  private mutating func flags(_ flags: Flags) {
    record(.flags) { record in
      for (_, flag) in Flags.named { record.boolean(flags.contains(flag)) }
      record.integer(Int64(flags.rawValue))
    }
  }
}

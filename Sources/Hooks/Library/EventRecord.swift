package import Lua
internal import Posix
internal import Reachability

extension LuaShape {
  static let event = LuaShape(id: 0, name: "event", keys: TableForm.event.keys)
  static let changed = LuaShape(id: 1, name: "event.changed", keys: TableForm.changes.keys)
  static let flags = LuaShape(id: 2, name: "event.flags", keys: TableForm.flags.keys)

  /// All of them, each at the position of its id.
  static let all = [event, changed, flags, runResult, report, answer]
}

extension TableForm {
  /// What is written below, in the same order.
  static let event = TableForm(
    "reach.Event", "What a handler is given: how a target is, and how that differs from before.",
    [
      Field("target", "string", "The target's name."),
      Field("status", WordList.status.name, "What it is now."),
      Field("was", WordList.status.name, "What this hook was told before; `\"unknown\"` at first."),
      Field("via?", WordList.medium.name, "What carries the path, if it is reachable or portal."),
      Field("was_via?", WordList.medium.name, "What carried it when this hook was told before."),
      Field("changed", TableForm.changes.name, "What differs from what was told before."),
      Field("vpn", "boolean", "Whether the path goes through a tunnel."),
      Field("metered?", "boolean", "Whether it is paid for by volume; nil where nothing tells."),
      Field("interface?", "string", "The interface; beneath a tunnel the one that carries it."),
      Field("address?", "string", "The target's address."),
      Field("source?", "string", "The address of this machine that it is reached from."),
      Field("gateway?", "string", "The router's address."),
      Field("gateway_mac?", "string", "The router's hardware address, if the kernel knows it."),
      Field("ssid?", "string", "The WiFi network's name, if that is printable UTF-8."),
      Field("reason?", WordList.reason.name, "Why it is not reachable."),
      Field("cause", WordList.cause.name, "What brought it about."),
      Field("since", "integer", "When the status began, in Unix seconds."),
      Field("lasted?", "integer", "How many seconds the status before had lasted."),
      Field("at", "integer", "When the event was let go, in Unix seconds."),
      Field("sequence", "integer", "The transition's number, over all targets."),
      Field("initial", "boolean", "Whether it is the first verdict after a load."),
      Field("missed", "integer", "How many transitions were skipped before it."),
      Field("again", "integer", "How often it was called again for this: 0 at first."),
      Field("retried", "boolean", "Whether the run that was told this before was broken off."),
      Field("latency?", "number", "The probe's round trip, in seconds."),
      Field("url?", "string", "The sign-in page of a portal."),
      Field("flags", TableForm.flags.name, "The path, as SCNetworkReachability flags it."),
    ])

  static let changes = TableForm(
    "reach.Changes", "What differs from what was told before; nil is what does not.",
    Verdict.Changes.named.map { Field("\($0.name)?", "true", "Whether `e.\($0.name)` differs.") })

  /// The flags in the order of `Flags.named`, then their sum.
  static let flags = TableForm(
    "reach.Flags", "How the kernel's path is; neither probe nor policy changes it.",
    [
      Field("transient_connection", "boolean", "It comes and goes: ppp, a tunnel, WWAN."),
      Field("reachable", "boolean", "Packets can leave."),
      Field("connection_required", "boolean", "A connection must be made first."),
      Field("connection_on_traffic", "boolean", "Traffic makes the connection."),
      Field("intervention_required", "boolean", "Making the connection needs a person."),
      Field("connection_on_demand", "boolean", "A program's demand makes the connection."),
      Field("is_local_address", "boolean", "The target is an address of this machine."),
      Field("is_direct", "boolean", "No router lies between."),
      Field("is_wwan", "boolean", "It leads over a mobile network."),
      Field("raw", "integer", "All of them, as one number."),
    ])
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

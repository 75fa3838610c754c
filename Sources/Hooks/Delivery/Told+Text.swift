internal import Lua
internal import Posix
internal import Reachability

/// What a hook was told, as the text that is kept: JSON.
///
/// Clocks are nanoseconds since the boot that `boot` names. What was told is forgotten at the next
/// boot; only what is owed is not.
extension Told {
  /// The text, in which `boot` names the present boot.
  func text(boot: String) -> String {
    var writer = JSONWriter()
    writer.object { json in
      json.field("boot", boot)
      json.key("last")
      json.value(last)
      if let unfinished {
        json.key("before")
        json.value(unfinished)
      }
      json.key("calls")
      json.object { json in
        for status in StatusTable<BootInstant>.statuses {
          if let call = calls[status] { json.field(status.rawValue, call.nanoseconds) }
        }
      }
      json.field("held_until", heldUntil?.nanoseconds)
      json.field("repeats_from", repeatsFrom?.nanoseconds)
      json.field("repeats", Int64(repeats))
      json.field("failures", Int64(failures))
      json.field("text", text?.description)
    }
    return writer.text
  }

  /// Reads a text; nil for one that means nothing now.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - boot: the present boot.
  init?(_ text: String, boot: String) {
    guard let json = try? JSONReader.read(Array(text.utf8)), case .table(let table) = json,
      let last = table["last"].flatMap(Heard.init)
    else { return nil }
    self.last = last
    unfinished = table["before"].flatMap(Heard.init)
    guard table["boot"] == .string(boot) else {
      if unfinished == nil { return nil }
      return
    }
    if case .table(let moments)? = table["calls"] {
      for status in StatusTable<BootInstant>.statuses {
        calls[status] = moments.instant(status.rawValue)
      }
    }
    heldUntil = table.instant("held_until")
    repeatsFrom = table.instant("repeats_from")
    if case .integer(let count)? = table["repeats"] { repeats = Int(clamping: count) }
    if case .integer(let count)? = table["failures"] { failures = Int(clamping: max(0, count)) }
    self.text = table.text("text").flatMap(TextDigest.init)
  }
}

extension Told.Heard {
  fileprivate init?(_ json: LuaValue) {
    guard case .table(let table) = json, let word = table.text("status"),
      let status = Status(rawValue: word), case .integer(let since)? = table["since"]
    else { return nil }
    var path = Path()
    path.medium = table.text("via").flatMap(Medium.init)
    path.isVPN = table["vpn"] == .boolean(true)
    if case .boolean(let isMetered)? = table["metered"] { path.isMetered = isMetered }
    path.interface = table.text("interface")
    path.gateway = table.text("gateway").flatMap { IPAddress($0) }
    path.ssid = table.text("ssid")
    self.init(verdict: Verdict(status, path: path), since: since)
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ heard: Told.Heard) {
    let verdict = heard.verdict
    object { json in
      json.field("status", verdict.status.rawValue)
      json.field("via", verdict.via?.rawValue)
      json.field("vpn", verdict.path.isVPN)
      json.field("metered", verdict.path.isMetered)
      json.field("interface", verdict.path.interface)
      json.field("gateway", verdict.path.gateway.map { "\($0)" })
      json.field("ssid", verdict.path.ssid)
      json.field("since", heard.since)
    }
  }
}

extension LuaTable {
  func text(_ key: String) -> String? {
    if case .string(let text)? = self[key] { text } else { nil }
  }

  fileprivate func instant(_ key: String) -> BootInstant? {
    if case .integer(let nanoseconds)? = self[key] {
      BootInstant(nanoseconds: nanoseconds)
    } else {
      nil
    }
  }
}

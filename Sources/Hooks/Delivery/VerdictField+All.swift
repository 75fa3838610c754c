internal import Posix
internal import Reachability

extension VerdictField {
  /// Every field of a verdict that events tell.
  static let all: [VerdictField] = [
    via, reason,
    VerdictField(
      "cause", .text, Cause.allCases.map(\.rawValue).joined(separator: ", "), \.cause,
      { Cause(rawValue: $0) }, \.rawValue),
    VerdictField("vpn", .boolean, "true or false", \.path.isVPN, { Bool($0) }, \.description),
    VerdictField(
      "metered", .boolean, "true, false or nothing", optional: \.path.isMetered, { Bool($0) },
      \.description),
    VerdictField(
      "interface", .text, "the name of an interface", optional: \.path.interface,
      { try? Target.Subject.interfaceName($0) }, \.self),
    VerdictField(
      "address", .text, "an address", optional: \.path.address, { IPAddress($0) }, \.description),
    VerdictField(
      "source", .text, "an address", optional: \.path.source, { IPAddress($0) }, \.description),
    VerdictField(
      "gateway", .text, "an address", optional: \.path.gateway, { IPAddress($0) }, \.description),
    VerdictField(
      "gateway_mac", .text, "a hardware address, as in 02:00:5e:10:00:01",
      optional: \.path.gatewayMAC, { HardwareAddress($0) }, \.description),
    VerdictField(
      "ssid", .text, "an SSID that events tell: 1 to 32 bytes of printable UTF-8",
      optional: \.path.ssid, { try? Network.ssid($0) }, \.self),
    VerdictField(
      "latency", .duration, "a duration, as in 20ms", optional: \.latency,
      { Duration(parsing: $0).flatMap { $0 < .zero ? nil : $0 } }, \.exactText),
    url, flags,
  ]

  private static let via = VerdictField(
    key: "via", kind: .text,
    expectation: Medium.allCases.map(\.rawValue).joined(separator: ", ")
  ) { text, fields throws(FieldError) in
    let status = fields.verdict.status
    guard status == .reachable || status == .portal else {
      throw FieldError("via: an \(status.rawValue) target has none")
    }
    guard let medium = Medium(rawValue: text) else { return false }
    fields.setVia(medium)
    return true
  } text: {
    $0.via?.rawValue
  }

  private static let reason = VerdictField(
    key: "reason", kind: .text, expectation: "a reason, as in no-route"
  ) { text, fields throws(FieldError) in
    guard fields.verdict.status != .reachable else {
      throw FieldError("reason: a reachable target has none")
    }
    guard let reason = Reason(rawValue: text) else {
      guard text.isEmpty else {
        let words = Reason.allCases.map(\.rawValue)
        let hint = Nearest.hint(for: text, among: words)
        throw FieldError(
          "reason: \"\(text.printable)\" is no reason"
            + (hint.isEmpty ? "; reasons are \(words.listed)" : hint))
      }
      fields.verdict.reason = nil
      return true
    }
    fields.verdict.reason = reason
    return true
  } text: {
    $0.reason?.rawValue
  }

  private static let url = VerdictField(
    key: "url", kind: .text,
    expectation: "a URL that a portal may have: http or https, not of this machine"
  ) { text, fields throws(FieldError) in
    guard fields.verdict.status == .portal else {
      throw FieldError("url: only a portal has one")
    }
    return text.set(optional: &fields.verdict.url) { (try? HTTPURL($0))?.fit?.description }
  } text: {
    $0.url
  }

  private static let flags = VerdictField(
    key: "flags", kind: .integer,
    expectation: "a sum of flags, as events have it in flags.raw: 2, 131074"
  ) { text, fields in
    guard let flags = UInt32(text).map(Flags.init(rawValue:)),
      flags.isSubset(of: Flags(Flags.named.map(\.flag)))
    else { return false }
    fields.setFlags(flags)
    return true
  } text: {
    "\($0.path.flags.rawValue)"
  }

  private init(
    key: String, kind: Kind, expectation: String,
    set: @escaping @Sendable (String, inout VerdictFields) throws(FieldError) -> Bool,
    text: @escaping @Sendable (Verdict) -> String?
  ) {
    self.key = key
    self.kind = kind
    self.expectation = expectation
    self.set = set
    self.text = text
  }

  /// A field that every verdict has.
  private init<Value>(
    _ key: String, _ kind: Kind, _ expectation: String,
    _ field: any WritableKeyPath<Verdict, Value> & Sendable,
    _ read: @escaping @Sendable (String) -> Value?, _ write: @escaping @Sendable (Value) -> String
  ) {
    self.init(key: key, kind: kind, expectation: expectation) { text, fields in
      text.set(&fields.verdict[keyPath: field], read)
    } text: {
      write($0[keyPath: field])
    }
  }

  /// A field that can be absent.
  private init<Value>(
    _ key: String, _ kind: Kind, _ expectation: String,
    optional field: any WritableKeyPath<Verdict, Value?> & Sendable,
    _ read: @escaping @Sendable (String) -> Value?, _ write: @escaping @Sendable (Value) -> String
  ) {
    self.init(key: key, kind: kind, expectation: expectation) { text, fields in
      text.set(optional: &fields.verdict[keyPath: field], read)
    } text: {
      $0[keyPath: field].map(write)
    }
  }
}

extension String {
  /// Sets a field to what the text says; false where it says nothing of the kind.
  func set<Value>(_ field: inout Value, _ read: (String) -> Value?) -> Bool {
    guard let value = read(self) else { return false }
    field = value
    return true
  }

  /// Sets a field that is absent for an empty text.
  func set<Value>(optional field: inout Value?, _ read: (String) -> Value?) -> Bool {
    if isEmpty {
      field = nil
      return true
    }
    return set(&field) { read($0).map { .some($0) } }
  }
}

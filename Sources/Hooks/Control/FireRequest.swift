internal import Posix
public import Reachability

/// A call of a hook's handlers that somebody asks for, whatever stands for its target.
public struct FireRequest: Hashable, Sendable {
  /// The script's name.
  public let script: String
  /// The hook's name.
  public let hook: String
  let status: Status
  /// What the event is to hold, as KEY=VALUE.
  private let fields: [String]

  /// The statuses that can be fired.
  public static var statuses: [Status] { StatusTable<Bool>.statuses }
  /// The fields of the event that can be set.
  public static var keys: [String] { EventField.all.map(\.key) }

  /// Reads `SCRIPT/HOOK STATUS [KEY=VALUE…]`.
  ///
  /// - Throws: what is wrong, with the nearest right thing.
  init(words: [String]) throws(RequestError) {
    guard words.count >= 2 else {
      throw RequestError("a hook and a status are needed, as in greet/greet reachable")
    }
    let place = try HookPlace(parsing: words[0])
    guard let hook = place.hook else {
      throw RequestError("\"\(words[0].printable)\" is not SCRIPT/HOOK, as in greet/greet")
    }
    script = place.script
    self.hook = hook
    let names = StatusTable<Bool>.statuses.map(\.rawValue)
    guard names.contains(words[1]), let status = Status(rawValue: words[1]) else {
      throw RequestError(
        "\"\(words[1].printable)\" is none of \(names.joined(separator: ", "))"
          + Nearest.hint(for: words[1], among: names))
    }
    self.status = status
    fields = Array(words.dropFirst(2))
    _ = try draft(over: nil)
  }

  /// The words that are read as it again.
  var words: [String] { ["\(script)/\(hook)", status.rawValue] + fields }

  /// The event to call with, and the handlers to call.
  ///
  /// - Parameters:
  ///   - target: the target's name.
  ///   - told: what the hook was told last.
  ///   - standing: what stands for the target: where that is the status, it fills the event.
  ///   - time: the present moment, in Unix seconds.
  /// - Returns: the event, and the handlers of the status and of `via=`.
  func call(
    on target: String, after told: Told, _ standing: Standing?, at time: Int64
  ) -> (event: Event, handlers: HandlerSet) {
    let fitting = standing.flatMap { $0.verdict.status == status ? $0 : nil }
    // The fields were read once already, over nothing.
    let draft = (try? draft(over: fitting?.verdict)) ?? EventDraft(status, over: fitting?.verdict)
    let last = told.last
    let goesOn = last.verdict.status == status
    let since = draft.since ?? (goesOn ? last.since : fitting?.since ?? time)
    var event = Event(
      target: target, verdict: draft.verdict, was: last.verdict.status,
      wasVia: last.verdict.via, changed: draft.verdict.changes(from: last.verdict),
      cause: draft.verdict.cause, since: since,
      lasted: draft.lasted
        ?? (goesOn || last.verdict.status == .unknown ? nil : since - last.since),
      at: draft.at ?? time, sequence: draft.sequence ?? standing?.sequence ?? 0)
    event.isInitial = draft.isInitial
    event.isRetried = draft.isRetried
    event.missed = draft.missed
    event.again = draft.again
    return (event, handlers(of: draft))
  }

  private func handlers(of draft: EventDraft) -> HandlerSet {
    var verdict = draft.verdict
    guard draft.hasVia else {
      verdict.path.medium = nil
      return HandlerSet(of: verdict)
    }
    return HandlerSet(of: verdict)
  }

  private func draft(over verdict: Verdict?) throws(RequestError) -> EventDraft {
    var draft = EventDraft(status, over: verdict)
    for field in fields { try draft.set(field) }
    return draft
  }
}

/// What an event is to hold, before it is known what the hook was told.
private struct EventDraft {
  var verdict: Verdict
  /// Whether the medium was given.
  var hasVia = false
  var since: Int64?
  var lasted: Int64?
  var at: Int64?
  var sequence: Int64?
  var isInitial = false
  var isRetried = false
  var missed = 0
  var again = 0

  /// - Parameters:
  ///   - status: the status.
  ///   - standing: a verdict of that status that stands; nil where none does.
  init(_ status: Status, over standing: Verdict?) {
    if let standing {
      verdict = standing
      return
    }
    verdict = Verdict(status)
    switch status {
    case .unknown: break
    case .unreachable: verdict.reason = .noRoute
    case .portal:
      verdict.reason = .portal
      verdict.path.medium = .other
    case .reachable: verdict.path.medium = .other
    }
    if status != .unreachable { verdict.path.flags = .reachable }
  }

  /// Sets a field by `KEY=VALUE`; what can be absent is absent for an empty value.
  mutating func set(_ word: String) throws(RequestError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let key = String(parts[0])
    guard parts.count == 2 else {
      throw RequestError("\"\(word.printable)\" is not KEY=VALUE, as in via=wifi")
    }
    guard let field = EventField.all.first(where: { $0.key == key }) else {
      throw RequestError(EventField.refusal(of: key))
    }
    let value = String(parts[1])
    guard try field.set(value, &self) else {
      throw RequestError("\(key): \"\(value.printable)\" is not \(field.expectation)")
    }
  }
}

/// A field of an event that can be set.
private struct EventField: Sendable {
  let key: String
  /// What its values are, for errors.
  let expectation: String
  /// Sets it; false where the value is none of its.
  let set: @Sendable (String, inout EventDraft) throws(RequestError) -> Bool

  static let all: [EventField] = [
    EventField("via", Medium.allCases.map(\.rawValue).joined(separator: ", ")) {
      value, draft throws(RequestError) in
      guard draft.verdict.status != .unreachable else {
        throw RequestError("via: an unreachable target has none")
      }
      guard let medium = Medium(rawValue: value) else { return false }
      draft.hasVia = true
      draft.verdict.path.medium = medium
      if medium == .wwan {
        draft.verdict.path.flags.insert(.isWWAN)
      } else {
        draft.verdict.path.flags.remove(.isWWAN)
      }
      return true
    },
    EventField("reason", "a reason, as in no-route") { value, draft throws(RequestError) in
      guard draft.verdict.status != .reachable else {
        throw RequestError("reason: a reachable target has none")
      }
      guard let reason = Reason(rawValue: value) else {
        let hint = Nearest.hint(for: value, among: Reason.allCases.map(\.rawValue))
        throw RequestError("reason: \"\(value.printable)\" is no reason\(hint)")
      }
      draft.verdict.reason = reason
      return true
    },
    EventField("cause", Cause.allCases.map(\.rawValue).joined(separator: ", ")) { value, draft in
      guard let cause = Cause(rawValue: value) else { return false }
      draft.verdict.cause = cause
      return true
    },
    EventField("vpn", "true or false") { set($0, &$1.verdict.path.isVPN, Bool.init) },
    EventField("metered", "true, false or nothing") {
      setOptional($0, &$1.verdict.path.isMetered, Bool.init)
    },
    EventField("interface", "the name of an interface") {
      setOptional($0, &$1.verdict.path.interface) { try? Target.Subject.interfaceName($0) }
    },
    EventField("address", "an address") {
      setOptional($0, &$1.verdict.path.address) { IPAddress($0) }
    },
    EventField("source", "an address") {
      setOptional($0, &$1.verdict.path.source) { IPAddress($0) }
    },
    EventField("gateway", "an address") {
      setOptional($0, &$1.verdict.path.gateway) { IPAddress($0) }
    },
    EventField("gateway_mac", "a hardware address, as in 02:00:5e:10:00:01") {
      setOptional($0, &$1.verdict.path.gatewayMAC) { HardwareAddress($0) }
    },
    EventField("ssid", "an SSID that events tell: 1 to 32 bytes of printable UTF-8") {
      setOptional($0, &$1.verdict.path.ssid) { try? Network.ssid($0) }
    },
    EventField("latency", "a duration, as in 20ms") {
      setOptional($0, &$1.verdict.latency) { text in
        Duration(parsing: text).flatMap { $0 < .zero ? nil : $0 }
      }
    },
    EventField("url", "a URL that a portal may have: http or https, not of this machine") {
      value, draft throws(RequestError) in
      guard draft.verdict.status == .portal else {
        throw RequestError("url: only a portal has one")
      }
      return setOptional(value, &draft.verdict.url) { (try? HTTPURL($0))?.fit?.description }
    },
    EventField("since", "Unix seconds") { setOptional($0, &$1.since, count) },
    EventField("lasted", "whole seconds") { setOptional($0, &$1.lasted, count) },
    EventField("at", "Unix seconds") { setOptional($0, &$1.at, count) },
    EventField("sequence", "a whole number") { setOptional($0, &$1.sequence, count) },
    EventField("initial", "true or false") { set($0, &$1.isInitial, Bool.init) },
    EventField("retried", "true or false") { set($0, &$1.isRetried, Bool.init) },
    EventField("missed", "a whole number") { set($0, &$1.missed) { count($0).map { Int($0) } } },
    EventField("again", "a whole number") { set($0, &$1.again) { count($0).map { Int($0) } } },
  ]

  /// The fields that follow from what the hook was told, and from the request itself.
  private static let fixed = ["target", "status", "was", "was_via", "changed", "flags"]

  init(
    _ key: String, _ expectation: String,
    _ set: @escaping @Sendable (String, inout EventDraft) throws(RequestError) -> Bool
  ) {
    self.key = key
    self.expectation = expectation
    self.set = set
  }

  static func refusal(of key: String) -> String {
    if fixed.contains(key) { return "\(key) cannot be set: it follows from the rest" }
    let keys = all.map(\.key)
    let hint = Nearest.match(to: key, among: keys)
    return "unknown key \"\(key.printable)\"; "
      + (hint.map { "did you mean \"\($0)\"?" } ?? "the keys are \(keys.joined(separator: ", "))")
  }

  private static func set<Value>(
    _ text: String, _ field: inout Value, _ read: (String) -> Value?
  ) -> Bool {
    guard let value = read(text) else { return false }
    field = value
    return true
  }

  private static func setOptional<Value>(
    _ text: String, _ field: inout Value?, _ read: (String) -> Value?
  ) -> Bool {
    if text.isEmpty {
      field = nil
      return true
    }
    return set(text, &field, { read($0).map { .some($0) } })
  }

  /// A whole number from 0 that Lua and JSON hold exactly.
  @Sendable private static func count(_ text: String) -> Int64? {
    guard let number = Int64(text), (0...1 << 53).contains(number) else { return nil }
    return number
  }
}

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
  public static var keys: [String] { EventField.ofVerdict + EventField.all.map(\.key) }

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
    do throws(FieldError) { _ = try draft(over: nil) } catch {
      throw RequestError(error.description)
    }
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
      target: target, verdict: draft.fields.verdict, was: last.verdict.status,
      wasVia: last.verdict.via, changed: draft.fields.verdict.changes(from: last.verdict),
      cause: draft.fields.verdict.cause, since: since,
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
    var verdict = draft.fields.verdict
    guard draft.fields.hasVia else {
      verdict.path.medium = nil
      return HandlerSet(of: verdict)
    }
    return HandlerSet(of: verdict)
  }

  private func draft(over verdict: Verdict?) throws(FieldError) -> EventDraft {
    var draft = EventDraft(status, over: verdict)
    for field in fields { try draft.set(field) }
    return draft
  }
}

/// What an event is to hold, before it is known what the hook was told.
private struct EventDraft {
  var fields: VerdictFields
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
    fields = VerdictFields(status, over: standing)
  }

  /// Sets a field by `KEY=VALUE`; what can be absent is absent for an empty value.
  mutating func set(_ word: String) throws(FieldError) {
    guard let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      throw FieldError("\"\(word.printable)\" is not KEY=VALUE, as in via=wifi")
    }
    let key = String(word[..<equals])
    let value = String(Substring(word.utf8[equals...].dropFirst()))
    if EventField.ofVerdict.contains(key) { return try fields.set(key, to: value) }
    guard let field = EventField.all.first(where: { $0.key == key }) else {
      throw EventField.refusal(of: key)
    }
    guard field.set(value, &self) else {
      throw FieldError("\(key): \"\(value.printable)\" is not \(field.expectation)")
    }
  }
}

/// A field of an event that can be set, beside those of its verdict.
private struct EventField: Sendable {
  let key: String
  /// What its values are, for errors.
  let expectation: String
  /// Sets it; false where the value is none of its.
  let set: @Sendable (String, inout EventDraft) -> Bool

  static let all: [EventField] = [
    EventField("since", "Unix seconds") { $0.set(optional: &$1.since, count) },
    EventField("lasted", "whole seconds") { $0.set(optional: &$1.lasted, count) },
    EventField("at", "Unix seconds") { $0.set(optional: &$1.at, count) },
    EventField("sequence", "a whole number") { $0.set(optional: &$1.sequence, count) },
    EventField("initial", "true or false") { $0.set(&$1.isInitial) { Bool($0) } },
    EventField("retried", "true or false") { $0.set(&$1.isRetried) { Bool($0) } },
    EventField("missed", "a whole number") { $0.set(&$1.missed) { count($0).map { Int($0) } } },
    EventField("again", "a whole number") { $0.set(&$1.again) { count($0).map { Int($0) } } },
  ]

  /// The fields that follow from what the hook was told, and from the request itself.
  private static let fixed = ["target", "status", "was", "was_via", "changed", "flags"]

  /// The fields of the verdict that can be set.
  static let ofVerdict = VerdictFields.keys.filter { !fixed.contains($0) }

  init(
    _ key: String, _ expectation: String,
    _ set: @escaping @Sendable (String, inout EventDraft) -> Bool
  ) {
    self.key = key
    self.expectation = expectation
    self.set = set
  }

  static func refusal(of key: String) -> FieldError {
    if fixed.contains(key) { return FieldError("\(key) cannot be set: it follows from the rest") }
    return FieldError.unknown(key, among: ofVerdict + all.map(\.key))
  }

  /// A whole number from 0 that Lua and JSON hold exactly.
  @Sendable private static func count(_ text: String) -> Int64? {
    guard let number = Int64(text), (0...1 << 53).contains(number) else { return nil }
    return number
  }
}

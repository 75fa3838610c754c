public import Reachability

/// A verdict that is put together field by field, by the names that these have in events.
///
/// What is not set is what it is at least: a target is unreachable for want of a route, a portal for
/// its page, and what can be reached is so by a medium that is not known. The order in which fields
/// are set means nothing.
public struct VerdictFields: Hashable, Sendable {
  /// What has come of it until now.
  public internal(set) var verdict: Verdict
  /// Whether the medium was given.
  public private(set) var hasVia = false
  /// Whether the flags were given, which else follow from the medium.
  private var hasFlags = false

  /// Begins with a status.
  ///
  /// - Parameters:
  ///   - status: the status, which decides what else there can be.
  ///   - standing: a verdict of that status whose fields are kept; nil where there is none.
  public init(_ status: Status, over standing: Verdict? = nil) {
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
      verdict.path.flags = .reachable
    case .reachable:
      verdict.path.medium = .other
      verdict.path.flags = .reachable
    }
  }

  /// The names of the fields.
  public static var keys: [String] { VerdictField.all.map(\.key) }

  /// Sets a field by its name and a text; what can be absent is absent for an empty one.
  ///
  /// - Throws: what is wrong, with the nearest right thing.
  public mutating func set(_ key: String, to text: String) throws(FieldError) {
    let field = try VerdictField.named(key)
    guard try field.set(text, &self) else {
      throw FieldError("\(key): \"\(text.printable)\" is not \(field.expectation)")
    }
  }

  /// The fields that make a verdict of its status, as names and texts; a path's numbers of the
  /// kernel's are none, and what no text can say is left out.
  public static func texts(of verdict: Verdict) -> [(key: String, text: String)] {
    var fields = VerdictFields(verdict.status)
    var texts: [(key: String, text: String)] = []
    for field in VerdictField.all {
      let text = field.text(verdict)
      guard text != field.text(fields.verdict),
        (try? fields.set(field.key, to: text ?? "")) != nil
      else { continue }
      texts.append((field.key, text ?? ""))
    }
    return texts
  }
}

extension VerdictFields {
  mutating func setVia(_ medium: Medium) {
    hasVia = true
    verdict.path.medium = medium
    if hasFlags { return }
    if medium == .wwan {
      verdict.path.flags.insert(.isWWAN)
    } else {
      verdict.path.flags.remove(.isWWAN)
    }
  }

  mutating func setFlags(_ flags: Flags) {
    hasFlags = true
    verdict.path.flags = flags
  }
}

/// A field that cannot be set so: one line that says why, with the nearest right thing.
public struct FieldError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public let description: String

  init(_ description: String) { self.description = description }

  /// Says that there is no such field, and which ones there are.
  static func unknown(_ key: String, among keys: [String]) -> FieldError {
    let hint = Nearest.match(to: key, among: keys)
    return FieldError(
      "unknown key \"\(key.printable)\"; "
        + (hint.map { "did you mean \"\($0)\"?" } ?? "the keys are \(keys.joined(separator: ", "))")
    )
  }
}

/// A field of a verdict, which can be set and told.
struct VerdictField: Sendable {
  /// What values of scripts it takes beside a text.
  enum Kind { case text, boolean, duration, integer }

  let key: String
  /// What its values are, for errors.
  let expectation: String
  let kind: Kind
  /// Sets it; false where the text is none of its.
  let set: @Sendable (String, inout VerdictFields) throws(FieldError) -> Bool
  /// What it is in a verdict, as `set` reads it; nil where it is absent.
  let text: @Sendable (Verdict) -> String?

  /// The field of a name, where some other names are also right.
  static func named(_ key: String, beside others: [String] = []) throws(FieldError) -> VerdictField
  {
    guard let field = all.first(where: { $0.key == key }) else {
      throw FieldError.unknown(key, among: others + all.map(\.key))
    }
    return field
  }
}

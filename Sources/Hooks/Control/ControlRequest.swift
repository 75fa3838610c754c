internal import Reachability

/// What is asked of the daemon that runs: one line on its control socket.
public enum ControlRequest: Hashable, Sendable {
  /// What it knows, for people or as JSON.
  case status(asJSON: Bool)
  /// A call of a hook's handlers.
  case fire(FireRequest)
  /// An end of what keeps a script, or one hook of it, from running.
  case enable(HookPlace)
  /// All scripts loaded anew.
  case reload

  /// The longest line, its end included.
  public static let longestLine = 4096

  /// Reads a request's words, as they are on the command line.
  ///
  /// - Throws: what is wrong, with the nearest right thing.
  public init(words: [String]) throws(RequestError) {
    let rest = Array(words.dropFirst())
    switch words.first {
    case "status":
      guard rest.isEmpty || rest == ["--json"] else {
        throw RequestError("status takes nothing but --json")
      }
      self = .status(asJSON: !rest.isEmpty)
    case "fire": self = .fire(try FireRequest(words: rest))
    case "enable":
      guard rest.count == 1 else {
        throw RequestError("exactly one script or hook is needed, as in greet or greet/greet")
      }
      self = .enable(try HookPlace(parsing: rest[0]))
    case "reload":
      guard rest.isEmpty else { throw RequestError("it takes no operands") }
      self = .reload
    case let word:
      let names = ["status", "fire", "enable", "reload"]
      throw RequestError(
        "unknown request \"\((word ?? "").printable)\""
          + Nearest.hint(for: word ?? "", among: names))
    }
  }

  /// Reads a line without its end.
  ///
  /// - Throws: what is wrong with it.
  public init(line: [UInt8]) throws(RequestError) {
    guard line.count < ControlRequest.longestLine else {
      throw RequestError("a request is shorter than \(ControlRequest.longestLine) bytes")
    }
    var words: [String] = []
    for part in line.split(separator: 0x20, omittingEmptySubsequences: false) {
      guard let word = ControlRequest.word(part) else {
        throw RequestError("a request of words in UTF-8 and percent-encoding is needed")
      }
      words.append(word)
    }
    try self.init(words: words)
  }

  /// The request as the line that is read as it again, without its end.
  ///
  /// - Throws: where it is too long for one.
  public func line() throws(RequestError) -> String {
    let line = words.map(ControlRequest.encoded).joined(separator: " ")
    guard line.utf8.count < ControlRequest.longestLine else {
      throw RequestError("that is too long: \(ControlRequest.longestLine) bytes at most are sent")
    }
    return line
  }

  private var words: [String] {
    switch self {
    case .status(let asJSON): asJSON ? ["status", "--json"] : ["status"]
    case .fire(let request): ["fire"] + request.words
    case .enable(let place): ["enable", place.text]
    case .reload: ["reload"]
    }
  }

  // MARK: Words on the wire

  /// The bytes that stand for themselves: those of names, paths and KEY=VALUE.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    default: "-._~/=:,@+".utf8.contains(byte)
    }
  }

  private static func encoded(_ word: String) -> String {
    var text = ""
    for byte in word.utf8 {
      if isPlain(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }

  /// A word, or nil from what is none: nothing, a control character, half an escape, no UTF-8.
  private static func word(_ bytes: ArraySlice<UInt8>) -> String? {
    var decoded: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == 0x25 {
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
        else { return nil }
        decoded.append(high << 4 | low)
      } else {
        guard byte > 0x20, byte != 0x7f else { return nil }
        decoded.append(byte)
      }
    }
    // A NUL is in no word of a command line, and in no name.
    guard !decoded.isEmpty, !decoded.contains(0) else { return nil }
    return String(validating: decoded, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}

/// A request that cannot be carried out: one line that says why, with the nearest right thing.
public struct RequestError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// A script, or one hook of it: `greet` or `greet/greet`.
public struct HookPlace: Hashable, Sendable {
  /// The script's name.
  public let script: String
  /// The hook's name; nil for the whole script.
  public let hook: String?

  /// Reads `SCRIPT` or `SCRIPT/HOOK`; only a hook's name may hold slashes.
  init(parsing text: String) throws(RequestError) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty }) else {
      throw RequestError(
        "\"\(text.printable)\" is neither a script nor SCRIPT/HOOK, as in greet/greet")
    }
    script = String(parts[0])
    hook = parts.count == 2 ? String(parts[1]) : nil
  }

  /// As it is written.
  public var text: String { hook.map { "\(script)/\($0)" } ?? script }
}

/// What the daemon answers to a request.
public struct ControlReply: Hashable, Sendable {
  /// What became of the request; the first line of an answer.
  public enum Kind: String, Sendable, CaseIterable {
    /// It was done, and the text is the result.
    case done
    /// It was done, and the result is that something failed.
    case failed
    /// It could not be done, for the reason given.
    case refused
    /// It is no request, or about something that is not there.
    case unusable
  }

  /// What became of the request.
  public let kind: Kind
  /// The result or the reason, without a line's end.
  public let text: String

  /// An answer.
  public init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  /// Reads an answer; nil from what is none, such as one that was broken off in its first line.
  public init?(parsing text: String) {
    guard let end = text.utf8.firstIndex(of: 0x0a), let kind = Kind(rawValue: String(text[..<end]))
    else { return nil }
    self.kind = kind
    var rest = text[end...].dropFirst()
    if rest.utf8.last == 0x0a { rest.removeLast() }
    self.text = String(rest)
  }

  /// The answer as it is sent.
  public var message: String { "\(kind.rawValue)\n\(text)\n" }
}

internal import Posix

extension HTTPURL {
  /// Where an answer's Location header leads.
  enum Redirect: Equatable {
    /// To the host that was asked.
    case sameHost(HTTPURL?)
    /// To another one; nil where the URL is not fit to be opened.
    case otherHost(HTTPURL?)
    /// To nothing that has a host.
    case nowhere
  }

  /// Reads a Location header of an answer to this URL; RFC 3986, section 5.
  func redirect(to location: [UInt8]) -> Redirect {
    guard let reference = HTTPURL.escaped(location) else { return redirect(toUnfit: location) }
    let path = reference.prefix { !"/?#".contains($0) }
    guard let colon = path.firstIndex(of: ":") else {
      if reference.hasPrefix("//") { return redirect(toAbsolute: "\(scheme):\(reference)") }
      return .sameHost(with(tail: resolved(reference)).fit)
    }
    let isScheme = path[..<colon].first?.isLetter == true
    guard isScheme, reference[colon...].hasPrefix("://") else { return .nowhere }
    return redirect(toAbsolute: reference)
  }

  /// Where a Location header of an answer to this URL leads; nil where that is no http or https URL,
  /// or has a user part.
  public func following(_ location: [UInt8]) -> HTTPURL? {
    guard let reference = HTTPURL.escaped(location) else { return nil }
    if reference.hasPrefix("//") { return try? HTTPURL("\(scheme):\(reference)") }
    if reference.prefix(while: { !"/?#".contains($0) }).contains(":") {
      return try? HTTPURL(reference)
    }
    return try? HTTPURL(with(tail: resolved(reference)).description)
  }

  /// The URL, where it may be given to a person to open: not too long, and not to this machine.
  public var fit: HTTPURL? {
    host.isLoopback || description.utf8.count > HTTPURL.longest ? nil : self
  }

  private func redirect(toAbsolute text: String) -> Redirect {
    guard let host = HTTPURL.hostText(of: text) else { return .nowhere }
    let url = try? HTTPURL(text)
    return isHost(host) ? .sameHost(url?.fit) : .otherHost(url?.fit)
  }

  /// With control characters in it only the host is looked at.
  private func redirect(toUnfit location: [UInt8]) -> Redirect {
    let text = String(decoding: location, as: UTF8.self)
    if text.hasPrefix("//") || text.contains("://"), let host = HTTPURL.hostText(of: text) {
      return isHost(host) ? .sameHost(nil) : .otherHost(nil)
    }
    return .sameHost(nil)
  }

  private static func hostText(of text: String) -> String? {
    guard let slashes = text.firstRange(of: "//") else { return nil }
    let authority = text[slashes.upperBound...].prefix { !"/?#".contains($0) }
    let host = Authority(authority).host
    return host.isEmpty ? nil : host
  }

  private func isHost(_ text: String) -> Bool {
    switch host {
    case .name(let name):
      name.lowercased() == (text.hasSuffix(".") ? String(text.dropLast()) : text).lowercased()
    case .address(let address, _):
      IPAddress(text.prefix { $0 != "%" })?.unmapped == address
    }
  }

  /// The text with what no URL may hold percent-encoded, as browsers do; nil with control characters.
  private static func escaped(_ bytes: [UInt8]) -> String? {
    var text = ""
    for byte in bytes {
      switch byte {
      case 0..<0x20, 0x7f: return nil
      case 0x20, 0x22, 0x3c, 0x3e, 0x5c, 0x5e, 0x60, 0x7b...0x7d, 0x80...:
        text += "%" + String(byte, radix: 16, uppercase: true)
      default: text.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return text
  }

  /// Path, query and fragment of a reference without a host; section 5.2.2.
  private func resolved(_ reference: String) -> String {
    let path = tail.prefix { $0 != "?" && $0 != "#" }
    switch reference.first {
    case nil, "#": return tail.prefix { $0 != "#" } + reference
    case "?": return path + reference
    default:
      let written = reference.prefix { $0 != "?" && $0 != "#" }
      let folder = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
      let full = written.hasPrefix("/") ? String(written) : "\(folder)/\(written)"
      return HTTPURL.withoutDots(full) + reference[written.endIndex...]
    }
  }

  /// Removes the steps `.` and `..` from a path that begins with a slash; section 5.2.4.
  private static func withoutDots(_ path: String) -> String {
    var steps: [Substring] = []
    let all = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, step) in all.enumerated() {
      if step == ".." { _ = steps.popLast() } else if step != "." { steps.append(step) }
      if index == all.count - 1, step == "." || step == ".." { steps.append("") }
    }
    return "/" + steps.joined(separator: "/")
  }
}

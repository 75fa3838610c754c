public import Posix

/// An http or https URL; RFC 3986, without a user part.
public struct HTTPURL: Hashable, Sendable {
  /// Whether it is sent as it is, or through TLS.
  public enum Scheme: String, Hashable, Sendable, CaseIterable {
    case http, https

    /// The port of a URL that names none.
    public var standardPort: UInt16 { self == .http ? 80 : 443 }
  }

  /// Where it leads.
  public enum Host: Hashable, Sendable {
    /// A name.
    case name(String)
    /// An address, on the interface that `zone` names where it is given.
    case address(IPAddress, zone: String? = nil)
  }

  /// How it is sent.
  public let scheme: Scheme
  /// Where to.
  public let host: Host
  /// The port; the scheme's where the text names none.
  public let port: UInt16
  /// Path, query and fragment as written, from the slash on.
  public let tail: String

  /// A text that is no such URL.
  public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong with it, and what is taken.
    public let description: String
  }

  /// A URL of more bytes is refused.
  public static let longest = 2048

  /// Reads a URL such as `https://nas.lan:8443/health`.
  ///
  /// - Throws: what is wrong with the text.
  public init(_ text: String) throws(Fault) {
    try HTTPURL.check(text)
    guard let separator = text.firstRange(of: "://") else {
      throw Fault(description: "\"\(text)\" is no URL, such as http://nas.lan/")
    }
    guard let scheme = Scheme(rawValue: text[..<separator.lowerBound].lowercased()) else {
      throw HTTPURL.foreign(text, separator)
    }
    let rest = text[separator.upperBound...]
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let authority = Authority(rest[..<end])
    guard !authority.hasUser else {
      throw Fault(
        description: "\"\(scheme)://…@\(authority.host)…\" has a user part, which is not sent")
    }
    self.scheme = scheme
    host = try HTTPURL.host(authority, in: text)
    port = try HTTPURL.port(authority, in: text) ?? scheme.standardPort
    tail = (rest[end...].first == "/" ? "" : "/") + rest[end...]
  }

  private init(_ scheme: Scheme, _ host: Host, _ port: UInt16, _ tail: String) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.tail = tail
  }

  /// The same place with another path, query and fragment, which begin with a slash.
  func with(tail: String) -> HTTPURL { HTTPURL(scheme, host, port, tail) }

  private static func check(_ text: String) throws(Fault) {
    guard text.utf8.count <= longest else {
      throw Fault(description: "a URL of \(text.utf8.count) bytes; the longest has \(longest)")
    }
    for byte in text.utf8 {
      switch byte {
      case 0x21...0x7e: continue
      case 0x20: throw Fault(description: "\"\(text)\" has a space; write %20")
      case 0x80...: throw Fault(description: "\"\(text)\" is not ASCII; write %C3%A4 for an ä")
      default: throw Fault(description: "\"\(text)\" has a control character")
      }
    }
  }

  /// What is said of a scheme that is not ours, with the nearest one that is.
  private static func foreign(_ text: String, _ separator: Range<String.Index>) -> Fault {
    let isSecure = text[..<separator.lowerBound].lowercased().hasSuffix("s")
    let nearest = "\(isSecure ? "https" : "http")\(text[separator.lowerBound...])"
    return Fault(
      description: "\"\(text)\" is neither http nor https; did you mean \"\(nearest)\"?")
  }

  private static func host(_ authority: Authority, in text: String) throws(Fault) -> Host {
    guard !authority.host.isEmpty else { throw Fault(description: "\"\(text)\" names no host") }
    do throws(TargetError) {
      if authority.isBracketed || IPAddress(authority.host) != nil {
        // RFC 6874 writes the percent sign before the zone as %25, and zones of few characters.
        let written = authority.host.replacing("%25", with: "%", maxReplacements: 1)
        guard case .address(let address, let zone) = try Target.Subject.address(written),
          authority.isBracketed == written.contains(":"),
          zone.map({ address.family == .ipv6 && $0.isUnreserved }) ?? true
        else { throw TargetError("\"\(text)\" has no IPv6 address in its brackets") }
        return .address(address, zone: zone)
      }
      return .name(try Target.Subject.hostName(authority.host))
    } catch {
      throw Fault(description: error.description)
    }
  }

  private static func port(_ authority: Authority, in text: String) throws(Fault) -> UInt16? {
    guard let digits = authority.port else { return nil }
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits),
      port > 0
    else { throw Fault(description: "\"\(text)\" has no port from 1 to 65535 after the colon") }
    return port
  }
}

extension HTTPURL {
  /// The parts between the slashes; RFC 3986, section 3.2.
  struct Authority {
    var hasUser = false
    /// Without its brackets.
    var host: String
    var isBracketed = false
    var port: String?

    init(_ text: Substring) {
      var rest = text
      if let at = rest.lastIndex(of: "@") {
        hasUser = true
        rest = rest[rest.index(after: at)...]
      }
      if rest.first == "[", let bracket = rest.firstIndex(of: "]") {
        isBracketed = true
        host = String(rest[..<bracket].dropFirst())
        rest = rest[bracket...].dropFirst()
        // Without a colon it is no port; nor is an empty one.
        if !rest.isEmpty { port = rest.first == ":" ? String(rest.dropFirst()) : "" }
      } else if let colon = rest.lastIndex(of: ":") {
        host = String(rest[..<colon])
        port = String(rest[rest.index(after: colon)...])
      } else {
        host = String(rest)
      }
    }
  }
}

extension HTTPURL: CustomStringConvertible {
  /// The URL, without a port that its scheme implies.
  public var description: String { start + tail }

  /// The URL as logs show it: its query, which may hold a secret, is left out.
  public var withoutQuery: String { start + tail.prefix { $0 != "?" && $0 != "#" } }

  private var start: String {
    "\(scheme)://\(host)\(port == scheme.standardPort ? "" : ":\(port)")"
  }
}

extension HTTPURL.Host: CustomStringConvertible {
  /// The host as URLs have it: an IPv6 address in brackets.
  public var description: String {
    switch self {
    case .name(let name): name
    case .address(let address, let zone):
      address.family == .ipv4
        ? "\(address)" : "[\(address)\(zone.map { "%25\($0)" } ?? "")]"
    }
  }

  /// Whether it means the machine itself.
  var isLoopback: Bool {
    switch self {
    case .name(let name):
      name.lowercased() == "localhost" || name.lowercased().hasSuffix(".localhost")
    case .address(let address, _):
      address.unmapped.isLoopback || address.unmapped.isUnspecified
    }
  }
}

extension String {
  /// Whether a URL can hold it anywhere without an escape; RFC 3986, section 2.3.
  fileprivate var isUnreserved: Bool {
    utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
      default: "-._~".utf8.contains(byte)
      }
    }
  }
}

extension Target.Subject {
  /// The host of a URL.
  public init(_ host: HTTPURL.Host) {
    switch host {
    case .name(let name): self = .host(name)
    case .address(let address, let zone): self = .address(address, zone: zone)
    }
  }
}

public import Posix

/// Something whose reachability is watched: a subject, and what is asked of the path to it.
public struct Target: Hashable, Sendable {
  /// What is judged.
  public enum Subject: Hashable, Sendable {
    /// A usable default route, of IPv4 or IPv6.
    case internet
    /// A WiFi link with an address of its own.
    case localWiFi
    /// An interface by name.
    case interface(String)
    /// An address, on the interface that `zone` names where it is given.
    case address(IPAddress, zone: String? = nil)
    /// An address, sent to from a given one, on the interface that `zone` names where it is given.
    case addressPair(local: IPAddress, remote: IPAddress, zone: String? = nil)
    /// A host name.
    case host(String)
    /// A link that is on a network.
    case network(Network)
  }

  /// What is judged.
  public var subject: Subject
  /// How events call it.
  public var name: String
  /// What is sent to find out whether it answers; nil where the kernel's path decides.
  public var probe: Probe?
  /// Whether a path over WWAN counts.
  public var allowsWWAN = true
  /// Whether a path that is known to be metered counts.
  public var allowsMetered = true
  /// Media that are not to be found out, by interface name.
  public var media: [String: Medium] = [:]

  /// A target, by default named as its subject is written.
  public init(_ subject: Subject, name: String? = nil) {
    self.subject = subject
    self.name = name ?? subject.description
  }
}

extension Target {
  /// The verdict where a path is there and does not count for this target; nil where it does.
  package func refusal(of path: Path) -> Verdict? {
    if !allowsWWAN, path.flags.contains(.isWWAN) {
      return Verdict(.unreachable, reason: .wwanNotAllowed, path: path)
    }
    if !allowsMetered, path.isMetered == true {
      return Verdict(.unreachable, reason: .meteredNotAllowed, path: path)
    }
    return nil
  }

  /// The host names that must be resolved to judge it.
  var hostNames: [String] {
    var names: [String] = []
    if case .host(let name) = subject { names.append(name) }
    if case .host(let name) = probe?.destination { names.append(name) }
    return names
  }
}

extension Target.Subject: CustomStringConvertible {
  /// The subject as the command line takes it: `internet`, `interface:eth0`, `192.0.2.1`.
  public var description: String {
    switch self {
    case .internet: "internet"
    case .localWiFi: "local_wifi"
    case .interface(let name): "interface:\(name)"
    case .address(let address, let zone): zone.map { "\(address)%\($0)" } ?? "\(address)"
    case .addressPair(let local, let remote, let zone):
      "\(local),\(remote)" + (zone.map { "%\($0)" } ?? "")
    case .network(let network): "network:\(network)"
    // With its dot a host's name is no word of ours.
    case .host(let name): ["internet", "local_wifi"].contains(name) ? "\(name)." : name
    }
  }
}

extension Target {
  /// Reads a subject, `HOST:PORT` for one with a TCP probe (an IPv6 address in brackets), or an http
  /// or https URL for its host with an HTTP probe; it is named as it is written.
  ///
  /// - Throws: what is wrong with the text, and what is taken.
  public init(parsing text: String) throws(TargetError) {
    // The name of a WiFi network may look like anything.
    if text.contains("://"), text.suffix(after: "network:") == nil {
      try self.init(HTTPURL.read(text), name: text)
      return
    }
    guard let (host, port) = try Target.splitPort(text) else {
      self.init(try Subject(parsing: text), name: text)
      return
    }
    self.init(try Subject.addressOrHost(host), name: text)
    if case .address(let address, _) = subject, address.isUnspecified {
      throw TargetError("\"\(text)\" stands for any address, and a probe needs one")
    }
    probe = Probe(.tcp(port: port))
  }

  /// The parts of `HOST:PORT`; nil for a text without a port.
  fileprivate static func splitPort(_ text: String) throws(TargetError) -> (String, UInt16)? {
    guard let colon = text.lastIndex(of: ":"), text.suffix(after: "interface:") == nil,
      text.suffix(after: "network:") == nil
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") || host.isEmpty {
      return nil
    }
    guard let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
      throw TargetError("\"\(text)\" has no port from 1 to 65535 after the colon")
    }
    return (String(host), port)
  }
}

extension Probe.Destination {
  /// Reads an address, with its interface after `%` where it is given, or else a host name.
  ///
  /// - Throws: what is wrong with the text.
  public init(parsing text: String) throws(TargetError) {
    switch try Target.Subject.addressOrHost(text) {
    case .address(let address, let zone):
      guard !address.isUnspecified else {
        throw TargetError("\"\(text)\" stands for any address, and a probe needs one")
      }
      self = .address(address, zone: zone)
    case .host(let name): self = .host(name)
    default: throw TargetError("\"\(text)\" is neither a host name nor an address")
    }
  }

  /// Reads `HOST:PORT`, an IPv6 address in brackets.
  ///
  /// - Throws: what is wrong with the text.
  public static func withPort(
    parsing text: String
  ) throws(TargetError) -> (destination: Self, port: UInt16) {
    guard let (host, port) = try Target.splitPort(text) else {
      throw TargetError("\"\(text)\" is not HOST:PORT; an IPv6 address stands in brackets")
    }
    return (try Self(parsing: host), port)
  }
}

/// A text that names no target.
public struct TargetError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong with it.
  public let description: String

  init(_ description: String) { self.description = description }
}

extension Target.Subject {
  /// Reads `internet`, `local_wifi`, `interface:NAME`, `network:SSID`, an address, `LOCAL,REMOTE` or
  /// a host name.
  ///
  /// - Throws: what is wrong with the text, and what is taken.
  public init(parsing text: String) throws(TargetError) {
    if text == "internet" {
      self = .internet
    } else if text == "local_wifi" {
      self = .localWiFi
    } else if let name = text.suffix(after: "interface:") {
      self = .interface(try Target.Subject.interfaceName(String(name)))
    } else if let name = text.suffix(after: "network:") {
      self = .network(Network(ssids: [try Network.ssid(String(name))]))
    } else if let comma = text.firstIndex(of: ",") {
      self = try Target.Subject.pair(
        String(text[..<comma]), String(text[text.index(after: comma)...]))
    } else {
      self = try Target.Subject.addressOrHost(text)
    }
  }

  /// An address, with a zone where one is given, or else a host name.
  fileprivate static func addressOrHost(_ text: String) throws(TargetError) -> Self {
    if text.contains(":") || text.contains("%") || IPAddress(text) != nil {
      return try address(text)
    }
    return .host(try hostName(text))
  }

  /// Reads an address, with its interface after `%` where it is given: `fe80::1%eth0`.
  public static func address(_ text: String) throws(TargetError) -> Self {
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first.flatMap({ IPAddress($0) }) else {
      throw TargetError("\"\(text)\" is not an address")
    }
    guard parts.count == 2 else { return .address(address.unmapped) }
    return .address(address.unmapped, zone: try interfaceName(String(parts[1])))
  }

  /// Reads an address pair: both of one family, and on one interface where they name any.
  public static func pair(_ local: String, _ remote: String) throws(TargetError) -> Self {
    guard case .address(let from, let fromZone) = try address(local),
      case .address(let to, let toZone) = try address(remote), from.family == to.family
    else { throw TargetError("\(local) and \(remote) are of different families") }
    if let fromZone, let toZone, fromZone != toZone {
      throw TargetError("\(local) and \(remote) are on different interfaces")
    }
    return .addressPair(local: from, remote: to, zone: toZone ?? fromZone)
  }

  /// Checks a name that an interface can have: 1 to 15 bytes, no slash, space or colon.
  public static func interfaceName(_ text: String) throws(TargetError) -> String {
    guard (1...15).contains(text.utf8.count), text != ".", text != "..",
      !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f || $0 == 0x2f || $0 == 0x3a })
    else { throw TargetError("\"\(text)\" cannot be an interface's name") }
    return text
  }

  /// Checks a host name by RFC 1123: letters, digits, hyphens and dots, 253 bytes at most.
  public static func hostName(_ text: String) throws(TargetError) -> String {
    let name = text.hasSuffix(".") ? String(text.dropLast()) : text
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    let fits = labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { byte in
          byte == 0x2d || byte == 0x5f || (0x30...0x39).contains(byte)
            || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
        }
    }
    // A name that ends in a number would be taken for an address: 127.1, 0x7f000001.
    let isNumber = labels.last.map { UInt64($0) != nil || $0.lowercased().hasPrefix("0x") } ?? true
    guard fits, !isNumber, name.utf8.count <= 253 else {
      throw TargetError("\"\(text)\" is neither a host name nor an address")
    }
    return name
  }
}

extension String {
  /// What follows a prefix, or nil where the text does not begin with it.
  ///
  /// By bytes: a mark that follows the prefix makes one character with its end.
  fileprivate func suffix(after prefix: String) -> Substring? {
    utf8.starts(with: prefix.utf8) ? Substring(utf8.dropFirst(prefix.utf8.count)) : nil
  }
}

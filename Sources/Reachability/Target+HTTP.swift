internal import Posix

extension Target {
  /// The host of a URL, with a probe that asks for the URL and takes any status from 200 to 299.
  ///
  /// - Throws: that the address stands for any.
  public init(_ url: HTTPURL, name: String? = nil) throws(TargetError) {
    self.init(Subject(url.host), name: name)
    if case .address(let address, _) = subject, address.isUnspecified {
      throw TargetError("\"\(url)\" stands for any address, and a probe needs one")
    }
    probe = Probe(.http(HTTPCheck(url)))
  }
}

extension HTTPURL {
  /// Reads a URL that names a target.
  static func read(_ text: String) throws(TargetError) -> HTTPURL {
    do throws(Fault) { return try HTTPURL(text) } catch { throw TargetError(error.description) }
  }
}

extension Probe.Destination {
  /// The host of a URL.
  public init(_ host: HTTPURL.Host) {
    switch host {
    case .name(let name): self = .host(name)
    case .address(let address, let zone): self = .address(address, zone: zone)
    }
  }
}

internal import Lua
internal import Posix
internal import Reachability

extension Probe {
  /// `http = "https://nas.lan/health"`, with `expect = 204` or a text that the body holds.
  static let http: @Sendable (OptionTable, Target.Subject) throws(OptionError) -> Probe? = {
    options, subject throws(OptionError) in
    guard let url = try options.url("http") else { return nil }
    var probe = Probe(.http(HTTPCheck(url, expecting: try options.expectation("expect"))))
    switch subject {
    case .host, .address, .addressPair: break
    default: probe.destination = Destination(url.host)
    }
    if case .address(let address, _) = url.host, address.isUnspecified {
      throw options.error("\"http\": \(address) stands for any address, and a probe needs one")
    }
    return probe
  }
}

extension OptionTable {
  /// An http or https URL.
  func url(_ key: String) throws(OptionError) -> HTTPURL? {
    guard let text = try string(key) else { return nil }
    do throws(HTTPURL.Fault) { return try HTTPURL(text) } catch {
      throw self.error("\"\(key)\": \("\(error)".withoutSecrets(of: text))")
    }
  }

  /// Which answers of HTTP pass.
  fileprivate func expectation(_ key: String) throws(OptionError) -> HTTPCheck.Expectation {
    let statuses = HTTPCheck.statuses
    switch value(key) {
    case nil: return .success
    case .integer(let status)? where statuses.contains(Int(clamping: status)):
      return .status(Int(status))
    case .string(let text)? where (1...HTTPCheck.longestBody).contains(text.utf8.count):
      return .text(Array(text.utf8))
    case .bytes(let bytes)? where (1...HTTPCheck.longestBody).contains(bytes.count):
      return .text(bytes)
    case let other?:
      throw mismatch(
        key,
        "a status from \(statuses.lowerBound) to \(statuses.upperBound), or a text of 1 to "
          + "\(HTTPCheck.longestBody) bytes that the body holds", other)
    }
  }
}

extension String {
  /// The message without what a URL in it has of a user, query and fragment, which may be secrets.
  fileprivate func withoutSecrets(of url: String) -> String {
    var message = self
    if let query = url.firstIndex(where: { $0 == "?" || $0 == "#" }) {
      message.replace(url[query...], with: "")
    }
    let start = url.firstRange(of: "//")?.upperBound ?? url.startIndex
    let authority = url[start...].prefix { !"/?#".contains($0) }
    if let at = authority.lastIndex(of: "@") { message.replace(authority[...at], with: "") }
    return message
  }
}

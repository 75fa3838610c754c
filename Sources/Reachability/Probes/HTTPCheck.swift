internal import Posix

/// What an HTTP probe asks for with GET, and which answer passes.
public struct HTTPCheck: Hashable, Sendable {
  /// Which answers pass.
  public enum Expectation: Hashable, Sendable {
    /// Every status from 200 to 299.
    case success
    /// That status.
    case status(Int)
    /// A status from 200 to 299 with a body that holds these bytes in its first 64 KiB.
    case text([UInt8])
  }

  /// What is asked for; no redirect is followed.
  public var url: HTTPURL
  /// Which answers pass.
  public var expectation: Expectation

  /// The statuses that can be expected.
  public static let statuses = 100...599
  /// How much of a body is looked at.
  public static let longestBody = 65536

  /// A check of a URL.
  public init(_ url: HTTPURL, expecting expectation: Expectation = .success) {
    self.url = url
    self.expectation = expectation
  }
}

extension HTTPCheck {
  /// What an answer amounts to.
  enum Judgement: Equatable {
    case pass
    /// Not what was expected.
    case status
    /// A sign-in page in the way, with its URL where that may be opened.
    case portal(HTTPURL?)
  }

  /// How much of the answer must be read to judge it.
  var extent: HTTPRequest.Extent {
    if case .text(let text) = expectation {
      .text(text, within: HTTPCheck.longestBody)
    } else {
      .head
    }
  }

  /// Judges an answer.
  ///
  /// A portal answers in the server's place, which over TLS it cannot: it says so itself (status
  /// 511), sends elsewhere, or answers well, but not what the server would.
  ///
  /// - Parameters:
  ///   - status: its status.
  ///   - location: its Location header.
  ///   - holdsText: whether the body holds the text that is expected.
  /// - Returns: what it amounts to.
  func judge(status: Int, location: [UInt8]? = nil, holdsText: Bool = false) -> Judgement {
    let isSuccess = (200...299).contains(status)
    let isExpected =
      switch expectation {
      case .success: isSuccess
      case .status(let expected): status == expected
      case .text: isSuccess && holdsText
      }
    if isExpected { return .pass }
    guard url.scheme == .http else { return .status }
    let redirect = location.map { url.redirect(to: $0) }
    switch status {
    case 511, 200...299:
      return .portal(redirect.map(\.url) ?? url.fit)
    case 300...399:
      guard case .otherHost(let page)? = redirect else { return .status }
      return .portal(page)
    default: return .status
    }
  }
}

extension HTTPURL.Redirect {
  /// The URL, where there is one that may be opened.
  fileprivate var url: HTTPURL? {
    switch self {
    case .sameHost(let url), .otherHost(let url): url
    case .nowhere: nil
    }
  }
}

public import Posix

/// What is asked of an HTTP server.
///
/// Nothing is followed, remembered or sent beside it: no redirect, cookie, password or proxy.
public struct HTTPRequest: Sendable {
  /// How much of an answer is waited for.
  public enum Extent: Hashable, Sendable {
    /// Its head alone.
    case head
    /// Its body up to so many bytes, which are kept.
    case body(most: Int)
    /// Of an answer from 200 to 299, its body until it has held these bytes, or to that size;
    /// nothing is kept.
    case text([UInt8], within: Int)
  }

  /// What is asked for.
  public var url: HTTPURL
  /// The method, a token of RFC 9110.
  public var method = "GET"
  /// What is sent beside the client's own headers.
  public var headers: [HTTPHeader] = []
  /// What is sent as the body.
  public var body: [UInt8] = []
  /// How much of the answer is waited for.
  public var extent: Extent
  /// Where the URL's host is found, in the order in which they are tried; where there are none, the
  /// system looks the host up.
  public var addresses: [IPAddress]
  /// The number of the interface on which link-local addresses are meant.
  public var scope: Int32 = 0
  /// The address from which it is sent; nil where the routes decide.
  public var source: IPAddress?
  /// The interface through which it is sent, whatever the routes say.
  public var boundInterface: String?
  /// How long everything may take.
  public var timeout: Duration

  /// A GET request.
  public init(
    _ url: HTTPURL, to addresses: [IPAddress] = [], reading extent: Extent, timeout: Duration
  ) {
    self.url = url
    self.addresses = addresses
    self.extent = extent
    self.timeout = timeout
  }
}

/// A line of a request's or an answer's head.
public struct HTTPHeader: Hashable, Sendable {
  /// The name; of an answer in lower case.
  public let name: String
  /// The value as it came, without spaces around it.
  public let value: [UInt8]

  /// A header to be sent; nil where its name is no token of RFC 9110, or its value has a control
  /// character beside tab.
  public init?(_ name: String, _ value: [UInt8]) {
    guard name.isToken, value.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7f }) else {
      return nil
    }
    self.name = name
    self.value = value
  }

  /// Reads a line of an answer's head; nil from one without a colon.
  init?(line: UnsafeRawBufferPointer) {
    guard let colon = line.firstIndex(of: 0x3a) else { return nil }
    let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
    guard name.isToken else { return nil }
    var value = line[colon...].dropFirst()
    while let first = value.first, HTTPHeader.isBlank(first) { value.removeFirst() }
    while let last = value.last, HTTPHeader.isBlank(last) { value.removeLast() }
    self.name = name
    self.value = Array(value)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0d, 0x0a].contains(byte) }
}

extension String {
  /// Whether it is a token of RFC 9110, section 5.6.2.
  var isToken: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}

/// What an HTTP server answered.
public struct HTTPResponse: Sendable {
  /// The number in the first line: 100 to 999.
  public var status = 0
  /// The lines of the head, in their order.
  public var headers: [HTTPHeader] = []
  /// The body, as far as it was asked for.
  public var body: [UInt8] = []
  /// Whether there was more of it.
  public var isTruncated = false
  /// Whether the body has held the text that was asked for.
  public var holdsText = false
  /// The address that answered.
  public var address: IPAddress?
  /// How long its first byte took, connection and handshake included.
  public var firstByte = Duration.zero

  /// An answer, built by hand.
  public init() {}

  /// The value of the first header of that name, which is written in lower case.
  public func first(_ name: String) -> [UInt8]? { headers.first { $0.name == name }?.value }
}

/// Why there is no answer.
public struct HTTPFailure: Error, Hashable, Sendable {
  /// What it says of the way or the other side; nil where this machine lacked something.
  public let reason: Reason?
  /// What went wrong, in words that may come from outside.
  public let text: String
}

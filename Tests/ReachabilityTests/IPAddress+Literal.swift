public import Posix

extension IPAddress: ExpressibleByStringLiteral {
  /// An address of a test; what is none becomes 0.0.0.0.
  public init(stringLiteral text: String) { self = IPAddress(text) ?? IPAddress(ipv4: 0) }
}

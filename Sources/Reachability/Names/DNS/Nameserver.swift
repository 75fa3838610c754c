public import Posix

/// A server of the domain name system: where it listens.
public struct Nameserver: Hashable, Sendable, CustomStringConvertible {
  /// Its address.
  public var address: IPAddress
  /// The interface on which a link-local address is meant.
  public var zone: String?
  /// The port of both UDP and TCP.
  public var port: UInt16

  /// A server by its address; the port is that of RFC 1035 unless another is given.
  public init(_ address: IPAddress, zone: String? = nil, port: UInt16 = 53) {
    self.address = address
    self.zone = zone
    self.port = port
  }

  /// `192.0.2.53`, or with another port than usual `192.0.2.53 port 5353`.
  public var description: String {
    let zone = zone.map { "%\($0)" } ?? ""
    return "\(address)\(zone)" + (port == 53 ? "" : " port \(port)")
  }
}

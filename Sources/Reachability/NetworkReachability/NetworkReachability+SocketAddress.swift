public import Glibc

extension NetworkReachability {
  /// For a socket address; the interface of a link-local one is its `sin6_scope_id`.
  ///
  /// The pointer leads to a whole `sockaddr_in` or `sockaddr_in6`, as the family says.
  ///
  /// - Throws: ``ReachabilityError/unsupportedFamily(_:)`` for any other family, and
  ///   ``ReachabilityError/noSuchInterface(_:)`` where there is none by that number.
  public convenience init(address: UnsafePointer<sockaddr>) throws(ReachabilityError) {
    try self.init(Target(try Target.Subject(socketAddress: address)))
  }

  /// For a pair of socket addresses, of which one may be nil.
  ///
  /// Without a local address the remote one is judged alone, and the other way round.
  ///
  /// - Throws: ``ReachabilityError/missingAddress`` where both are nil,
  ///   ``ReachabilityError/mixedFamilies(local:remote:)``, and what a single one can be refused for.
  public convenience init(
    local: UnsafePointer<sockaddr>?, remote: UnsafePointer<sockaddr>?
  ) throws(ReachabilityError) {
    switch (local, remote) {
    case (let local?, let remote?):
      try self.init(
        Target(
          try Target.Subject(
            local: .init(socketAddress: local), remote: .init(socketAddress: remote))))
    case (let address?, nil), (nil, let address?): try self.init(address: address)
    case (nil, nil): throw .missingAddress
    }
  }
}

extension Target.Subject {
  /// An address of either family, on its interface where it is a link-local one of IPv6.
  fileprivate init(socketAddress: UnsafePointer<sockaddr>) throws(ReachabilityError) {
    guard let address = IPAddress(socketAddress: socketAddress) else {
      throw .unsupportedFamily(Int32(socketAddress.pointee.sa_family))
    }
    var scope: UInt32 = 0
    if address.family == .ipv6, address.isLinkLocal {
      scope = UnsafeRawPointer(socketAddress).loadUnaligned(as: sockaddr_in6.self).sin6_scope_id
    }
    self = .address(address.unmapped, zone: try Self.interfaceName(of: scope))
  }

  /// The name of an interface by its number; nil for 0, which stands for none.
  private static func interfaceName(of number: UInt32) throws(ReachabilityError) -> String? {
    guard number != 0 else { return nil }
    let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
      buffer.baseAddress.flatMap { if_indextoname(number, $0) }.map { String(cString: $0) }
    }
    guard let name else { throw .noSuchInterface(number) }
    return name
  }
}

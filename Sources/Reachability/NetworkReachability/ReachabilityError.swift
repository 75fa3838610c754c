internal import Posix

/// Why there is no watch, or no answer.
public enum ReachabilityError: Error, Hashable, Sendable {
  /// No host can be called that; RFC 1123, in its ASCII form.
  case invalidHostName(String)
  /// The text is no IPv4 or IPv6 address.
  case invalidAddress(String)
  /// No interface can be called that.
  case invalidInterface(String)
  /// There is no interface by that number.
  case noSuchInterface(UInt32)
  /// A socket address is of neither AF_INET nor AF_INET6, but of that family.
  case unsupportedFamily(Int32)
  /// An address pair has neither a local nor a remote address.
  case missingAddress
  /// One address of a pair is IPv4 and the other IPv6.
  case mixedFamilies(local: IPAddress, remote: IPAddress)
  /// The addresses of a pair are on the links of different interfaces.
  case mixedInterfaces(local: String, remote: String)
  /// No WiFi network that events can tell is called that.
  case invalidNetworkName(String)
  /// Nothing tells the network from others.
  case emptyNetwork
  /// A probe is sent to port 0, or has a time, `fall` or `rise` out of range.
  case invalidProbe(Probe)
  /// The kernel cannot be asked: what was being done, and the errno value that came back.
  case noKernelAccess(operation: String, code: Int32)

  init(_ error: SystemError) {
    self = .noKernelAccess(operation: error.operation, code: error.code)
  }
}

extension ReachabilityError: CustomStringConvertible {
  /// One line: `"192.0.2.256" is not an IP address`.
  public var description: String {
    switch self {
    case .invalidHostName(let text): "\"\(text)\" is not a host name"
    case .invalidAddress(let text): "\"\(text)\" is not an IP address"
    case .invalidInterface(let text): "\"\(text)\" cannot be an interface's name"
    case .noSuchInterface(let number): "there is no interface number \(number)"
    case .unsupportedFamily(let family):
      "a socket address of family \(family) is neither IPv4 nor IPv6"
    case .missingAddress: "an address pair needs at least one address"
    case .mixedFamilies(let local, let remote):
      "\(local) and \(remote) are of different families"
    case .mixedInterfaces(let local, let remote):
      "an address pair cannot be on both \(local) and \(remote)"
    case .invalidNetworkName(let text): "\"\(text)\" is not the name of a WiFi network"
    case .emptyNetwork: "a network needs a name, a router or a subnet"
    case .invalidProbe:
      "a probe needs a port, an interval of 100 ms to 1 day, a timeout of 10 ms to 1 h, and fall and "
        + "rise of 1 or more"
    case .noKernelAccess(let operation, let code): "\(SystemError(operation, code: code))"
    }
  }
}

internal import Netlink
internal import Posix

/// Asks nl80211 and WireGuard, on a socket that is opened when one of them is there.
struct Families: ~Copyable {
  private var socket: GenericSocket?
  private var numbers: [String: GenericFamily] = [:]

  init() {}

  /// All WiFi interfaces, and nl80211's family; nil where the kernel has none or does not answer.
  mutating func wirelessInterfaces() -> (GenericFamily, [WirelessInterface])? {
    ask("nl80211") { socket, family throws(SystemError) in
      (family, try socket.wirelessInterfaces(family))
    }
  }

  /// A WireGuard interface; nil where the kernel does not answer, as without CAP_NET_ADMIN.
  mutating func wireGuardDevice(_ index: Int32) -> WireGuardDevice? {
    ask("wireguard") { socket, family throws(SystemError) in
      try socket.wireGuardDevice(index, family)
    }
  }

  /// Asks a family, under a number looked up anew where it had another before its module was loaded
  /// again.
  private mutating func ask<Answer>(
    _ name: String,
    _ body: (inout GenericSocket, GenericFamily) throws(SystemError) -> Answer
  ) -> Answer? {
    do {
      var open = if let open = socket.take() { open } else { try GenericSocket() }
      let answer = Families.ask(name, &open, &numbers, body)
      socket = consume open
      return answer
    } catch {
      return nil
    }
  }

  private static func ask<Answer>(
    _ name: String, _ socket: inout GenericSocket, _ numbers: inout [String: GenericFamily],
    _ body: (inout GenericSocket, GenericFamily) throws(SystemError) -> Answer
  ) -> Answer? {
    let known = numbers[name]
    if let known, let answer = try? body(&socket, known) { return answer }
    numbers[name] = try? socket.family(named: name)
    // Under the number that it had, it has refused.
    guard let family = numbers[name], family != known else { return nil }
    return try? body(&socket, family)
  }
}

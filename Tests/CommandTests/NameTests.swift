import Posix
import TestSupport
import Testing

/// With a nameserver at the other end of the namespace's cable, and a resolv.conf of its own.
@Suite(.serialized) struct Names {
  private func namespace(
    _ configuration: String, answering: @escaping @Sendable (DNSQuery) -> DNSServer.Reply
  ) throws -> (Namespace, DNSServer) {
    let namespace = try Namespace(resolvConf: configuration + "\n")
    let server = try namespace.atOtherEnd {
      try DNSServer(at: "192.0.2.1", port: 53, answering: answering)
    }
    return (namespace, server)
  }

  private func addresses(_ texts: String...) -> [IPAddress] { texts.compactMap { IPAddress($0) } }

  @Test func `explain tells each address, its lifetime and who answered`() throws {
    let (namespace, server) = try namespace(
      "nameserver 192.0.2.1\nsearch example",
      answering: DNSServer.zone(
        ["nas.example": addresses("198.51.100.7", "2001:db8::7")], seconds: 90))
    let result = try namespace.shell(
      "$IN \"$REACH\" explain nas | sed -E 's/after [0-9.]+ms/after Nms/' | sed -n '1,/route/p'")
    #expect(server.questions.count == 2)
    #expect(
      result.output == """
        nas
          server     192.0.2.1: nas.example: 1 IPv4 address, 1 IPv6 address, after Nms
          name       nas → 198.51.100.7 2001:db8::7, TTL 90 s
          route      198.51.100.7 → unicast via 192.0.2.1 dev eth0 (/0, table 254)

        """)
  }

  @Test func `a name that does not exist may have been meant for a ready target`() throws {
    let (namespace, server) = try namespace(
      "nameserver 192.0.2.1", answering: { _ in .code(3) })
    let result = try namespace.shell(
      """
      for name in intenet wifi local-wifi nas intenet.example; do
        $IN "$REACH" explain $name >/dev/null || echo $? >&2
      done
      """)
    #expect(!server.questions.isEmpty)
    #expect(
      result.errors == """
        reach explain: did you mean "internet"?
        1
        reach explain: did you mean "local_wifi"?
        1
        reach explain: did you mean "local_wifi"?
        1
        1
        1

        """)
  }

  @Test func `explain tells who was silent, refused, or was not asked`() throws {
    let (namespace, server) = try namespace(
      "nameserver 2001:db8::53\nnameserver 192.0.2.99\nnameserver 192.0.2.1",
      answering: { _ in .code(5) })
    let result = try namespace.shell(
      """
      # Nobody is there, and since the neighbour is known nothing says so.
      $A neigh add 192.0.2.99 lladdr 02:00:00:00:00:99 dev eth0
      code=0; $IN "$REACH" explain nas.example >out || code=$?
      sed -E 's/after [0-9.]+ms/after Nms/' out; rm out; echo $code
      """, in: "/tmp")
    #expect(!server.questions.isEmpty)
    #expect(
      result.output == """
        nas.example
          server     2001:db8::53: not asked, no-route
          server     192.0.2.99: silent
          server     192.0.2.1: refused, after Nms
          name       nas.example → no address
          verdict    unreachable: dns
        1

        """)
  }

  @Test func `explain says where no nameserver has a path, and what the hosts file holds`() throws {
    let namespace = try Namespace(resolvConf: "nameserver 2001:db8::53\n")
    let result = try namespace.shell(
      """
      mkdir -p /etc/netns/$N-a; echo 192.0.2.1 router.example >/etc/netns/$N-a/hosts
      $IN "$REACH" explain nas.example || true
      $IN "$REACH" explain router.example | sed -n '1,2p'
      """)
    #expect(
      result.output == """
        nas.example
          server     2001:db8::53: not asked, no-route
          name       nas.example → no address
          verdict    unreachable: no-route
        router.example
          name       router.example → 192.0.2.1, by the hosts file

        """)
  }

  @Test func `a file that ip-netns mounts is followed, and a hook is told once`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "nas.lua",
      """
      reach.on{ target = reach.target{ host = "nas.example" }, change = function(e)
        print(e.was, e.status, e.reason, e.cause, e.address)
      end }
      """)
    let (namespace, server) = try namespace(
      "nameserver 2001:db8::53",
      answering: DNSServer.zone(["nas.example": addresses("198.51.100.7")]))
    let result = try namespace.run(
      "nas.lua", in: folder.path,
      while: """
        sleep 0.5; echo 'nameserver 192.0.2.1' >/etc/netns/$N-a/resolv.conf; sleep 0.7
        $A route del default; sleep 0.5; $A route add default via 192.0.2.1; sleep 0.5
        """)
    #expect(server.questions.count <= 6)
    #expect(
      result.log.filter { $0.contains("nas.example: ") && $0.contains("\t") } == [
        "info  nas/nas.example: unknown\tunreachable\tno-route\trestart\tnil",
        "info  nas/nas.example: unreachable\treachable\tnil\tlocal\t198.51.100.7",
        "info  nas/nas.example: reachable\tunreachable\tno-route\tlocal\tnil",
        "info  nas/nas.example: unreachable\treachable\tnil\tlocal\t198.51.100.7",
      ])
  }
}

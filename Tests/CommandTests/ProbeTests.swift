import TestSupport
import Testing

/// Probes as a user meets them.
@Suite(.serialized) struct Probing {
  @Test func `check says what keeps echoes from being sent, and where they are declared`() throws {
    let namespace = try Namespace()
    let folder = try TemporaryFolder()
    try folder.write(
      "ping.lua",
      """
      local nas = reach.target{ address = "192.0.2.1", name = "nas", icmp = true, every = "1s" }
      reach.on{ target = nas, reachable = function() end }
      printer = reach.target{ host = "printer.example" }
      """)
    let result = try namespace.shell(
      """
      code=0; $IN "$REACH" check ping.lua || code=$?; echo $code
      $IN sysctl -qw net.ipv4.ping_group_range="0 2147483647"
      code=0; $IN "$REACH" check ping.lua || code=$?; echo $code
      """, in: folder.path)
    #expect(result.errors == "")
    let list = """
      ping.lua
        target nas = 192.0.2.1: ICMP echo every 1s
        target printer.example
        hook nas on nas: reachable
      """
    let fault = """
      ping.lua:1:  fault    probe-refused  reach.target "nas": open a socket for ICMP, which the \
      sysctl net.ipv4.ping_group_range allows (this process is in group 0): Permission denied
      """
    let advice = """
      reach.target "printer.example": without a probe a host that is switched off stays reachable; \
      add one, such as tcp = 22, or say that the route is enough: route = true
      """
    #expect(
      result.output == """
        \(list)
        \(fault)
        ping.lua:3:  warning  no-probe       \(advice)
        1
        \(list)
        ping.lua:3:  warning  no-probe  \(advice)
        0

        """)
  }

  @Test func `run says once what keeps echoes from being sent, and tells of them once they may`()
    throws
  {
    let namespace = try Namespace()
    let folder = try TemporaryFolder()
    let script = try folder.write(
      "ping.lua",
      """
      for _, name in ipairs{ "one", "two" } do
        reach.on{
          target = reach.target{ internet = true, name = name, icmp = "192.0.2.1", every = "200ms" },
          reachable = function(e) reach.log.info("%s within a second: %s", e.target, e.latency < 1) end,
        }
      end
      """)
    let result = try namespace.run(
      script,
      while: """
        sleep 1
        $IN sysctl -qw net.ipv4.ping_group_range="0 2147483647"; sleep 1
        """)
    // Until then they are unknown, and nobody is told.
    let lines = result.log.filter { !$0.contains("loaded") }
    #expect(lines.first?.contains("net.ipv4.ping_group_range") == true, "\(lines)")
    let refusals = result.log.filter { $0.contains("net.ipv4.ping_group_range") }
    #expect(refusals.count == 1 && refusals[0].hasPrefix("error"))
    for name in ["one", "two"] {
      let line = "info  ping/\(name): \(name) within a second: true"
      #expect(result.log.contains(line), "\(result.log)")
    }
  }

  @Test func `explain tells what a probe met`() throws {
    let namespace = try Namespace()
    let result = try namespace.shell(
      """
      $IN "$REACH" explain 192.0.2.1:8022 | grep probe || true
      $IN nft 'add table t; add chain t c { type filter hook output priority 0; }; add rule t c oif eth0 reject'
      $IN "$REACH" explain 192.0.2.1:8022 | grep -e probe -e verdict || true
      $IN nft 'flush chain t c; add rule t c tcp dport 8022 reject with tcp reset'
      $IN "$REACH" explain 192.0.2.1:8022 | grep -e probe -e verdict || true
      """)
    #expect(
      result.output == """
          probe      TCP port 8022: failed, refused
          probe      TCP port 8022: failed, not-permitted
          verdict    unreachable: not-permitted
          probe      TCP port 8022: failed, not-permitted
          verdict    unreachable: not-permitted

        """)
  }
}

import CTestSupport
import Glibc
import Posix
import TestSupport
import Testing

@testable import Reachability

/// This process on eth0 (192.0.2.2, 2001:db8:1::2), a router (….1) and a host behind it
/// (192.0.3.2, 2001:db8:2::2), each in a network namespace of its own; gone with this value.
///
/// The calling thread, and what it starts, are moved there.
final class ProbeLab: Sendable {
  private let router = "reach-router-\(getpid())"
  private let host = "reach-host-\(getpid())"

  init() {
    #expect(support_enter_namespace() == 0)
    run(
      """
      set -e
      ip netns add \(router); ip netns add \(host)
      R="ip -n \(router)"; H="ip -n \(host)"
      for IN in "" "ip netns exec \(router)" "ip netns exec \(host)"; do
        $IN sysctl -qw net.ipv6.conf.default.accept_dad=0
      done
      ip link add eth0 index 11 type veth peer name b0 index 22 netns \(router)
      $R link add c0 index 33 type veth peer name d0 index 44 netns \(host)
      sysctl -qw net.ipv4.ping_group_range="0 2147483647"
      ip netns exec \(router) sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 \
        net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0
      ip netns exec \(host) sysctl -qw net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0
      ip addr add 192.0.2.2/24 dev eth0; ip addr add 2001:db8:1::2/64 dev eth0 nodad
      $R addr add 192.0.2.1/24 dev b0; $R addr add 2001:db8:1::1/64 dev b0 nodad
      $R addr add 192.0.3.1/24 dev c0; $R addr add 2001:db8:2::1/64 dev c0 nodad
      $H addr add 192.0.3.2/24 dev d0; $H addr add 2001:db8:2::2/64 dev d0 nodad
      for N in \(router) \(host); do ip -n $N link set lo up; done
      ip link set eth0 up; $R link set b0 up; $R link set c0 up; $H link set d0 up
      ip route add default via 192.0.2.1; ip -6 route add default via 2001:db8:1::1
      $H route add default via 192.0.3.1; $H -6 route add default via 2001:db8:2::1
      # Carrier changes of the whole machine are limited to one a second.
      sleep 1.3
      """)
  }

  deinit {
    _ = support_run(
      "kill $(ip netns pids \(host)) 2>/dev/null; ip netns del \(router); ip netns del \(host)")
  }

  func run(_ script: String) { #expect(support_run(script) == 0, "\(script)") }

  /// Where a rule stands, and what it is asked about.
  enum Place: String {
    case here, router, host
  }

  /// Has a rule of nft(8) stand in a place, until `lift`.
  func place(_ rule: String, at place: Place) {
    let (inside, hook, link) =
      switch place {
      case .here: ("", "output", "oif eth0")
      case .router: ("ip netns exec \(router)", "forward", "oif c0")
      case .host: ("ip netns exec \(host)", "input", "iif d0")
      }
    run(
      """
      \(inside) nft 'add table inet t; \
      add chain inet t c { type filter hook \(hook) priority 0; }; \
      add rule inet t c meta \(link) \(rule)'
      """)
  }

  /// Takes the rule in a place away.
  func lift(_ place: Place) {
    let inside =
      switch place {
      case .here: ""
      case .router: "ip netns exec \(router)"
      case .host: "ip netns exec \(host)"
      }
    run("\(inside) nft delete table inet t")
  }

  /// Adds eth1, a link to the host itself, through which nothing is routed; behind it the host is
  /// 203.0.113.9, to which the router knows no way.
  func addSecondLink() {
    run(
      """
      set -e; H="ip -n \(host)"
      ip link add eth1 index 12 type veth peer name e0 index 55 netns \(host)
      ip addr add 198.51.100.2/24 dev eth1; ip link set eth1 up
      $H addr add 198.51.100.1/24 dev e0; $H addr add 203.0.113.9/32 dev lo; $H link set e0 up
      sleep 1.2
      """)
  }

  /// Runs a command in the host's namespace.
  func onHost(_ script: String) { run("ip netns exec \(host) sh -c '\(script)'") }
}

/// Runs one probe to its end; nil where none was sent.
func outcome(
  _ kind: Probe.Kind, to destination: ProbeDestination, timeout: Duration = .milliseconds(400)
) -> ProbeResult? {
  guard let loop = try? EventLoop() else {
    Issue.record("no loop")
    return nil
  }
  let results = Record<ProbeResult?>()
  loop.post {
    var probe = Probe(kind)
    probe.timeout = timeout
    _ = probe.begin(to: destination, on: loop) { result in
      results.note(result)
      loop.stop()
    }
    #expect(results.all.isEmpty)
  }
  loop.run()
  #expect(results.all.count == 1)
  return results.all.first ?? nil
}

func outcome(
  _ kind: Probe.Kind, to addresses: IPAddress..., timeout: Duration = .milliseconds(400)
) -> ProbeResult? {
  outcome(kind, to: ProbeDestination(addresses: addresses), timeout: timeout)
}

/// The reason of a failure, `nil` where it passed or was not sent.
func failure(
  _ kind: Probe.Kind, to address: IPAddress, timeout: Duration = .milliseconds(400)
) -> Reason? {
  guard case .failure(let reason, _)? = outcome(kind, to: address, timeout: timeout) else {
    return nil
  }
  return reason
}

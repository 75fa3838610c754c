import CTestSupport
import Glibc
import TestSupport
import Testing

@testable import Posix

/// Two network namespaces that a cable joins, for one test; gone with this value.
///
/// Inside, `eth0` has 192.0.2.2/24 and a default route via 192.0.2.1 at the other end. Bash scripts
/// find `$A` and `$B`, which run `ip` on either side, and `$IN`, which runs a command inside; with
/// `await COMMAND…` they wait until it succeeds, for 10 s at most.
final class Namespace {
  private static let count = Lock(0)
  private let name: String
  private let prelude: String

  /// Where `resolvConf` is given, commands inside see it as /etc/resolv.conf.
  init(resolvConf: String? = nil) throws {
    let number = Namespace.count.withLock { count in
      count += 1
      return count
    }
    name = "reach-\(getpid())-\(number)"
    prelude = """
      set -e; N=\(name); A="ip -n $N-a"; B="ip -n $N-b"; IN="ip netns exec $N-a"
      export STATE=$(mktemp -d); trap 'rm -rf "$STATE"' EXIT
      await() {
        for i in $(seq 200); do if "$@" >/dev/null 2>&1; then return; fi; sleep 0.05; done
        echo "in vain: $*" >&2
        return 1
      }
      # begun PID: the daemon answers on its control socket, or has ended.
      begun() {
        ! kill -0 $1 || "$REACH" status --socket "$STATE/control"
      }

      """
    let result = try Reach.shell(
      prelude + """
        ip netns add $N-a; ip netns add $N-b; $A link set lo up
        $A link add eth0 index 11 type veth peer name b0 index 22 netns $N-b
        $B addr add 192.0.2.1/24 dev b0; $B link set b0 up
        $A addr add 192.0.2.2/24 dev eth0; $A link set eth0 up
        $A route add default via 192.0.2.1
        # Carrier changes are told once a second.
        sleep 1.3
        """)
    try #require(result.code == 0, "\(result.errors)")
    if let resolvConf {
      // ip-netns(8) mounts what lies there over the files of /etc.
      let written = try shell(
        "mkdir -p /etc/netns/$N-a; printf '%s' '\(resolvConf)' >/etc/netns/$N-a/resolv.conf")
      try #require(written.code == 0, "\(written.errors)")
    }
  }

  deinit {
    _ = try? Reach.shell(prelude + "ip netns del $N-a; ip netns del $N-b; rm -rf /etc/netns/$N-a")
  }

  /// Makes something in the namespace at the cable's other end, as `$B` runs `ip` there.
  func atOtherEnd<Result: Sendable>(
    _ make: @escaping @Sendable () throws -> Result
  ) throws -> Result {
    let made = Record<Swift.Result<Result, any Error>>()
    let path = "/run/netns/\(name)-b"
    try Thread.start(named: "other-end") {
      made.note(
        Swift.Result {
          guard support_join_namespace(path) == 0 else { throw SystemError("join \(path)") }
          return try make()
        })
    }
    _ = eventually { !made.all.isEmpty }
    return try #require(made.all.first).get()
  }

  /// Runs a bash script in a folder.
  func shell(_ script: String, in folder: String = Reach.package) throws -> Reach.Result {
    try Reach.shell(prelude + script, in: folder)
  }

  /// Runs scripts with `reach run` inside while `script` goes on, then ends it as a user would.
  func run(
    _ arguments: String, in folder: String = Reach.package, while script: String
  ) throws -> Reach.Result {
    try shell(
      """
      $IN "$REACH" run --state-dir "$STATE" --socket "$STATE/control" \(arguments) & REACH_PID=$!
      await begun $REACH_PID
      \(script)
      kill -TERM $REACH_PID; wait $REACH_PID
      """, in: folder)
  }
}

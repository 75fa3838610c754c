import TestSupport
import Testing

/// What users of other tools ran into, with the daemon and a hook that writes down each call.
@Suite(.serialized) struct FieldCases {
  private static let hook = """
    local function call(name)
      return function(e)
        print(("call %s %s>%s %s>%s%s%s"):format(name, e.was, e.status, e.was_via or "-",
          e.via or "-", e.vpn and " vpn" or "", e.initial and " initial" or ""))
      end
    end
    local target = TARGET
    reach.on{ target = target, OPTIONS
      reachable = call "reachable", unreachable = call "unreachable",
      wired = call "wired", wifi = call "wifi", wwan = call "wwan" }

    """

  /// The calls of a hook, in order, while a script goes on.
  private func calls(
    of target: String, _ hookOptions: String = "", options: String = "", before: String = "",
    while script: String
  ) throws -> [String] {
    let folder = try TemporaryFolder()
    let text =
      FieldCases.hook
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { line in
        line.contains("TARGET")
          ? "local target = \(target)"
          : line.contains("OPTIONS") ? "reach.on{ target = target, \(hookOptions)" : String(line)
      }
      .joined(separator: "\n")
    try folder.write("hook.lua", text)
    let result = try Namespace().shell(
      before + """

        $IN "$REACH" run \(options) --state-dir "$STATE" --socket "$STATE/control" hook.lua & PID=$!
        await begun $PID
        sleep 0.5
        \(script)
        kill -TERM $PID; wait $PID
        """, in: folder.path)
    #expect(result.code == 0, "\(result.errors)")
    return result.log.compactMap { line in
      line.split(separator: "call ").dropFirst().first.map(String.init)
    }
  }

  @Test func `started without a route, the first call says so`() throws {
    let calls = try calls(
      of: "reach.internet", before: "$A route del default",
      while: "$A route add default via 192.0.2.1; sleep 0.4")
    #expect(
      calls == [
        "unreachable unknown>unreachable ->- initial", "reachable unreachable>reachable ->wired",
        "wired unreachable>reachable ->wired",
      ])
  }

  @Test func `what initial = false keeps back is what was for the next call`() throws {
    let calls = try calls(
      of: "reach.internet", "initial = false,", before: "$A route del default",
      while: "$A route add default via 192.0.2.1; sleep 0.4")
    #expect(
      calls == [
        "reachable unreachable>reachable ->wired", "wired unreachable>reachable ->wired",
      ])
  }

  @Test func `an address without a route is no way there`() throws {
    let calls = try calls(
      of: #"reach.target{ address = "198.51.100.7", route = true }"#,
      before: "$A route del default; $A addr flush dev eth0",
      while: """
        $A addr add 192.0.2.2/24 dev eth0; sleep 0.4
        $A route add default via 192.0.2.1; sleep 0.4
        """)
    #expect(
      calls == [
        "unreachable unknown>unreachable ->- initial", "reachable unreachable>reachable ->wired",
        "wired unreachable>reachable ->wired",
      ])
  }

  @Test func `from Ethernet to WiFi the medium is told, and nothing of reachable`() throws {
    let calls = try calls(
      of: "reach.internet", options: "--medium eth1=wifi",
      while: """
        $A link add eth1 index 12 type veth peer name b1 index 23 netns $N-b
        $A addr add 192.0.4.2/24 dev eth1; $A link set eth1 up; $B link set b1 up; sleep 1.3
        $A route add default via 192.0.4.1 metric 5; $A route del default via 192.0.2.1; sleep 0.4
        """)
    #expect(
      calls == [
        "reachable unknown>reachable ->wired initial", "wired unknown>reachable ->wired initial",
        "wifi reachable>reachable wired>wifi",
      ])
  }

  @Test func `five interfaces that come up one after the other are one call`() throws {
    let calls = try calls(
      of: "reach.internet", #"stable = "2s","#, before: "$A route del default",
      while: """
        sleep 2
        for n in 1 2 3 4 5; do
          $A link add eth$n index $((30+n)) type veth peer name b$n index $((40+n)) netns $N-b
          $A addr add 192.0.$((10+n)).2/24 dev eth$n; $A link set eth$n up
          $B link set b$n up; sleep 0.4
          $A route add default via 192.0.$((10+n)).1 metric $n 2>/dev/null || true
        done
        sleep 4.2
        """)
    #expect(
      calls == [
        "unreachable unknown>unreachable ->- initial", "reachable unreachable>reachable ->wired",
        "wired unreachable>reachable ->wired",
      ])
  }

  @Test func `beneath a tunnel the medium is that of what carries it, until nothing does`() throws {
    let calls = try calls(
      of: "reach.internet", options: "--medium eth0=wifi --medium eth1=wwan",
      before: """
        exec 7> >($IN python3 \(Reach.package)/Tests/Conformance/mktun.py tun0 tun >/dev/null); TUN=$!
        await $A link set tun0 up; $A addr add 10.8.0.2/24 dev tun0
        $A route add 0.0.0.0/1 dev tun0; $A route add 128.0.0.0/1 dev tun0
        $A link add eth1 index 12 type veth peer name b1 index 23 netns $N-b
        $A addr add 192.0.4.2/24 dev eth1; $A link set eth1 up; $B link set b1 up; sleep 1.3
        """,
      while: """
        $A route add default via 192.0.4.1 metric 900; $A route del default via 192.0.2.1; sleep 0.4
        $A route del default via 192.0.4.1; sleep 0.4
        kill $TUN
        """)
    #expect(
      calls == [
        "reachable unknown>reachable ->wifi vpn initial",
        "wifi unknown>reachable ->wifi vpn initial", "wwan reachable>reachable wifi>wwan vpn",
        "unreachable reachable>unreachable wwan>-",
      ])
  }
}

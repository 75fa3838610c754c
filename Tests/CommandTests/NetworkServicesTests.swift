import TestSupport
import Testing

/// Runs `reach` beside a real message bus with what stands in for NetworkManager and ModemManager.
@Suite(.serialized) struct SystemServices {
  /// Bash that starts a bus of its own; `services` starts the services, `say` tells them something.
  private static let bus = """
    FOLDER="$PWD"
    cat > bus.conf <<END
    <busconfig><type>system</type><listen>unix:path=$FOLDER/bus</listen>
    <policy context="default"><allow user="*"/><allow own="*"/><allow send_type="method_call"/>
    <allow send_type="signal"/><allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/><allow receive_type="method_call"/>
    <allow receive_type="method_return"/><allow receive_type="error"/>
    <allow receive_type="signal"/></policy></busconfig>
    END
    start_bus() {
      dbus-daemon --config-file=bus.conf --nofork --nopidfile 2> bus.log & BUS=$!
      for i in $(seq 100); do [ -S bus ] && break; sleep 0.02; done
    }
    services() {
      rm -f in out; mkfifo in out
      DBUS_SYSTEM_BUS_ADDRESS=unix:path=$FOLDER/bus $(dirname "$REACH")/network-services < in > out & SERVICES=$!
      exec 5> in 6< out; read -u 6 answer; [ "$answer" = ok ]
    }
    say() { echo "$*" >&5; read -u 6 answer; [ "$answer" = ok ]; }
    end_services() { kill $SERVICES; exec 5>&- 6<&-; wait $SERVICES || true; }
    export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$FOLDER/bus
    MAC=$($A -br link show eth0 | awk '{print $3}')

    """

  private func shell(_ script: String) throws -> Reach.Result {
    let folder = try TemporaryFolder()
    return try Namespace().shell(SystemServices.bus + script, in: folder.path)
  }

  /// The events of `reach watch --json`, each as the fields that a script of jq's kind picks.
  private static let pick = """
    python3 -c '
    import json, sys
    for line in sys.stdin:
        e = json.loads(line)
        print(e["target"], e["status"], e["via"], e["metered"], e["reason"])'
    """

  @Test func `what NetworkManager says of metered is in the first event, and each change is told`()
    throws
  {
    let result = try shell(
      """
      start_bus; services; say device 1 eth0 eth0 1 1 $MAC
      $IN "$REACH" watch --json 198.51.100.1 > events & WATCH=$!
      sleep 0.5; say metered 1 4; sleep 0.3; say metered 1 0; sleep 0.3
      say metered 1 3; sleep 0.3; end_services; sleep 0.3
      kill $WATCH; kill $BUS; \(SystemServices.pick) < events
      """)
    #expect(
      result.output == """
        198.51.100.1 reachable wired True None
        198.51.100.1 reachable wired False None
        198.51.100.1 reachable wired None None
        198.51.100.1 reachable wired True None
        198.51.100.1 reachable wired None None

        """, "\(result.errors)")
  }

  @Test func `a path that is metered is refused where a hook says so`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "sync.lua",
      """
      local free = reach.target{ internet = true, metered = false, name = "free" }
      reach.on{ target = free,
        reachable = function(e) print("start") end,
        unreachable = function(e) print("stop " .. e.reason) end }
      """)
    let result = try Namespace().shell(
      SystemServices.bus + """
        start_bus; services; say device 1 eth0 eth0 1 1 $MAC
        $IN "$REACH" run --state-dir "$STATE" --socket "$STATE/control" sync.lua & WATCH=$!
        await begun $WATCH
        sleep 0.6; say metered 1 2; sleep 0.4
        kill $WATCH; wait $WATCH; end_services; kill $BUS
        """, in: folder.path)
    let said = result.log.filter { $0.contains("stop") || $0.contains("start") }
    #expect(said.count == 2, "\(result.errors)")
    #expect(said.first?.contains("stop metered-not-allowed") == true)
    #expect(said.last?.contains("start") == true)
  }

  @Test func `explain tells what NetworkManager says`() throws {
    let result = try shell(
      """
      start_bus; services; say device 1 eth0 eth0 1 3 $MAC
      $IN "$REACH" explain 198.51.100.1
      end_services; kill $BUS
      """)
    #expect(result.output.contains("\n  metered    yes, says NetworkManager\n"), "\(result.output)")
  }

  @Test func `an interface of a modem is WWAN by NetworkManager's word or ModemManager's`() throws {
    let result = try shell(
      """
      start_bus; services
      $IN "$REACH" watch --json 198.51.100.1 > events & WATCH=$!
      sleep 0.5; say device 1 ttyUSB0 eth0 8 1 -; sleep 0.3; say device 1 ttyUSB0 - 8 1 -; sleep 0.3
      say bearer eth0; sleep 0.3; say bearer -; sleep 0.3
      kill $WATCH; end_services; kill $BUS; \(SystemServices.pick) < events
      """)
    #expect(
      result.output == """
        198.51.100.1 reachable wired None None
        198.51.100.1 reachable wwan True None
        198.51.100.1 reachable wired None None
        198.51.100.1 reachable wwan None None
        198.51.100.1 reachable wired None None

        """, "\(result.errors)")
  }

  @Test func `an interface of the same name in another network namespace is another one`() throws {
    let result = try shell(
      """
      start_bus; services; say device 1 eth0 eth0 1 1 02:00:00:00:00:99
      $IN "$REACH" watch --json --for 500ms 198.51.100.1 > events
      end_services; kill $BUS; \(SystemServices.pick) < events
      """)
    #expect(result.output == "198.51.100.1 reachable wired None None\n", "\(result.errors)")
  }

  @Test(arguments: [
    "unset DBUS_SYSTEM_BUS_ADDRESS", "rm -f bus", ": > bus", "start_bus", "start_bus; services",
    "start_bus; services; kill -STOP $SERVICES",
  ])
  func `without a bus, without services and with silent ones all is told alike`(
    surroundings: String
  ) throws {
    let result = try shell(
      """
      \(surroundings)
      $IN "$REACH" watch --json internet > events & WATCH=$!
      sleep 1; $A link set eth0 down; sleep 0.4
      $A link set eth0 up; $A route add default via 192.0.2.1; sleep 1.4
      kill $WATCH; [ -z "${SERVICES:-}" ] || { kill -CONT $SERVICES; end_services; }
      [ -z "${BUS:-}" ] || kill $BUS
      \(SystemServices.pick) < events
      """)
    #expect(
      result.output == """
        internet reachable wired None None
        internet unreachable None None link-down
        internet reachable wired None None

        """, "\(result.errors)")
  }

  @Test func `a bus that begins later is found when a link changes`() throws {
    let result = try shell(
      """
      $IN "$REACH" watch --json 198.51.100.1 > events & WATCH=$!
      sleep 0.3; start_bus; services; say device 1 eth0 eth0 1 1 $MAC
      $A link set eth0 mtu 1400; sleep 1.6
      kill $WATCH; end_services; kill $BUS; \(SystemServices.pick) < events
      """)
    #expect(
      result.output == """
        198.51.100.1 reachable wired None None
        198.51.100.1 reachable wired True None

        """, "\(result.errors)")
  }
}

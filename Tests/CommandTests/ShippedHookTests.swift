import TestSupport
import Testing

/// Each hook as it ships but for its settings, with real links, servers and commands.
@Suite(.serialized) struct ShippedHooks {
  /// Bash that makes `eth1`, a second cable, with `192.0.4.2`.
  private static let secondCable = """
    $A link add eth1 index 12 type veth peer name b1 index 23 netns $N-b
    $A addr add 192.0.4.2/24 dev eth1; $A link set eth1 up; $B link set b1 up; sleep 1.3

    """

  /// Bash that starts an HTTP server at the other end, on port 80.
  private static let server = """
    ip netns exec $N-b python3 '\(HTTPServer.program)' 192.0.2.1 80 > "$STATE/server" &
    await [ -s "$STATE/server" ]

    """

  /// Bash with which `listen` and `refuse` have somebody at 192.0.2.1:443, or nobody.
  private static let port = """
    listen() {
      ip netns exec $N-b python3 -c '
    import socket, time
    s = socket.create_server(("192.0.2.1", 443), backlog=99); time.sleep(60)' & LISTENER=$!
    }
    refuse() { kill $LISTENER; wait $LISTENER || true; }

    """

  // MARK: What is told

  @Test func `log-transitions tells of each target`() throws {
    let (_, log) = try ScriptRun(shipped: "hooks/log-transitions.lua")(
      """
      start; await logged 'localhost is reachable'; await logged 'internet is reachable'
      await logged 'local_wifi is'
      $A link set eth0 down; await logged 'internet is unreachable'; stop
      """)
    let lines = log.filter { $0.contains("log-transitions/") && !$0.contains("finished") }
    #expect(
      Set(lines.map { $0.replacing(#/after \d+ s/#, with: "after 0 s") }) == [
        "info  log-transitions/internet: internet is reachable via wired",
        "warn  log-transitions/local_wifi: local_wifi is unreachable: interface-missing",
        "info  log-transitions/localhost: localhost is reachable via loopback",
        "warn  log-transitions/internet: internet is unreachable: link-down, after 0 s reachable",
      ])
  }

  @Test func `notify-wwan shows when mobile data begins, and in its place when it ends`() throws {
    var run = try ScriptRun(shipped: "hooks/notify-wwan.lua", changing: ["\"5s\"": "\"300ms\""])
    run.options = "--medium eth1=wwan"
    let (_, log) = try run(
      ShippedHooks.secondCable + Notifying.bus + """
        serve body; start; await logged 'internet: reachable via wired'
        $A route add default via 192.0.4.1 metric 5; $A route del default via 192.0.2.1
        await grep over shown
        $A route add default via 192.0.2.1; await grep 'not used' shown
        stop; kill $SERVER $BUS
        """)
    #expect(
      run.folder.read("shown") == """
        ok
        0|1|-1|Mobile data|The internet is reached over eth1 now.
        7|1|-1|Mobile data|Mobile data is not used any more.

        """, "\(log)")
  }

  @Test func `without a desktop notify-wwan says so in one line`() throws {
    var run = try ScriptRun(shipped: "hooks/notify-wwan.lua", changing: ["\"5s\"": "\"0s\""])
    run.options = "--medium eth0=wwan"
    let (_, log) = try run(
      """
      unset DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR
      start; await logged finished; stop
      """)
    #expect(
      log.filter { $0.hasPrefix("warn") || $0.hasPrefix("error") } == [
        "warn  notify-wwan/notify-wwan: reach.notify: no session bus: neither "
          + "DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set"
      ])
  }

  // MARK: What is done

  @Test func `pause-sync stops the job without internet`() throws {
    let (calls, _) = try ScriptRun(shipped: "hooks/pause-sync.lua")(
      """
      start; await logged 'internet: reachable'; $A link set eth0 down; await called stop; stop
      """)
    #expect(calls == ["systemctl --user stop syncthing.service"])
  }

  @Test func `pause-sync stops the job on mobile data`() throws {
    var run = try ScriptRun(shipped: "hooks/pause-sync.lua")
    run.options = "--medium eth0=wwan"
    let (calls, _) = try run("start; await called stop; stop")
    #expect(calls == ["systemctl --user stop syncthing.service"])
  }

  @Test func `portal-sign-in opens the page once, with what systemd would expand kept as it is`()
    throws
  {
    let moved = HTTPServer.path(
      status: 302, "Location: http://wifi.example/in?a=${HOME}&b=$1\r\n")
    let run = try ScriptRun(
      shipped: "hooks/portal-sign-in.lua",
      changing: [
        "http://detectportal.firefox.com/success.txt": "http://192.0.2.1\(moved)",
        "\"1m\"": "\"200ms\"",
      ])
    let (calls, log) = try run(
      ShippedHooks.server + """
        start; await called xdg-open
        # The link bounces, and the page is there again.
        $A link set eth0 down; await logged 'open internet: unreachable'
        $A link set eth0 up; $A route add default via 192.0.2.1
        await times 2 logged 'open internet: portal'; stop
        """)
    #expect(
      calls == [
        "systemd-run --user --quiet --collect xdg-open "
          + "http://wifi.example/in?a=$$%7BHOME%7D&b=$$1"
      ], "\(log)")
  }

  @Test func `portal-sign-in opens nothing where the page is as it should be, and none for a loss`()
    throws
  {
    let page = HTTPServer.path(status: 200, body: "success\n")
    let run = try ScriptRun(
      shipped: "hooks/portal-sign-in.lua",
      changing: ["http://detectportal.firefox.com/success.txt": "http://192.0.2.1\(page)"])
    let (calls, _) = try run(
      ShippedHooks.server + """
        start; await logged 'open internet: reachable'
        $A link set eth0 down; await logged 'open internet: unreachable'; stop
        """)
    #expect(calls == [])
  }

  @Test func `reset-modem resets a modem that lets nothing through, and none that is switched off`()
    throws
  {
    let run = try ScriptRun(
      shipped: "hooks/reset-modem.lua",
      changing: [
        "wwan0": "eth0", "1.1.1.1": "192.0.2.1", "\"1m\"   ": "\"200ms\"", "\"2m\"": "\"1s\"",
        "\"10m\"": "\"0s\"",
      ])
    let (calls, log) = try run(
      ShippedHooks.port + """
        listen; start; await logged 'line: reachable'
        refuse; await called mmcli; listen; await logged 'eth0 is back'
        await logged 'unreachable: finished'
        # Switched off for longer than patience, while the port is silent too.
        $A link set eth0 down; await logged 'link: unreachable'; refuse; sleep 1.5
        "$REACH" status --socket "$STATE/control" > status
        stop
        """)
    #expect(calls == ["mmcli --modem=any --reset"], "\(log)")
    #expect(log.contains("warn  reset-modem/reset-modem: eth0 is reset: refused"))
    #expect(run.folder.read("status").contains("given modem link is unreachable"))
  }

  @Test func `where a command is not to be had one line says so`() throws {
    let run = try ScriptRun(
      shipped: "hooks/reset-modem.lua",
      changing: [
        "wwan0": "eth0", "1.1.1.1": "192.0.2.1", "\"1m\"   ": "\"200ms\"", "\"2m\"": "\"0s\"",
      ])
    let (_, log) = try run("rm bin/mmcli; start; await logged finished; stop")
    #expect(
      log.filter { $0.contains("mmcli") } == [
        "warn  reset-modem/reset-modem: there is no program \"mmcli\" in PATH"
      ])
  }
}

import TestSupport
import Testing

/// The shipped hooks that remember what they did, over ends of the daemon as well.
@Suite(.serialized) struct RememberingHooks {
  // MARK: pause-sync

  /// Bash that makes `eth1`, a second cable, and with `by_eth1` and `by_eth0` leads traffic over it
  /// and back.
  private static let twoWays = """
    $A link add eth1 index 12 type veth peer name b1 index 23 netns $N-b
    $A addr add 192.0.4.2/24 dev eth1; $A link set eth1 up; $B link set b1 up; sleep 1.3
    by_eth1() {
      $A route add default via 192.0.4.1 metric 5; $A route del default via 192.0.2.1
    }
    by_eth0() {
      $A route add default via 192.0.2.1; $A route del default via 192.0.4.1 metric 5
    }

    """

  private func pauseSync(patience: String) throws -> ScriptRun {
    var run = try ScriptRun(
      shipped: "hooks/pause-sync.lua", changing: ["\"10s\"": "\"\(patience)\""])
    run.options = "--medium eth1=wwan"
    return run
  }

  private let stopped = "systemctl --user stop syncthing.service"
  private let started = "systemctl --user start syncthing.service"

  @Test func `what was paused on mobile data is resumed once, though the daemon ended meanwhile`()
    throws
  {
    let (calls, log) = try pauseSync(patience: "200ms")(
      RememberingHooks.twoWays + """
        start; await logged 'reachable: finished'; by_eth1; await called stop
        await logged 'unreachable: finished'; stop
        start; await times 2 logged 'free internet: unreachable'; stop
        by_eth0
        start; await called start; await times 2 logged ' reachable: finished'
        $A link set eth1 down; sleep 0.3; stop
        start; await times 3 logged 'free internet: reachable'; sleep 0.5; stop
        """)
    #expect(calls == [stopped, started], "\(log)")
  }

  @Test func `a job that did not run is not started, nor one that cannot be stopped twice`() throws
  {
    let (calls, log) = try pauseSync(patience: "0s")(
      RememberingHooks.twoWays + """
        echo inactive > unit
        start; await logged 'reachable: finished'; by_eth1; await logged 'unreachable: finished'
        by_eth0; await times 2 logged ' reachable: finished'
        # A job that runs, and a systemctl that fails: it says so, once.
        echo active > unit; touch fails; by_eth1; await times 2 logged 'unreachable: finished'
        rm fails; stop
        """)
    #expect(calls == [])
    #expect(
      log.filter { $0.hasPrefix("warn") } == [
        "warn  pause-sync/pause-sync: systemctl --user show syncthing.service "
          + "--property=ActiveState --value: exit code 1: systemctl: it is not to be"
      ])
  }

  // MARK: webhook-outage

  /// Bash that starts a webhook at 192.0.2.1:8080, which notes what it takes in `taken` and refuses
  /// all while there is a file `refuse`; and whoever listens where the line is probed.
  private static let webhook = """
    cat > webhook.py <<'END'
    import http.server, os
    class Webhook(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            with open("refused" if os.path.exists("refuse") else "taken", "a") as file:
                print(body, file=file)
            self.send_response(503 if os.path.exists("refuse") else 204)
            self.end_headers()
        def log_message(self, *words): pass
    http.server.HTTPServer(("192.0.2.1", 8080), Webhook).serve_forever()
    END
    touch taken refused
    ip netns exec $N-b python3 webhook.py & WEBHOOK=$!
    ip netns exec $N-b python3 -m http.server --bind 192.0.2.1 443 > /dev/null 2>&1 & LINE=$!
    await $IN bash -c 'exec 3<>/dev/tcp/192.0.2.1/443 4<>/dev/tcp/192.0.2.1/8080'
    taken() { [ "$(wc -l < taken)" -ge $1 ]; }
    refused() { [ "$(wc -l < refused)" -ge $1 ]; }
    line_off() { $A route del default; }
    line_on() { $A route add default via 192.0.2.1; }
    finish() { stop; kill $WEBHOOK $LINE; }

    """

  private func webhookOutage(
    shortest: String = "1", patience: String = "100ms"
  ) throws -> ScriptRun {
    try ScriptRun(
      shipped: "hooks/webhook-outage.lua",
      changing: [
        "https://example.org/outages": "http://192.0.2.1:8080/", "= 30 ": "= \(shortest) ",
        "\"10s\"": "\"\(patience)\"", "1.1.1.1": "192.0.2.1",
        "tcp = probe": "tcp = probe, every = 1",
        "local pause = 10": "local pause = 0.2",
      ])
  }

  /// The reports, one a line, each as its fields that do not depend on when it was made.
  private static let pick = """
    python3 -c '
    import json, sys, time
    for line in sys.stdin:
        e = json.loads(line)
        assert e["text"].startswith(e["host"] + " was offline for "), e
        print(e["reason"], 1 <= e["seconds"] <= 30, abs(time.time() - e["began"]) < 60)'
    """

  @Test
  func `an outage is reported once when it is over, as long as it takes, and a short one never`()
    throws
  {
    let run = try webhookOutage(shortest: "3")
    let (_, log) = try run(
      RememberingHooks.webhook + """
        start; await logged 'webhook-outage: reachable: finished'
        line_off; await logged 'line: unreachable'; line_on; await times 2 logged 'line: reachable'
        touch refuse; line_off; await logged 'webhook-outage: unreachable: finished'
        line_on; await refused 2; rm refuse; await taken 1
        await times 2 logged 'webhook-outage: reachable: finished'
        finish; \(RememberingHooks.pick) < taken > picked
        """)
    #expect(run.folder.read("picked") == "no-route True True\n", "\(log)")
    #expect(
      log.contains("warn  webhook-outage/webhook-outage: POST http://192.0.2.1:8080/: status 503"))
  }

  @Test func `over restarts and a crash an outage is reported, and not again after that`() throws {
    let run = try webhookOutage()
    let (_, log) = try run(
      RememberingHooks.webhook + """
        start; await logged 'webhook-outage: reachable: finished'
        line_off; await logged 'webhook-outage: unreachable: finished'; stop
        # The daemon does not see the end of the outage, and is killed while it reports.
        touch refuse; line_on
        start; await refused 1; kill -9 $REACH_PID; wait $REACH_PID || true
        rm refuse
        start; await taken 1; await times 2 logged 'webhook-outage: reachable: finished'; stop
        start; await times 3 logged 'webhook-outage: reachable: finished'
        finish; \(RememberingHooks.pick) < taken > picked
        """)
    #expect(run.folder.read("picked") == "no-route True True\n", "\(log)")
  }

  // MARK: VPN

  @Test func `the VPN is connected on a WiFi of others behind its sign-in page, and on no other`()
    throws
  {
    let page = HTTPServer.path(status: 200, body: "success")
    var run = try ScriptRun(
      shipped: "hooks/vpn-on-untrusted-wifi.lua",
      changing: [
        "{ ssid = { \"Home\", \"Home 5G\" } }": "{ subnet = \"192.0.2.0/24\" }",
        "http://detectportal.firefox.com/success.txt": "http://198.51.100.1\(page)",
        "rise = 1,": "rise = 1, every = \"2s\",", "\"3s\"": "\"300ms\"", "\"2m\"": "\"1s\"",
      ])
    run.options = "--medium eth0=wifi"
    let (calls, log) = try run(
      """
      $B addr add 198.51.100.1/24 dev b0
      serve() {
        rm -f server
        ip netns exec $N-b python3 '\(HTTPServer.program)' 198.51.100.1 80 > server & SERVER=$!
        await [ -s server ]
      }
      serve
      start; await logged 'open internet: reachable'; await logged 'trusted WiFi: reachable'
      await logged 'vpn-on-untrusted-wifi/disconnect: reachable: finished'
      # To a café; nobody has signed in yet, which the probe of the new way finds.
      kill $SERVER; wait $SERVER || true
      $A addr add 198.51.100.2/24 dev eth0; $A addr del 192.0.2.2/24 dev eth0
      $A route replace default via 198.51.100.1; await logged 'trusted WiFi: unreachable'
      await logged 'open internet: unreachable'; sleep 0.6; echo "signed in" >> calls
      serve; await called 'connection up'
      # There it is connected again if it ends.
      : > connection; await times 2 called 'connection up'
      # Home again.
      $A addr add 192.0.2.2/24 dev eth0; $A addr del 198.51.100.2/24 dev eth0
      $A route replace default via 192.0.2.1; await called 'connection down'
      await times 2 logged 'disconnect: reachable: finished'
      # One that the user connects at home stays.
      echo activated > connection; $A link set eth0 down; await times 2 logged 'trusted WiFi: unr'
      sleep 0.5
      $A link set eth0 up; $A route replace default via 192.0.2.1
      await times 3 logged 'disconnect: reachable: finished'; stop; kill $SERVER
      """)
    #expect(
      calls == [
        "signed in", "nmcli connection up My VPN", "nmcli connection up My VPN",
        "nmcli connection down My VPN",
      ], "\(log)")
  }

  @Test
  func `leak-guard lets a job run while all goes through a VPN, and starts only what it stopped`()
    throws
  {
    let run = try ScriptRun(shipped: "hooks/leak-guard.lua")
    let (calls, log) = try run(
      """
      tunnel() {
        exec 7> >($IN python3 \(Reach.package)/Tests/Conformance/mktun.py tun0 tun >/dev/null); TUN=$!
        await $A link set tun0 up; $A addr add 10.8.0.2/24 dev tun0
        $A route add 0.0.0.0/1 dev tun0; $A route add 128.0.0.0/1 dev tun0
      }
      start; await called stop
      tunnel; await called start
      # IPv6 goes past the tunnel.
      $A addr add 2001:db8::2/64 dev eth0 nodad; $A route add default via 2001:db8::1 dev eth0
      await times 2 called stop
      $A -6 route del default; await times 2 called start
      # Without any way out it does not run either, nor when the daemon has ended meanwhile.
      kill $TUN; $A route del default; await times 3 called stop; stop
      tunnel; $A route add default via 192.0.2.1
      start; await times 3 called start
      # What the user has stopped stays so.
      : > log; echo inactive > unit; kill $TUN; await logged 'was reachable via wired vpn'
      sleep 0.3; : > log
      tunnel; await logged 'IPv4: reachable via wired vpn'; sleep 0.3; stop; kill $TUN
      """)
    let stop = "systemctl --user stop transmission.service"
    let start = "systemctl --user start transmission.service"
    #expect(calls == [stop, start, stop, start, stop, start], "\(log)")
  }
}

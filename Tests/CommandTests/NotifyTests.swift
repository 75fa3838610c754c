import TestSupport
import Testing

@Suite struct Notifying {
  /// Bash that starts a session's bus; `serve` starts a server that writes what it shows to `shown`.
  static let bus = """
    cat > bus.conf <<END
    <busconfig><type>session</type><listen>unix:path=$PWD/bus</listen>
    <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
    <allow own="*"/>
    </policy></busconfig>
    END
    export DBUS_SESSION_BUS_ADDRESS=unix:path=$PWD/bus
    dbus-daemon --config-file=bus.conf --nofork --nopidfile 2> bus.log & BUS=$!
    for i in $(seq 200); do [ -S bus ] && break; sleep 0.02; done
    serve() {
      "$(dirname "$REACH")/notification-server" "$@" > shown & SERVER=$!
      for i in $(seq 200); do grep -q ok shown && break; sleep 0.02; done
    }

    """

  /// What one script's handler makes of it, and what the server has shown.
  private func run(
    _ body: String, before: String, after: String = ""
  ) throws -> (result: Reach.Result, shown: [String]) {
    var run = try HandlerRun()
    run.declarations = """
      local function show(options)
        local r = reach.notify(options)
        print(r.ok, r.error)
      end
      """
    run.before = before
    run.after = after
    let result = try run(body)
    return (result, run.folder.read("shown").split(separator: "\n").dropFirst().map(String.init))
  }

  @Test func `a notification has title, body and urgency, and takes the place of another`() throws {
    let (result, shown) = try run(
      """
      show{ title = "one" }
      show{ title = "<b>two</b>\\n", body = "a <i>b</i> & c\\nd\\27[2J\\0\\xff", urgency = "critical" }
      show{ title = "three", replace = "x" }
      show{ title = "four", replace = "x", urgency = "low" }
      show{ title = "five", replace = "y" }
      show{ title = "six", replace = true }
      show{ title = "seven", replace = true }
      """, before: Notifying.bus + "serve body body-markup", after: "kill $SERVER $BUS")
    #expect(result.prints == Array(repeating: ["true", "nil"], count: 7))
    #expect(
      shown == [
        "0|1|-1|one|",
        "0|2|-1|<b>two</b>\\n|a &lt;i&gt;b&lt;/i&gt; &amp; c/d\\u{1b}[2J\\u{0}\u{fffd}",
        "0|1|-1|three|", "9|0|-1|four|", "0|1|-1|five|", "0|1|-1|six|", "11|1|-1|seven|",
      ])
  }

  @Test func `a server that reads no markup gets none, and one that comes later is found`() throws {
    let (result, shown) = try run(
      """
      show{ title = "early" }
      reach.run{ "touch", "go" }
      repeat reach.sleep("20ms") until reach.run{ "grep", "ok", "shown" }.ok
      show{ title = "one", body = "a < b" }
      show{ title = "refuse" }
      """,
      before: Notifying.bus
        + "touch shown; (until [ -e go ]; do sleep 0.02; done; serve body; echo $SERVER > server) &",
      after: "kill $(cat server) $BUS")
    #expect(
      result.prints == [
        ["false", "reach.notify: nobody on the session bus shows notifications"], ["true", "nil"],
        [
          "false",
          "reach.notify: the notification is refused: org.freedesktop.Notifications.Error.No",
        ],
      ])
    #expect(shown == ["0|1|-1|one|a < b"])
    #expect(result.log.contains("warn  t/t: \(result.prints[0][1])"))
  }

  @Test func `without a bus the error says so, and nothing hangs`() throws {
    let unset = try run(
      "show{ title = \"one\" }", before: "unset DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR")
    #expect(
      unset.result.prints == [
        [
          "false",
          "reach.notify: no session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is "
            + "set",
        ]
      ])
    let absent = try run(
      "show{ title = \"one\" }",
      before: "unset DBUS_SESSION_BUS_ADDRESS; export XDG_RUNTIME_DIR=\"$PWD/no such\"")
    #expect(absent.result.prints.first?.last?.hasSuffix("bus: No such file or directory") == true)
    let silent = try run(
      """
      local began = reach.now()
      show{ title = "one" }
      print(reach.now() - began < 10)
      """,
      before: """
        export DBUS_SESSION_BUS_ADDRESS=unix:path=$PWD/bus
        python3 -c '
        import socket, time
        s = socket.socket(socket.AF_UNIX); s.bind("bus"); s.listen(); time.sleep(60)' & BUS=$!
        for i in $(seq 200); do [ -S bus ] && break; sleep 0.02; done
        """, after: "kill $BUS")
    #expect(
      silent.result.prints == [["false", "reach.notify: no answer within 5s"], ["true"]])
  }

  @Test func `a bus that goes fails what was sent, and its successor is used`() throws {
    let (result, shown) = try run(
      """
      show{ title = "one" }
      reach.run{ "sh", "-c", "kill $(cat bus.pid); while [ -e bus2 ]; do sleep 0.02; done" }
      reach.sleep("100ms")
      show{ title = "two" }
      """,
      before: Notifying.bus + """
        serve body; echo $BUS > bus.pid; touch bus2
        (while kill -0 $BUS; do sleep 0.02; done; rm -f bus
         dbus-daemon --config-file=bus.conf --nofork --nopidfile 2> bus.log & echo $! > bus.pid
         for i in $(seq 200); do [ -S bus ] && break; sleep 0.02; done; rm bus2) &
        """, after: "kill $(cat bus.pid); wait $SERVER")
    #expect(
      result.prints == [
        ["true", "nil"],
        ["false", "reach.notify: nobody on the session bus shows notifications"],
      ])
    #expect(shown == ["0|1|-1|one|"])
  }

  @Test func `a script that shows too many is told so, and wrong options are errors`() throws {
    let (result, shown) = try run(
      """
      for i = 1, 11 do show{ title = i } end
      print(select(2, pcall(reach.notify, { body = "x" })))
      print(select(2, pcall(reach.notify, { title = "x", urgency = "high" })))
      print(select(2, pcall(reach.notify, { title = "x", replace = 5 })))
      """, before: Notifying.bus + "serve body", after: "kill $SERVER $BUS")
    #expect(result.prints.count == 14)
    #expect(shown.count == 10)
    #expect(
      result.prints.suffix(4) == [
        ["false", "reach.notify: too many notifications; one each 2s is shown"],
        ["reach.notify: \"title\" is missing, as in title = \"NAS\""],
        ["reach.notify: \"urgency\" must be low, normal or critical, not \"high\""],
        ["reach.notify: \"replace\" must be a word, or true, not 5"],
      ])
  }
}

import TestSupport
import Testing

/// What is asked of a daemon that runs, by its commands.
@Suite(.serialized) struct Controlling {
  @Test func `a hook is fired by its name, and the command tells and exits as it ended`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "my notes.lua",
      """
      reach.on{ name = "to tell/all", target = reach.internet, initial = false,
        unreachable = function(e) print("told", e.reason, e.was, e.ssid) end,
        wifi = function(e) error("no " .. e.interface, 0) end }
      """)
    let namespace = try Namespace()
    let result = try namespace.run(
      ".", in: folder.path,
      while: """
        fire() { code=0; "$REACH" fire --socket "$STATE/control" "$@" 2>&1 || code=$?; echo $code; }
        fire "my notes/to tell/all" unreachable reason=timeout | sed 's/after.*/after/'
        fire "my notes/to tell/all" reachable via=wifi "interface=my wlan"
        fire "my notes/to tell/all" reachable via=wifi interface=wlan0
        fire "my notes/to tell/all" portal
        fire "my note/to tell/all" reachable
        fire "my notes/to tell/all" reachabel
        """)
    #expect(
      result.output == """
        my notes/to tell/all: fired unreachable: finished after
        0
        reach fire: interface: "my wlan" is not the name of an interface
        2
        my notes/to tell/all: fired reachable: failed: no wlan0
        1
        reach fire: my notes/to tell/all has no handler for that; it has unreachable, wifi
        2
        reach fire: no script "my note"; did you mean "my notes"?
        2
        reach fire: "reachabel" is none of reachable, unreachable, portal; did you mean "reachable"?
        2

        """)
    #expect(
      result.log.contains("info  my notes/to tell/all: told\ttimeout\treachable\tnil"))
  }

  @Test
  func `a script that is killed is loaded at once by enable, and a broken one named by reload`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(
      "a.lua",
      "reach.on{ target = reach.internet, initial = false, portal = function() while true do end end }"
    )
    try folder.write("b.lua", "")
    let namespace = try Namespace()
    let result = try namespace.run(
      ".", in: folder.path,
      while: """
        ask() { code=0; "$REACH" "$@" --socket "$STATE/control" 2>&1 || code=$?; echo $code; }
        ask fire a/internet portal
        ask fire a/internet portal
        ask enable a
        ask enable a/internet
        ask enable c
        ask reload
        echo '= =' > new && mv new b.lua
        ask reload
        """)
    #expect(
      result.output == """
        a/internet: fired portal: killed: ./a.lua:1: more than 250 ms of processor time used
        1
        reach fire: a is not loaded: it rests after a kill; reach enable ends that
        1
        loaded 1 hook from ./a.lua
        0
        a/internet is enabled
        0
        reach enable: no script "c"; did you mean "a"?
        2
        loaded 2 scripts
        0
        ./b.lua:1: unexpected symbol near '='; the version before goes on
        loaded 1 script
        1

        """)
  }

  @Test func `a changed script is loaded by itself, and one that comes first is waited for`() throws
  {
    let folder = try TemporaryFolder()
    let namespace = try Namespace()
    let result = try namespace.shell(
      """
      say() { echo "reach.on{ target = reach.internet, change = function() end } print '$1'"; }
      mkdir hooks
      $IN "$REACH" run --state-dir "$STATE" --socket "$STATE/control" hooks 2>log & REACH_PID=$!
      await begun $REACH_PID
      say one >hooks/greet.lua; await grep 'greet: one' log
      say two >new; mv new hooks/greet.lua; await grep 'greet: two' log
      rm hooks/greet.lua; await grep 'greet: unloaded' log
      kill -TERM $REACH_PID; wait $REACH_PID
      cut -c21- log
      """, in: folder.path)
    #expect(result.code == 0)
    #expect(
      result.output.split(separator: "\n").filter { line in
        [" greet: ", "yet"].contains(where: line.contains)
      } == [
        "info  no script yet: waits for one in hooks", "info  greet: one",
        "info  greet: loaded 1 hook from hooks/greet.lua", "info  greet: two",
        "info  greet: loaded 1 hook from hooks/greet.lua",
        "info  greet: unloaded: its file is gone",
      ])
  }

  @Test func `the standard folder is waited for where it is not there, which is no error`() throws {
    let folder = try TemporaryFolder()
    let namespace = try Namespace()
    let result = try namespace.shell(
      """
      export HOME=$PWD XDG_CONFIG_HOME=
      $IN unshare --user --map-user=1000 \
        "$REACH" run --state-dir "$STATE" --socket "$STATE/control" 2>log & REACH_PID=$!
      await grep 'no script yet' log
      mkdir -p .config/reach/hooks
      echo "print 'here'" >.config/reach/hooks/greet.lua; await grep 'greet: here' log
      kill -TERM $REACH_PID; wait $REACH_PID
      cat log
      """, in: folder.path)
    #expect(result.code == 0)
    #expect(result.output.contains("greet: here"))
    #expect(!result.output.contains("error"))
  }

  @Test(arguments: [
    ["fire", "a/b", "reachable"], ["enable", "a"], ["reload"], ["status"],
  ])
  func `where nobody listens that is one line and exit code 3`(words: [String]) throws {
    let result = try Reach.shell(
      "exec \"$REACH\" \(words.joined(separator: " ")) --socket /nowhere/control")
    #expect(result.code == 3)
    #expect(result.errors == "reach \(words[0]): no daemon answers at /nowhere/control\n")
  }

  @Test func `a peer that is neither root nor the daemon's user is turned away`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.lua", "")
    let namespace = try Namespace()
    let result = try namespace.run(
      "a.lua", in: folder.path,
      while: """
        chmod 711 "$STATE"; chmod 666 "$STATE/control"
        cat >"$STATE/ask.py" <<'END'
        import os, socket, sys
        os.setuid(int(sys.argv[2]))
        client = socket.socket(socket.AF_UNIX)
        client.connect(sys.argv[1])
        try:
          client.send(b"status\\n")
          print(os.getuid(), client.recv(4))
        except OSError:
          print(os.getuid(), b"")
        END
        for user in 0 65534; do python3 "$STATE/ask.py" "$STATE/control" $user; done
        """)
    #expect(result.output == "0 b'done'\n65534 b''\n")
    #expect(result.errors.contains("loaded 0 hooks from a.lua"))
  }
}

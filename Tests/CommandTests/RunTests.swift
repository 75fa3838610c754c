import TestSupport
import Testing

/// With real links, whose changes the kernel tells once a second for the whole machine.
@Suite(.serialized) struct Running {
  @Test func `a lost link and a returning route are told once each`() throws {
    let namespace = try Namespace()
    let result = try namespace.shell(
      """
      $IN "$REACH" watch --for 3500ms internet | cut -c21- & WATCH=$!
      sleep 0.5
      (for i in $(seq 100); do
        $A link add veth$i type veth peer name c$i; $A link set veth$i up; $A link del veth$i
      done) &
      $A link set eth0 down; sleep 0.5; $A link set eth0 up; sleep 1.2
      $A route add default via 192.0.2.1
      wait $WATCH
      """)
    #expect(
      result.output == """
        internet reachable via wired eth0 gateway 192.0.2.1
        internet unreachable (link-down)
        internet reachable via wired eth0 gateway 192.0.2.1

        """)
  }

  @Test func `a probed port is reachable while it answers, and its path is there`() throws {
    let namespace = try Namespace()
    let result = try namespace.shell(
      """
      serve() { ip netns exec $N-b python3 -m http.server --bind 192.0.2.1 8022 >/dev/null 2>&1 & SERVER=$!; }
      $IN "$REACH" watch --for 5500ms --every 200ms --timeout 1s --fall 2 --rise 2 192.0.2.1:8022 |
        cut -c21- & WATCH=$!
      sleep 0.7; serve; sleep 1.5; kill $SERVER; sleep 0.7
      serve; sleep 1.5; $A link set eth0 down; wait $WATCH; kill $SERVER
      """)
    #expect(
      result.output == """
        192.0.2.1:8022 unreachable (refused) eth0
        192.0.2.1:8022 reachable via wired eth0
        192.0.2.1:8022 unreachable (refused) eth0
        192.0.2.1:8022 reachable via wired eth0
        192.0.2.1:8022 unreachable (link-down)

        """)
  }

  @Test func `explain says which link was looked at and what about it differs`() throws {
    let namespace = try Namespace()
    let result = try namespace.shell(
      """
      code=0; $IN "$REACH" explain "network:Home 5G" || code=$?; echo $code
      """)
    #expect(result.output.contains("\n  interface  eth0: up, carrier, state up, kind veth\n"))
    #expect(result.output.contains("\n  differs    ssid none, not \"Home 5G\"\n"))
    #expect(result.output.contains("\n  verdict    unreachable: network-differs\n1\n"))
    #expect(result.errors == "")
  }

  @Test func `a hook is told that a network by its router and subnet comes and goes`() throws {
    let namespace = try Namespace()
    let folder = try TemporaryFolder()
    _ = try folder.write(
      "home.lua",
      """
      reach.on{
        target = reach.target{
          network = { gateway_mac = "02:00:5E:10:00:01", subnet = "192.0.2.0/24" }, name = "home" },
        change = function(e) print(e.status, e.reason, e.gateway_mac, e.ssid) end,
      }
      """)
    let result = try namespace.run(
      "home.lua", in: folder.path,
      while: """
        sleep 0.4
        $A neigh replace 192.0.2.1 lladdr 02:00:5e:10:00:01 dev eth0 nud permanent; sleep 0.3
        $A addr add 198.51.100.2/24 dev eth0; $A addr del 192.0.2.2/24 dev eth0; sleep 0.3
        """)
    let told = result.errors.split(separator: "\n").compactMap { line in
      line.split(separator: "home/home: ").last.map(String.init)
    }.filter { $0.contains("\t") }
    #expect(
      told == [
        "unreachable\tnetwork-differs\tnil\tnil", "reachable\tnil\t02:00:5e:10:00:01\tnil",
        "unreachable\tnetwork-differs\tnil\tnil",
      ])
  }

  @Test func `explain probes, and says where it breaks`() throws {
    let namespace = try Namespace()
    let result = try namespace.shell(
      """
      code=0; $IN "$REACH" explain 192.0.2.1:8022 || code=$?; echo $code
      """)
    #expect(
      result.output == """
        192.0.2.1:8022
          route      192.0.2.1 → unicast dev eth0 (/24, table 254)
          interface  eth0: up, carrier, state up, kind veth
          medium     wired: virtual, kind veth
          flags      0x00020002 reachable is_direct
          source     192.0.2.2
          probe      TCP port 8022: failed, refused
          verdict    unreachable: refused
        1

        """)
  }

  @Test func `a looping script is ended with file and line, and another runs meanwhile`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "loop.lua",
      """
      reach.on{ name = "spin", target = reach.internet,
        change = function(e)
          while true do end
        end }
      """)
    try folder.write(
      "other.lua",
      "reach.on{ target = reach.internet, change = function(e) print('told', e.status) end }")
    let namespace = try Namespace()
    let result = try namespace.run(".", in: folder.path, while: "sleep 1")
    #expect(result.code == 0)
    #expect(
      result.log.contains(
        "error loop/spin: reachable: killed: ./loop.lua:3: more than 250 ms of processor "
          + "time used"))
    #expect(result.log.contains("info  other/internet: told\treachable"))
  }

  @Test func `a handler that waits delays nobody`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "slow.lua",
      """
      reach.on{ name = "slow", target = reach.internet,
        reachable = function() reach.run{ "sleep", "5" } end }
      reach.on{ name = "quick", target = reach.internet,
        unreachable = function(e) print("quick", e.reason) end }
      """)
    let namespace = try Namespace()
    let result = try namespace.run(
      "slow.lua", in: folder.path,
      while: "sleep 0.5; $A link set eth0 down; sleep 0.3; touch \(folder.path)/end; sleep 0.2")
    #expect(result.log.contains("info  slow/quick: quick\tlink-down"))
  }

  @Test func `a command runs as the contract says`() throws {
    let folder = try TemporaryFolder()
    try folder.write("say.sh", "#!/bin/sh\necho \"$0 $1\"; cat; pwd; echo \"$WORD\"\n", mode: 0o755)
    try folder.write(
      "run.lua",
      """
      local function show(...)
        local r = reach.run(...)
        print(r.ok, r.code, r.signal, r.timed_out, r.truncated, (r.stdout:gsub("\\n", " ")), r.error)
      end
      reach.on{ target = reach.internet, change = function()
        show{ "./say.sh", "one", stdin = "two\\n", cwd = "/", env = { WORD = "three" } }
        show{ "sh", "-c", "exit 7" }
        show{ "sh", "-c", "kill -9 $$" }
        show{ "sh", "-c", "sleep 30 & echo $!; wait", timeout = "200ms" }
        show{ "head", "-c", "70000", "/dev/zero" }
        show{ "no-such-command" }
        show{ "sh", "-c", "grep SigBlk /proc/self/status; ls /proc/self/fd | wc -l" }
        print(pcall(reach.run, { "false", check = true }))
        print(pcall(reach.run, { "a\\0b" }))
        print(pcall(reach.run, {}))
        print(pcall(reach.run, { "true", timeout = "6m" }))
        show{ "systemctl stop x" }
        show{ "/no/such/program", "a b" }
        show{ "true", cwd = "/nowhere" }
        print(pcall(reach.run, { cmd = "ls" }))
        print("end")
      end }
      """)
    let namespace = try Namespace()
    let result = try namespace.run(
      "run.lua", in: folder.path, while: "sleep 2")
    let prints = result.log.filter { $0.hasPrefix("info  run/internet: ") }
      .map { $0.dropFirst("info  run/internet: ".count).split(separator: "\t").map(String.init) }
    try #require(prints.count >= 16)
    #expect(
      prints[0] == [
        "true", "0", "nil", "false", "false", "\(folder.path)/./say.sh one two / three ", "nil",
      ])
    #expect(prints[1].prefix(3) == ["false", "7", "nil"])
    #expect(prints[2].prefix(3) == ["false", "nil", "9"])
    #expect(prints[3].prefix(4) == ["false", "nil", "15", "true"])
    #expect(prints[4].prefix(5) == ["true", "0", "nil", "false", "true"])
    #expect(prints[5].last == "there is no program \"no-such-command\" in PATH")
    #expect(prints[6][5...6] == ["SigBlk:", "0000000000000000 4 "])
    #expect(prints[7][0] == "false")
    #expect(prints[7][1].hasSuffix("false: exit code 1"))
    #expect(prints[8][1].hasSuffix("reach.run: argument 1 has a NUL byte"))
    #expect(prints[9][1].hasSuffix("reach.run: no command given, as in reach.run{ \"true\" }"))
    #expect(prints[10][1].contains("a timeout of 6m is longer than the"))
    #expect(
      prints[11].last
        == "there is no program \"systemctl stop x\"; each word is an item of its own, "
        + "as in reach.run{ \"ls\", \"-l\" }")
    #expect(prints[12].last == "there is no program \"/no/such/program\"")
    #expect(prints[13].last == "run true: No such file or directory")
    #expect(
      prints[14][1].hasSuffix(
        "reach.run: unknown key \"cmd\"; the words of the command come first, as in "
          + "reach.run{ \"ls\", \"-l\" }"))
    #expect(prints[15] == ["end"])
  }

  @Test func `the deadline ends a run, its command and its command's children`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "late.lua",
      """
      reach.on{ name = "late", target = reach.internet, deadline = "300ms", change = function()
        pcall(function() reach.run{ "sh", "-c", "sleep 1234 & sleep 1234" } end)
        print("not reached")
      end }
      """)
    let namespace = try Namespace()
    let result = try namespace.run(
      "late.lua", in: folder.path,
      while: "sleep 1; if pgrep -f 'sleep 123[4]' >&2; then echo alive; fi")
    #expect(result.output == "")
    #expect(
      result.log.contains {
        $0.hasPrefix("error late/late: reachable: failed:")
          && $0.hasSuffix("cancelled: the deadline of 300ms has passed")
      })
    #expect(!result.errors.contains("not reached"))
  }

  @Test func `a second daemon names the first and exits with 2`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.lua", "reach.on{ target = reach.internet, change = print }")
    let namespace = try Namespace()
    let result = try namespace.run(
      "a.lua", in: folder.path,
      while: """
        sleep 0.4; code=0
        $IN "$REACH" run --state-dir "$STATE" --socket "$STATE/other" a.lua 2>second || code=$?
        echo $code; sed "s/$REACH_PID/FIRST/; s#$STATE#STATE#" second
        """)
    #expect(result.output == "2\nreach run: STATE: in use by another reach, process FIRST\n")
    #expect(result.code == 0)
  }

  @Test func `the daemon tells what it knows, to its own user alone`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "a.lua",
      "reach.on{ name = 'net', target = reach.internet, change = function() error 'no' end }")
    let namespace = try Namespace()
    let result = try namespace.run(
      "a.lua", in: folder.path,
      while: """
        sleep 0.4; "$REACH" status --socket "$STATE/control" | sed 's/since.*/since/'
        "$REACH" status --json --socket "$STATE/control" | python3 -c '
        import json, sys
        print(json.load(sys.stdin)["targets"][0]["status"])'
        stat -c %a "$STATE/control"
        printf 'nonsense\\n' | python3 -c '
        import os, socket, sys
        s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.send(sys.stdin.buffer.read())
        print(s.recv(99).decode(), end="")' "$STATE/control"
        code=0; "$REACH" run --state-dir "$STATE/2" --socket "$STATE/control" a.lua 2>taken || code=$?
        echo $code; sed "s#$STATE#STATE#" taken | cut -c1-60
        """)
    #expect(
      result.output == """
        a.lua
          hook net: reachable: failed: a.lua:1: no
        target internet: reachable via wired (eth0) since
        reachable
        600
        unusable
        unknown request "nonsense"
        2
        reach run: listen at STATE/control: Address already in use

        """)
    let nobody = try Reach.run("status", "--socket", "/nowhere/control")
    #expect(nobody.code == 3)
    #expect(nobody.errors == "reach status: no daemon answers at /nowhere/control\n")
  }

  @Test func `a script whose file is gone finishes its handler, and the others run on`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "a.lua",
      """
      reach.on{ name = "a", target = reach.internet, change = function()
        reach.run{ "sleep", "0.6" } reach.run{ "true" } print("finished")
      end }
      """)
    try folder.write(
      "b.lua", "reach.on{ target = reach.internet, change = function(e) print(e.was) end }")
    let namespace = try Namespace()
    let result = try namespace.run(
      ".", in: folder.path,
      while: """
        sleep 0.4; rm a.lua; kill -HUP $REACH_PID; sleep 0.7
        $A link set eth0 down; sleep 0.3
        """)
    #expect(result.code == 0)
    #expect(result.log.contains("info  a: unloaded: its file is gone"))
    #expect(result.log.contains("info  a/a: finished"))
    #expect(result.log.contains("info  b/internet: reachable"))
  }

  @Test func `handlers of two versions do not overlap, and a reload alone tells nothing`() throws {
    let folder = try TemporaryFolder()
    let script = """
      reach.on{ name = "a", target = reach.internet, change = function(e)
        print("begin", e.status, e.cause, e.initial, e.missed)
        reach.run{ "sleep", "0.5" }
        print("end", e.status)
      end }
      """
    try folder.write("a.lua", script)
    let namespace = try Namespace()
    let result = try namespace.run(
      "a.lua", in: folder.path,
      while: """
        sleep 1.1; kill -HUP $REACH_PID; sleep 0.3
        $A link set eth0 down; sleep 0.2; kill -HUP $REACH_PID; sleep 0.1
        $A link set eth0 up; $A route add default via 192.0.2.1; sleep 2
        """)
    #expect(
      result.log.filter { $0.contains("begin") || $0.contains("end\t") }.map { $0.dropFirst(11) }
        == [
          "begin\treachable\trestart\ttrue\t0", "end\treachable",
          "begin\tunreachable\tlocal\tfalse\t0", "end\tunreachable",
          "begin\treachable\treload\ttrue\t0", "end\treachable",
        ])
  }

  @Test func `a ninth command waits, also behind some that are not wanted any more`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "a.lua",
      """
      for n = 1, 8 do
        reach.on{ name = "long" .. n, target = reach.internet, change = function()
          reach.run{ "sleep", "0.8" }
        end }
      end
      for n = 1, 4 do
        reach.on{ name = "late" .. n, target = reach.internet, deadline = "300ms", change = function()
          reach.run{ "true" }
        end }
      end
      reach.on{ name = "last", target = reach.internet, change = function()
        reach.run{ "true" } print("done")
      end }
      """)
    let namespace = try Namespace()
    let result = try namespace.run("a.lua", in: folder.path, while: "sleep 1.5")
    #expect(result.log.contains("info  a/last: done"))
    #expect(result.log.filter { $0.contains("the deadline of 300ms has passed") }.count == 4)
  }

  @Test func `a command ends although the daemon was started without news of its children`() throws
  {
    let folder = try TemporaryFolder()
    try folder.write(
      "a.lua",
      """
      reach.on{ name = "a", target = reach.internet, change = function()
        print("code", reach.run{ "sh", "-c", "exit 3" }.code)
      end }
      """)
    let namespace = try Namespace()
    let result = try namespace.shell(
      """
      $IN python3 -c '
      import os, signal, sys
      signal.signal(signal.SIGCHLD, signal.SIG_IGN)
      os.execv(sys.argv[1], sys.argv[1:])' "$REACH" run --state-dir "$STATE" \
        --socket "$STATE/control" a.lua & PID=$!
      await begun $PID
      sleep 0.7; kill $PID; wait $PID
      """, in: folder.path)
    #expect(result.log.contains("info  a/a: code\t3"))
  }

  @Test func `a file that is no socket is not replaced by one`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.lua", "reach.on{ target = reach.internet, change = print }")
    try folder.write("notes", "mine")
    let result = try Reach.run(
      "run", "--state-dir", "\(folder.path)/state", "--socket", "\(folder.path)/notes", "a.lua",
      in: folder.path)
    #expect(result.code == 2)
    #expect(result.errors == "reach run: listen at \(folder.path)/notes: File exists\n")
    #expect(folder.read("notes") == "mine")
  }

  @Test func `a reload replaces what loads and keeps what does not`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "a.lua", "reach.on{ target = reach.internet, change = function() print('one') end }")
    let namespace = try Namespace()
    let result = try namespace.run(
      "a.lua", in: folder.path,
      while: """
        sleep 0.4
        echo 'reach.on{' > a.lua; kill -HUP $REACH_PID; sleep 0.3
        $A link set eth0 down; sleep 0.3
        echo 'reach.on{ target = reach.internet, change = function(e) print("two", e.was) end }' > a.lua
        kill -HUP $REACH_PID; sleep 0.3
        $A link set eth0 up; $A route add default via 192.0.2.1; sleep 1.3
        """)
    let told = result.log.filter {
      $0.contains("one") || $0.contains("two") || $0.contains("error")
    }
    #expect(
      told == [
        "info  a/internet: one",
        "error a: a.lua:2: unexpected symbol near <eof>; the version before goes on",
        "info  a/internet: one",
        "info  a/internet: two\tunreachable",
      ])
  }
}

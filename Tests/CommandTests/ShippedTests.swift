import TestSupport
import Testing

/// What ships is run as it ships, with the commands that it calls replaced by ones that say so.
@Suite(.serialized) struct Shipped {
  private let recorder = """
    mkdir bin
    for name in systemctl notify-send rsync; do
      printf '#!/bin/sh\\necho "%s $*" >> "%s/calls"\\n' $name "$PWD" > bin/$name
    done
    chmod +x bin/*; export PATH="$PWD/bin:$PATH"

    """

  private func calls(
    of script: String, _ options: String = "", while actions: String
  ) throws -> (calls: String, log: [String]) {
    let folder = try TemporaryFolder()
    let namespace = try Namespace()
    let result = try namespace.shell(
      recorder + """
        $IN "$REACH" run --state-dir "$STATE" --socket "$STATE/control" \(options) \(Reach.package)/\(script) & REACH_PID=$!
        await begun $REACH_PID
        \(actions)
        kill -TERM $REACH_PID; wait $REACH_PID
        """, in: folder.path)
    #expect(result.code == 0)
    return (folder.read("calls"), result.log)
  }

  @Test func `pause-sync stops the job without internet`() throws {
    let (calls, _) = try calls(
      of: "hooks/pause-sync.lua", while: "sleep 0.4; $A link set eth0 down; sleep 0.4")
    #expect(calls == "systemctl --user stop syncthing.service\n")
  }

  @Test func `pause-sync stops the job on mobile data`() throws {
    let (calls, _) = try calls(
      of: "hooks/pause-sync.lua", "--medium eth0=wwan", while: "sleep 0.6")
    #expect(calls == "systemctl --user stop syncthing.service\n")
  }

  @Test func `notify-wwan tells when mobile data begins and ends`() throws {
    let (calls, _) = try calls(
      of: "hooks/notify-wwan.lua", "--medium eth1=wwan",
      while: """
        $A link add eth1 index 12 type veth peer name b1 index 23 netns $N-b
        $A addr add 192.0.4.2/24 dev eth1; $A link set eth1 up; $B link set b1 up; sleep 1.3
        $A route add default via 192.0.4.1 metric 5; $A route del default via 192.0.2.1
        sleep 5.6; $A route add default via 192.0.2.1; sleep 5.6
        """)
    #expect(
      calls == """
        notify-send --app-name=reach Mobile data The internet is reached over eth1 now.
        notify-send --app-name=reach Mobile data Mobile data is not used any more.

        """)
  }

  @Test func `log-transitions tells of each target`() throws {
    let (_, log) = try calls(
      of: "hooks/log-transitions.lua", while: "sleep 0.4; $A link set eth0 down; sleep 0.4")
    let lines = log.filter { $0.contains("log-transitions/") && !$0.contains("finished") }
    #expect(
      Set(lines) == [
        "info  log-transitions/internet: internet is reachable via wired",
        "warn  log-transitions/local_wifi: local_wifi is unreachable: interface-missing",
        "info  log-transitions/localhost: localhost is reachable via loopback",
        "warn  log-transitions/internet: internet is unreachable: link-down",
      ])
  }

  @Test func `back-up-to-nas backs up by cable and says when it cannot`() throws {
    let (calls, log) = try calls(
      of: "examples/back-up-to-nas.lua", while: "sleep 1.5; $A link set eth0 down; sleep 0.4")
    #expect(calls == "rsync -a /home rsync://192.0.2.7\n")
    #expect(log.contains("info  back-up-to-nas/back-up: backed up to 192.0.2.7 from 192.0.2.2"))
    #expect(log.contains("warn  back-up-to-nas/back-up: no backup to nas: link-down"))
  }

  @Test func `choose-mirror chooses the first that is reachable`() throws {
    let (_, log) = try calls(
      of: "examples/choose-mirror.lua",
      while:
        "sleep 1.6; $A route add unreachable 192.0.2.7; sleep 0.4; $A link set eth0 down; sleep 0.4"
    )
    let told = log.filter { $0.contains(": mirror: ") }.map { $0.split(separator: ": ").last }
    #expect(told == ["192.0.2.7", "198.51.100.7", "none"])
  }

  @Test func `the Swift example prints what happens`() throws {
    let namespace = try Namespace()
    let example = Reach.path.split(separator: "/").dropLast().joined(separator: "/")
    let result = try namespace.shell(
      """
      $IN stdbuf -oL /\(example)/watch-internet 192.0.2.7 & PID=$!
      sleep 0.5; $A link set eth0 down; sleep 0.5; kill $PID; wait $PID || true
      """)
    // The two targets are told of by tasks of their own.
    let lines = result.output.split(separator: "\n")
    #expect(
      lines.prefix(2).sorted() == [
        "192.0.2.7 is reachable via wired", "internet is reachable via wired",
      ])
    #expect(
      lines.dropFirst(2).sorted() == [
        "192.0.2.7 is unreachable: link-down", "internet is unreachable: link-down",
      ])
  }

  @Test func `the table of shipped hooks lists the folder`() throws {
    let result = try Reach.shell(
      """
      diff <(cd hooks; ls *.lua) <(grep -o '^| \\[[a-z-]*.lua' hooks/README.md | cut -c4-)
      """)
    #expect(result.output == "")
  }

  @Test func `every script in the README loads`() throws {
    let folder = try TemporaryFolder()
    let result = try Reach.shell(
      """
      awk '/^```lua$/ { name = "block" ++count ".lua"; next } /^```$/ { name = "" }
        name { print > name }' \(Reach.package)/README.md
      ls; "$REACH" check *.lua > /dev/null
      """, in: folder.path)
    #expect(result.output.hasPrefix("block1.lua\nblock2.lua\n"))
    #expect(result.code == 0, "\(result.errors)")
  }

  @Test func `the README's hook prints what the README says`() throws {
    let folder = try TemporaryFolder()
    let namespace = try Namespace()
    let result = try namespace.shell(
      """
      sed -n '/^```lua$/,/^```$/{p; /^```$/q}' \(Reach.package)/README.md | grep -v '^```' > greet.lua
      sed -n '/^2026-/p' \(Reach.package)/README.md | cut -c21- > expected
      $IN "$REACH" run --state-dir "$STATE" --socket "$STATE/control" greet.lua 2> log & PID=$!
      await begun $PID
      sleep 2.5; $B link set b0 down; sleep 1.3; kill $PID; wait $PID
      diff expected <(cut -c21- log | sed 's/after [0-9]*ms/after 0s/')
      """, in: folder.path)
    #expect(result.output == "")
    #expect(result.code == 0)
  }
}

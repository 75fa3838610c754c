import Hooks
import TestSupport
import Testing

@testable import reach

@Suite struct Completing {
  private let completion = Completion(
    interfaces: { ["lo", "eth0", "wlan0"] }, hooks: { _ in [] },
    shippedHooks: { ["leak-guard", "pause-sync"] })

  /// What the last of some words can become.
  private func words(_ line: String) -> [String]? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard case .words(let candidates) = completion.offer(for: words) else { return nil }
    return candidates.map(\.word)
  }

  private func offer(_ line: String) -> Completion.Offer {
    completion.offer(
      for: line.split(separator: " ", omittingEmptySubsequences: false).map(String.init))
  }

  @Test func `a first word is a command`() {
    #expect(words("") == CommandLineInterface.commands.map { $0.name })
    #expect(words("wa") == ["watch"])
    #expect(words("-") == ["--help", "--version"])
    #expect(words("--man") == [])
    #expect(words("wach ") == [])
    #expect(completion.offer(for: []) == .words([]))
  }

  @Test func `after a dash come the command's options, each with its help`() {
    #expect(words("check --") == Check.options.map(\.name) + ["--help"])
    #expect(
      offer("watch --fo") == .words([.init(word: "--for", help: "end after that time")]))
    #expect(words("check -- --") == nil, "an operand, and so a file")
    #expect(words("status ") == ["--socket", "--json", "--help"], "there is nothing else")
  }

  @Test(arguments: ["run --log-level ", "run --log-level=", "run hooks --log-level="])
  func `a value of a fixed set is one of its words`(line: String) {
    let attached = line.hasSuffix("=") ? "--log-level=" : ""
    #expect(words(line) == ["debug", "info", "warn", "error"].map { attached + $0 })
    #expect(words(line + "w") == [attached + "warn"])
  }

  @Test func `paths are left to the shell`() {
    for line in ["run ", "run a.lua b", "check --json ", "status --socket ", "run --socket=/ru"] {
      #expect(offer(line) == .files, "\(line)")
    }
    for line in ["run --state-dir ", "run --state-dir=/va"] {
      #expect(offer(line) == .folders, "\(line)")
    }
  }

  @Test func `a target is a ready one or begins like one`() {
    let all = [
      "internet", "local_wifi", "interface:lo", "interface:eth0", "interface:wlan0", "network:",
    ]
    #expect(words("watch ") == all)
    #expect(words("watch internet ") == all)
    #expect(words("explain interface:e") == ["interface:eth0"])
    #expect(words("explain internet ") == ["--json", "--medium", "--help"], "it takes one alone")
  }

  @Test func `what can be anything is not guessed`() {
    #expect(words("watch --for ") == [])
    #expect(words("watch --count=") == [])
  }

  @Test func `a hook to copy is a shipped one`() {
    #expect(words("new --from ") == ["leak-guard", "pause-sync"])
    #expect(words("new --from=p") == ["--from=pause-sync"])
    #expect(words("new ") == [])
  }

  @Test func `a medium is for an interface`() {
    #expect(words("run --medium ") == ["lo=", "eth0=", "wlan0="])
    #expect(words("run --medium=e") == ["--medium=eth0="])
    #expect(words("run --medium=usb0=ww") == ["--medium=usb0=wwan"])
  }

  @Test func `fire takes a hook, a status, and fields of the event with their values`() {
    var sockets: [String?] = []
    let status = """
      {"scripts":[{"script":"greet","hooks":[{"name":"free internet"},{"name":"a\\nb"}]},7,{}]}
      """
    let completion = Completion(
      interfaces: { [] },
      hooks: { socket in
        sockets.append(socket)
        return HookPlace.all(inStatus: status)
      }, shippedHooks: { [] })
    func words(_ line: String...) -> [String] {
      guard case .words(let candidates) = completion.offer(for: line) else { return [] }
      return candidates.map(\.word)
    }
    #expect(words("fire", "") == ["greet/free internet"])
    #expect(words("enable", "--socket", "/a", "gr") == ["greet", "greet/free internet"])
    #expect(words("fire", "--socket=/b", "x") == [])
    #expect(sockets == [nil, "/a", "/b"])
    #expect(words("fire", "a/b", "") == ["reachable", "unreachable", "portal"])
    #expect(words("fire", "a/b", "reachable", "s") == ["source=", "ssid=", "since=", "sequence="])
    #expect(words("fire", "a/b", "reachable", "via=w") == ["via=wired", "via=wifi", "via=wwan"])
    #expect(words("fire", "a/b", "reachable", "initial=true", "vpn=t") == ["vpn=true"])
  }

  @Test func `the help of fire names every field that it takes`() {
    let words = Set(Fire.details.split { !$0.isLetter && $0 != "_" }.map(String.init))
    #expect(Set(FireRequest.keys).subtracting(words) == [])
  }

  @Test(arguments: ["", "{", "[]", #"{"scripts":3}"#, #"{"scripts":[{"script":1}]}"#])
  func `what is no status has no hooks`(text: String) {
    #expect(HookPlace.all(inStatus: text).isEmpty)
  }

  @Test func `it is known of every placeholder what it stands for`() {
    for command in CommandLineInterface.commands {
      let words =
        Operand.list(command.operands).map(\.placeholder) + command.options.compactMap(\.value)
      for word in words {
        #expect(Placeholder.all[word] != nil, "\(command.name): \(word) needs a row in Placeholder")
      }
    }
  }

  @Test func `operands say whether they may be missing and repeated`() {
    func operand(_ word: String, _ isOptional: Bool, _ isRepeated: Bool) -> Operand {
      Operand(placeholder: word, isOptional: isOptional, isRepeated: isRepeated)
    }
    #expect(Operand.list("") == [])
    #expect(Operand.list("SCRIPT[/HOOK]") == [operand("SCRIPT[/HOOK]", false, false)])
    #expect(
      Operand.list("FILE [PATH…]") == [operand("FILE", false, false), operand("PATH", true, true)])
    #expect(Operand.list("TARGET…") == [operand("TARGET", false, true)])
  }
}

/// Bash, zsh and fish with keys typed into them.
@Suite struct Shells {
  @Test(arguments: ["bash", "zsh", "fish"])
  func `a tab completes commands, options, values, targets, files and hooks`(
    shell: String
  ) throws {
    let folder = try TemporaryFolder()
    try folder.write("nas hook.lua", "")
    try folder.write("folder/file", "")
    try folder.write(
      "hooks/greet.lua",
      "reach.on{ name = 'free internet', target = reach.internet, reachable = print }")
    let lines: [(keys: String, words: String)] = [
      (#"reach wa\t"#, #"["watch"]"#),
      (#"reach run --log-le\tde\t"#, #"["run", "--log-level", "debug"]"#),
      (#"reach run --log-level=de\t"#, #"["run", "--log-level=debug"]"#),
      (#"reach watch interf\t"#, #"["watch", "interface:lo"]"#),
      (#"reach explain interface:\t"#, #"["explain", "interface:lo"]"#),
      (#"reach watch netw\t\tHome"#, #"["watch", "network:Home"]"#),
      // Done at the end of the line, for what is typed next.
      (#"ln -s "$PWD/s" ~/s; reach wa\t"#, #"["watch"]"#),
      (
        #"reach fire --socket ~/s gre\t"#,
        #"["fire", "--socket", "HOME/s", "greet/free internet"]"#
      ),
      (#"reach run --medium lo\tww\t"#, #"["run", "--medium", "lo=wwan"]"#),
      (#"reach check na\t"#, #"["check", "nas hook.lua"]"#),
      (#"reach status --socket=na\t"#, #"["status", "--socket=nas hook.lua"]"#),
      (#"reach run --state-dir fo\t"#, #"["run", "--state-dir", "folder"]"#),
      (#"reach run --state-dir=fo\t"#, #"["run", "--state-dir=folder"]"#),
      (
        #"reach fire --socket s gre\tre\tlat\t"#,
        #"["fire", "--socket", "s", "greet/free internet", "reachable", "latency="]"#
      ),
      (
        #"reach enable --socket=s "greet/fr\t"#,
        #"["enable", "--socket=s", "greet/free internet"]"#
      ),
    ]
    let keys = lines.map { "'\($0.keys)'" }.joined(separator: " ")
    // A network of its own, whose one interface is lo.
    let result = try Reach.shell(
      """
      exec unshare -n bash -c "$(cat <<'EOF'
      "$REACH" run --state-dir state --socket s hooks 2>/dev/null & PID=$!
      for i in $(seq 200); do "$REACH" status --socket s >/dev/null 2>&1 && break; sleep 0.05; done
      python3 '\(Reach.package)/Tests/Support/type.py' \(shell) \
        '\(Reach.package)/Sources/reach/Installation/reach.\(shell)' \(keys)
      kill $PID; wait $PID
      EOF
      )"
      """, in: folder.path, timeout: .seconds(300))
    #expect(result.errors == "")
    // Some shells keep the slash behind a folder.
    let words = result.output.split(separator: "\n").map {
      $0.hasSuffix(#"/"]"#) ? $0.dropLast(3) + #""]"# : $0
    }
    #expect(words == lines.map { $0.words[...] })
  }

  @Test func `a daemon that does not answer holds up no tab`() throws {
    let folder = try TemporaryFolder()
    let result = try Reach.shell(
      """
      python3 -c 'import socket, time
      socket = socket.socket(socket.AF_UNIX)
      socket.bind("s")
      socket.listen()
      time.sleep(60)' & PID=$!
      until [ -S s ]; do sleep 0.05; done
      "$REACH" --complete -- fire --socket s ''; echo ended with $?
      kill $PID
      """, in: folder.path, timeout: .seconds(30))
    #expect(result.output == "ended with 0\n")
  }
}

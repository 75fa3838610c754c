import Glibc
import Posix
import TestSupport
import Testing

/// One run of a handler by the daemon, beside whatever network this machine has.
struct HandlerRun {
  let folder: TemporaryFolder
  /// What the script says before its hook.
  var declarations = ""
  var deadline = "20s"
  /// Bash that is run before the daemon is started, and once the handler has ended.
  var before = ""
  var after = ""

  init() throws { folder = try TemporaryFolder() }

  /// Runs a handler's body until the run has ended.
  func callAsFunction(_ body: String) throws -> Reach.Result {
    try folder.write(
      "t.lua",
      """
      \(declarations)
      reach.on{ name = "t", deadline = "\(deadline)",
        target = reach.target{ address = "127.0.0.1", route = true }, reachable = function(e)
        \(body)
      end }
      """)
    return try Reach.shell(
      """
      \(before)
      "$REACH" run --log-level debug --state-dir state --socket state/control t.lua 2> log & PID=$!
      for i in $(seq 500); do
        grep -qE 't/t: reachable: (finished|failed|killed)' log && break
        sleep 0.05
      done
      \(after)
      kill $PID; wait $PID; cat log >&2
      """, in: folder.path)
  }
}

extension Reach.Result {
  /// What the handler of a `HandlerRun` printed, each line divided at its tabs.
  var prints: [[String]] {
    log.filter { $0.hasPrefix("info  t/t: ") && !$0.hasPrefix("info  t/t: reachable: ") }
      .map { line in
        line.dropFirst("info  t/t: ".count).split(separator: "\t").map(String.init)
      }
  }
}

@Suite struct Calls {
  @Test func `a sleep takes its time, and takes nothing but a duration`() throws {
    let result = try HandlerRun()(
      """
      local began = reach.now()
      print(reach.sleep("300ms"))
      reach.sleep(0.2) reach.sleep(0)
      local took = reach.now() - began
      print(took >= 0.5 and took < 5)
      print(select(2, pcall(reach.sleep)))
      print(select(2, pcall(reach.sleep, "soon")))
      print(select(2, pcall(reach.sleep, -1)))
      """)
    #expect(result.prints.prefix(1) == [[]])
    let expected = "a duration: seconds, or a text such as \"10s\" or \"1h30m\""
    #expect(
      result.prints.dropFirst().map { $0[0] } == [
        "true", "reach.sleep takes one duration, as in reach.sleep(\"10s\")",
        "reach.sleep takes \(expected), not \"soon\"; the units are ms, s, m and h",
        "reach.sleep takes \(expected), not -1",
      ])
  }

  @Test func `the deadline ends a sleep, and nothing catches that`() throws {
    var run = try HandlerRun()
    run.deadline = "200ms"
    let result = try run("pcall(reach.sleep, \"1h\") print('not reached')")
    #expect(result.prints == [])
    #expect(
      result.log.contains {
        $0.hasPrefix("error t/t: reachable: failed: ")
          && $0.hasSuffix("cancelled: the deadline of 200ms has passed")
      })
  }
}

@Suite struct Writing {
  @Test func `files are written beside the script, and what fails is told and logged`() throws {
    let run = try HandlerRun()
    let result = try run(
      """
      local function show(options)
        local r = reach.write(options)
        print(r.ok, r.error)
      end
      show{ path = "out/a", text = "x" }
      show{ path = "a", text = "one\\0\\xff" }
      show{ path = "a", text = 2, append = true }
      show{ path = "/dev/null", text = "x" }
      print(select(2, pcall(reach.write, { text = "x" })))
      print(select(2, pcall(reach.write, { path = "a" })))
      print(select(2, pcall(reach.write, { path = "a\\0b", text = "x" })))
      print(select(2, pcall(reach.write, { path = "a", text = "x", apend = true })))
      """)
    let fault = "replace \(run.folder.path)/out/a: No such file or directory"
    #expect(
      result.prints == [
        ["false", fault], ["true", "nil"], ["true", "nil"], ["true", "nil"],
        ["reach.write: \"path\" is missing, as in path = \"state.json\""],
        ["reach.write: \"text\" is missing"], ["reach.write: \"path\" has a NUL byte"],
        ["reach.write: unknown key \"apend\"; did you mean \"append\"?"],
      ])
    #expect(result.log.contains("warn  t/t: \(fault)"))
    let path = "\(run.folder.path)/a"
    #expect(
      try FileDescriptor(opening: path, flags: O_RDONLY).readAll(limit: 99)
        == Array("one\0".utf8) + [0xff] + Array("2".utf8))
  }
}

@Suite struct Secrets {
  /// A run whose secrets lie in its own folder.
  private func run(_ body: String, declarations: String = "") throws -> Reach.Result {
    var run = try HandlerRun()
    run.declarations = declarations
    run.before = """
      export XDG_CONFIG_HOME=$PWD/config CREDENTIALS_DIRECTORY=$PWD/credentials
      mkdir -p config/reach/secrets credentials
      printf 'hunter\\\\2 \\n\\n' > config/reach/secrets/mail
      printf 'from systemd' > credentials/mail2
      printf 'from me' > config/reach/secrets/mail2
      printf 'first line\\nsecond line' > config/reach/secrets/key
      touch config/reach/secrets/none
      chmod 600 config/reach/secrets/*; chmod 440 credentials/*
      printf 'open' > config/reach/secrets/open; chmod 640 config/reach/secrets/open
      """
    return try run(body)
  }

  @Test func `a secret is read at load and in handlers, from systemd's folder first`() throws {
    let result = try run(
      """
      print(#password, password:byte(-1), #reach.secret("mail2"), #reach.secret("none"))
      """, declarations: "local password = reach.secret('mail')")
    #expect(result.prints == [["10", "10", "12", "0"]])
  }

  @Test func `no log shows it, whichever way it comes there`() throws {
    let result = try run(
      #"""
      local secret, key = reach.secret("mail"), reach.secret("key")
      print("a" .. secret .. "b", secret)
      reach.run{ "sh", "-c", "echo one; echo two second line three >&2; exit 3", secret }
      reach.run{ secret }
      error("with " .. secret)
      """#)
    #expect(result.prints.first == ["a***b", "***"])
    #expect(result.log.contains { $0.hasSuffix("***: exit code 3: two *** three") })
    #expect(result.errors.contains("there is no program \"***\""))
    #expect(result.errors.contains("with ***"))
    #expect(!result.errors.contains("hunter"))
    #expect(!result.errors.contains("second line three"))
  }

  @Test func `a secret that others can read, and one that is not there, are refused`() throws {
    let result = try run(
      """
      for _, name in ipairs{ "open", "nothing", "../mail", "" } do
        print(select(2, pcall(reach.secret, name)))
      end
      """)
    let complaints = result.prints.map {
      ($0.first ?? "").split(separator: "/").last.map(String.init) ?? ""
    }
    #expect(result.prints.count == 4)
    #expect(result.prints[0][0].contains("open: readable by others, so not used; try: chmod go= "))
    #expect(result.prints[1][0].hasPrefix("reach.secret: there is no "))
    #expect(result.prints[1][0].contains("/credentials/nothing, nor "))
    #expect(result.prints[2] == ["reach.secret: \"../mail\" is no name of a file"])
    #expect(complaints[1] == "nothing")
  }
}

import TestSupport
import Testing

@Suite struct Usage {
  @Test(arguments: [
    ("wach internet", "reach: unknown command wach; did you mean \"watch\"?"),
    ("--verison", "reach: unknown option --verison; did you mean \"--version\"?"),
    ("watch", "reach watch: no target given; try: reach watch internet"),
    ("watch --fro 1s internet", "reach watch: unknown option --fro; did you mean --for?"),
    ("watch -j internet", "reach watch: unknown option -j; options are long: --help"),
    ("watch --json=1 internet", "reach watch: --json takes no value"),
    ("watch internet --for", "reach watch: --for needs a value: --for DURATION"),
    (
      "watch --for soon internet",
      "reach watch: --for: \"soon\" is not a duration; try 250ms, 10s or 1m30s"
    ),
    ("watch --count 0 internet", "reach watch: --count: \"0\" is not a count from 1"),
    (
      "watch --medium usb0 internet",
      "reach watch: --medium: \"usb0\" is not NAME=MEDIUM, as in usb0=wwan"
    ),
    (
      "watch --medium usb0=wfi internet",
      "reach watch: --medium: \"wfi\" is none of wired, wifi, wwan, other; did you mean \"wifi\"?"
    ),
    ("watch --every 5s internet", "reach watch: --every is for probes, and internet has none"),
    ("watch nas:0", "reach watch: \"nas:0\" has no port from 1 to 65535 after the colon"),
    ("watch 1.2.3", "reach watch: \"1.2.3\" is neither a host name nor an address"),
    (
      "watch http://nas.lan:0/",
      "reach watch: \"http://nas.lan:0/\" has no port from 1 to 65535 after the colon"
    ),
    (
      "explain htps://nas.lan",
      "reach explain: \"htps://nas.lan\" is neither http nor https; did you mean "
        + "\"https://nas.lan\"?"
    ),
    (
      "explain $'http://nas.lan/\\e[2J'",
      "reach explain: \"http://nas.lan/\\u{1b}[2J\" has a control character"
    ),
    ("explain", "reach explain: exactly one target is needed; try: reach explain internet"),
    ("run /nowhere", "reach run: open /nowhere: No such file or directory"),
    (
      "run --log-level loud hooks",
      "reach run: --log-level: \"loud\" is none of debug, info, warn, error"
    ),
    ("check /nowhere", "reach check: open /nowhere: No such file or directory"),
    ("check ''", "reach check: an empty word is given, which names nothing"),
    ("explain -- ''", "reach explain: an empty word is given, which names nothing"),
  ])
  func `bad usage is one line and exit code 2`(words: String, message: String) throws {
    let result = try Reach.shell("exec \"$REACH\" \(words)")
    #expect(result.code == 2)
    #expect(result.errors == message + "\n")
    #expect(result.output.isEmpty)
  }

  @Test func `help and version are results`() throws {
    #expect(try Reach.run("--version").output == "reach 0.1.0\n")
    let help = try Reach.run("--help")
    #expect(help.code == 0)
    for command in ["run", "check", "watch", "explain", "new"] {
      #expect(help.output.contains("\n  \(command)"))
      let page = try Reach.run(command, "--help")
      #expect(page.code == 0)
      #expect(page.output.hasPrefix("usage: reach \(command) "))
    }
  }

  @Test func `a short option for help is taken`() throws {
    let help = try Reach.run("-h")
    #expect(try help.code == 0 && help.output == Reach.run("--help").output)
    let page = try Reach.run("watch", "-h")
    #expect(try page.code == 0 && page.output == Reach.run("watch", "--help").output)
  }

  @Test(arguments: ["check", "record today.txt"])
  func `where the usual folder is missing, the command itself is named with a file`(
    words: String
  ) throws {
    let result = try Reach.shell(
      """
      exec unshare --mount bash -c 'mount -t tmpfs none /etc; exec "$REACH" \(words)'
      """)
    #expect(result.code == 2)
    #expect(
      result.errors == "reach \(words.prefix { $0 != " " }): there is no /etc/reach/hooks yet; "
        + "make it, or name a file: reach \(words) greet.lua\n")
  }
}

/// Results that cannot be written.
@Suite struct LostResults {
  static let lines = [
    "check hooks", "test hooks/notify-wwan_test.lua", "replay examples/timelines/boot.txt hooks/notify-wwan.lua",
    "watch interface:absent0", "record - hooks/notify-wwan.lua", "explain interface:absent0",
    "--manual reach.1", "watch --help",
  ]

  @Test(arguments: lines) func `are an error in one line`(words: String) throws {
    let name = words.prefix { $0 != " " }
    for (stream, reason) in [
      ("/dev/full", "No space left on device"), ("&-", "Bad file descriptor"),
    ] {
      let result = try Reach.shell("exec \"$REACH\" \(words) >\(stream)")
      #expect(result.code == 2)
      let errors = result.errors.split(separator: "\n").filter { $0.contains(" standard output") }
      #expect(errors == ["reach \(name): write standard output: \(reason)"])
    }
  }

  @Test(arguments: lines) func `that nobody reads any more end it quietly`(words: String) throws {
    let result = try Reach.shell(
      """
      exec python3 -c 'import os, subprocess, sys
      reading, writing = os.pipe()
      os.close(reading)
      for restores in True, False:  # SIGPIPE, which Python ignores
          print(subprocess.call(
            [os.environ["REACH"]] + sys.argv[1:], stdout=writing, restore_signals=restores))
      ' \(words)
      """)
    #expect(result.output == "-13\n2\n", "\(result.output)")
    #expect(!result.errors.contains(" standard output"))
  }

  @Test func `are not written into a file that is opened`() throws {
    let folder = try TemporaryFolder()
    let script = "reach.on{ target = reach.internet, change = print }"
    try folder.write("a.lua", script)
    let result = try Reach.shell(
      """
      "$REACH" record --for 10ms today.txt a.lua <&- >&- 2>&-; echo $?
      "$REACH" check a.lua <&- >&- 2>&-; echo $?
      """, in: folder.path)
    #expect(result.output == "0\n2\n")
    #expect(folder.read("today.txt").hasPrefix("# Recorded by reach"))
    #expect(folder.read("a.lua") == script)
  }
}

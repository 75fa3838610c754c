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
}

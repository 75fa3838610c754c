import TestSupport
import Testing

@Suite struct Checking {
  @Test func `the shipped hooks and the examples produce no finding`() throws {
    let result = try Reach.run("check", "hooks", "examples")
    #expect(result.errors == "")
    #expect(result.code == 0)
    #expect(result.output.contains("hook pause-sync on free internet: reachable, unreachable"))
    for line in result.output.split(separator: "\n") {
      #expect(line.hasPrefix("  ") || line.hasSuffix(".lua"))
    }
    let objects = try Reach.run("check", "--json", "hooks", "examples")
    #expect(objects.code == 0)
    #expect(!objects.output.contains("\"kind\":\"finding\""))
  }

  @Test func `a broken script is named, the others are listed, and the answer is no`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.lua", "reach.on{ target = reach.internet, change = print }")
    try folder.write("b.lua", "\nreach.on{ target = reach.internt }")
    let result = try Reach.run("check", ".", in: folder.path)
    #expect(result.code == 1)
    #expect(result.errors == "")
    #expect(
      result.output == """
        ./a.lua
          target internet
          hook internet on internet: change
        ./b.lua:2:  fault  load-error  reach has no "internt"; did you mean "internet"?

        """)
  }

  @Test func `warnings alone are a yes, and come with the faults of other scripts in one table`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(
      "lax.lua", "reach.on{\n target = reach.internet, portal = print, change = print }")
    let lax = try Reach.run("check", "lax.lua", in: folder.path)
    #expect(lax.code == 0)
    try folder.write("open.lua", "", mode: 0o666)
    let both = try Reach.run("check", "lax.lua", "open.lua", in: folder.path)
    #expect(both.code == 1)
    #expect(
      both.output.replacing("\(folder.path)/", with: "") == """
        lax.lua
          target internet
          hook internet on internet: portal, change
        open.lua:   fault    unsafe        open.lua: writable by others, so not used; try: chmod \
        go-w open.lua
        lax.lua:1:  warning  dead-handler  reach.on "internet": "portal" is never called: only a \
        probe over plain http meets a sign-in page, and "internet" has none

        """)
  }

  @Test func `the rules of targets and the deadlines of hooks are listed`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "a.lua",
      """
      reach.on{
        target = reach.target{ internet = true, name = "cheap", wwan = false, metered = false,
          medium = { usb0 = "wired" } },
        wired = print, deadline = "10s" }
      """)
    let text = try Reach.run("check", "a.lua", in: folder.path).output
    #expect(
      text == """
        a.lua
          target cheap = internet, no wwan, no metered, usb0 as wired
          hook cheap on cheap: wired; deadline 10s

        """)
    let json = try Reach.run("check", "--json", "a.lua", in: folder.path).output
    #expect(json.contains(#""wwan":false,"metered":false,"medium":{"usb0":"wired"}}"#))
    #expect(json.contains(#""deadline":10.0"#))
  }

  @Test func `as JSON there is one object for each script`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.lua", "reach.on{ target = reach.internet, change = print }")
    let result = try Reach.run("check", "--json", "a.lua", in: folder.path)
    #expect(
      result.output == #"{"kind":"script","script":"a","path":"a.lua","#
        + #""targets":[{"name":"internet","subject":"internet","probe":null,"#
        + #""wwan":true,"metered":true,"medium":{}}],"#
        + #""hooks":[{"name":"internet","target":"internet","handlers":["change"],"#
        + #""stable":{},"again":{},"apart":{},"given":null,"quiet":null,"mode":"latest","#
        + #""deadline":300.0,"initial":"changed"}]}"# + "\n")
  }

  @Test func `as JSON there is one object for each finding`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.lua", "")
    try folder.write("b.lua", "\nx = = 1")
    let result = try Reach.run("check", "--json", "a.lua", "b.lua", in: folder.path)
    #expect(result.code == 1)
    #expect(result.errors == "")
    #expect(
      result.output == """
        {"kind":"script","script":"a","path":"a.lua","targets":[],"hooks":[]}
        {"kind":"finding","severity":"warning","file":"a.lua","line":null,"code":"idle-script",\
        "message":"declares no hook, timer or reach.defer: nothing of it is ever called","script":"a"}
        {"kind":"finding","severity":"fault","file":"b.lua","line":2,"code":"load-error",\
        "message":"unexpected symbol near '='","script":"b"}

        """)
  }

  @Test func `what stays hidden in logs is hidden in findings`() throws {
    let folder = try TemporaryFolder()
    try folder.write("secrets/host", "secret.example", mode: 0o600)
    try folder.write("a.lua", "shared = reach.target{ host = reach.secret 'host' }")
    try folder.write("b.lua", "error(reach.secret 'host')")
    let result = try Reach.shell(
      "CREDENTIALS_DIRECTORY=$PWD/secrets \"$REACH\" check --json a.lua b.lua | grep finding",
      in: folder.path)
    #expect(result.output.contains("reach.target \\\"***\\\": without a probe"))
    #expect(result.output.contains("\"message\":\"***\""))
    #expect(!result.output.contains("secret.example"))
  }

  @Test func `the help tells what each code stands for`() throws {
    let help = try Reach.run("check", "--help")
    #expect(
      help.output.contains("\n  dead-hook        none of the hook's handlers can ever be called\n"))
    #expect(help.output.hasSuffix("\n"))
    #expect(!help.output.hasSuffix("\n\n"))
    for line in help.output.split(separator: "\n") { #expect(line.count <= 100) }
  }
}

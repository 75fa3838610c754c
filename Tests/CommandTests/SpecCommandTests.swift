import TestSupport
import Testing

/// `reach test`, as a user runs it.
@Suite struct SpecCommand {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "greet.lua", "reach.on{ target = reach.internet, reachable = function() print('hi') end }")
  }

  @Test func `results are TAP, and a failure is told with its line and both values`() throws {
    try folder.write(
      "greet_test.lua",
      """
      describe("greet #1", function()
        it("greets", function()
          local t = reach.test "greet"
          t:set{ internet = "reachable" }
          assert.matches("hi", t:log()[#t:log() - 1])
        end)
        it("fails", function() assert.equal("a", "b") end)
      end)
      """)
    let result = try Reach.run("test", in: folder.path)
    #expect(
      result.output == """
        TAP version 13
        ok 1 - greet \\#1 greets
        not ok 2 - greet \\#1 fails
          ---
          message: |
            greet_test.lua:7: not equal
              expected: "a"
              actual:   "b"
          ...
        1..2

        """)
    #expect(result.errors == "")
    #expect(result.code == 1)
    #expect(try Reach.run("test", "--filter", "greets", in: folder.path).code == 0)
  }

  @Test func `several files are one run, and one that is broken is a failure`() throws {
    try folder.write("a_test.lua", "it('runs', function() end)")
    try folder.write("b_test.lua", "it('broken'")
    let result = try Reach.run("test", ".", in: folder.path)
    #expect(
      result.output == """
        TAP version 13
        # a_test.lua
        ok 1 - runs
        # b_test.lua
        not ok 2 - b_test.lua
          ---
          message: |
            b_test.lua:1: ')' expected near <eof>
          ...
        1..2

        """)
    #expect(result.code == 1)
  }

  @Test func `where no test is meant that is not success`() throws {
    try folder.write("a_test.lua", "it('runs', function() end)")
    let none = try Reach.run("test", "--filter", "walks", in: folder.path)
    #expect(none.code == 2)
    #expect(none.errors == "reach test: no test whose name holds \"walks\"\n")
    try folder.write("empty_test.lua", "-- it('runs', function() end)")
    let empty = try Reach.run("test", in: folder.path)
    #expect(empty.code == 1)
    #expect(empty.output.contains("not ok 2 - empty_test.lua\n"))
    #expect(empty.output.contains("no test in it, as in it(\"…\", function() … end)\n"))
  }

  @Test func `a folder without specs, and a file that is not there, are wrong usage`() throws {
    let none = try Reach.run("test", in: folder.path)
    #expect(none.code == 2)
    #expect(
      none.errors
        == "reach test: no *_test.lua in this folder; reach new NAME writes a hook with its tests\n"
    )
    let missing = try Reach.run("test", "nothing_test.lua", in: folder.path)
    #expect(missing.code == 2)
    #expect(
      missing.errors.hasSuffix("nothing_test.lua: No such file or directory\n"))
  }

  @Test func `a failure tells what was done, and a hook in the place of its spec is named`() throws
  {
    try folder.write(
      "run.lua",
      """
      reach.on{ target = reach.internet, reachable = function()
        reach.run{ "first" } reach.run{ "second", check = true }
      end }
      """)
    try folder.write(
      "run_test.lua",
      """
      it("runs", function()
        local t = reach.test "run"
        t:answer("second", { code = 3 })
        t:set{ internet = "reachable" }
        assert(t:ran "third")
      end)
      """)
    let result = try Reach.run("test", "run_test.lua", in: folder.path)
    #expect(
      result.output == """
        TAP version 13
        not ok 1 - runs
          ---
          message: |
            run_test.lua:5: expected a true value, got nil
          done: |
            run/internet fails: run.lua:2: second: exit code 3
            run/internet runs: second
            run/internet runs: first
          ...
        1..1

        """)
    let hook = try Reach.run("test", "run.lua", in: folder.path)
    #expect(hook.code == 2)
    #expect(hook.errors == "reach test: run.lua is a hook; its spec is run_test.lua\n")
  }

  @Test(arguments: [
    ("t1.txt", "t1.txt is no spec; its name would end in _test.lua"),
    ("bare.lua", "bare.lua has no spec bare_test.lua yet; reach new writes one"),
    ("tests.lua", "tests.lua has tests; call it NAME_test.lua, after its hook NAME.lua"),
    ("folder/main.lua", "folder/main.lua is a hook; its spec is folder_test.lua"),
  ])
  func `what is no spec by its name is not run as one`(path: String, message: String) throws {
    try folder.write("t1.txt", "0 internet reachable")
    try folder.write("bare.lua", "local function wait(e) end\nwait(it)")
    try folder.write("tests.lua", "local a\n  it('runs', function() end)")
    try folder.write("folder/main.lua", "")
    try folder.write("folder_test.lua", "")
    let result = try Reach.run("test", path, in: folder.path)
    #expect(result.code == 2 && result.output == "")
    #expect(result.errors == "reach test: \(message)\n")
  }

  @Test func `nothing is told before all files are open`() throws {
    try folder.write("a_test.lua", "it('runs', function() end)")
    let result = try Reach.run("test", "a_test.lua", "missing_test.lua", in: folder.path)
    #expect(result.code == 2 && result.output == "")
    #expect(result.errors.hasSuffix("missing_test.lua: No such file or directory\n"))
  }

  @Test func `prove reads what comes, with all that is wrong`() throws {
    try folder.write(
      "greet.lua",
      "reach.on{ target = reach.internet, reachable = function() reach.run{ 'a' } end }")
    try folder.write(
      "greet_test.lua",
      ##"""
      it("runs", function() reach.test "greet" end)
      it([[back\slash # and \#]], function()
        local t = reach.test "greet"
        t:set{ internet = "reachable" }
        error("  \"first\"\nsecond: |\n# third", 0)
      end)
      it("says nothing", function() error("", 0) end)
      """##)
    let result = try Reach.shell(
      """
      prove -e "$REACH test" greet_test.lua 2>&1 | grep '^  Failed tests\\|No such\\|Parse errors'
      "$REACH" test greet_test.lua | perl -MTAP::Parser -e '
      my $parser = TAP::Parser->new({ tap => join "", <STDIN> });
      while (my $result = $parser->next) {
        print "test ", $result->description, "\\n" if $result->is_test;
        next unless $result->is_yaml;
        print "$_: ", $result->data->{$_}, "\\n" for sort keys %{ $result->data };
      }
      print "error: $_\\n" for $parser->parse_errors;'
      """, in: folder.path)
    #expect(
      result.output == ##"""
          Failed tests:  2-3
        test - runs
        test - back\\slash \# and \\\#
        done: greet/internet runs: a

        message:   "first"
        second: |
        # third
        test - says nothing
        message: 

        """## + "\n")
    #expect(result.errors == "")
  }

  @Test func `the wall clock of a test is the same in every time zone`() throws {
    try folder.write(
      "greet_test.lua",
      "it('noon', function() assert.equal('12:00', os.date('%H:%M', 1767614400)) end)")
    let result = try Reach.shell(
      "TZ=Pacific/Auckland \"$REACH\" test greet_test.lua", in: folder.path)
    #expect(result.code == 0, "\(result.output)")
  }
}

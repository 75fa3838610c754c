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
        TAP version 14
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
        TAP version 14
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
        TAP version 14
        not ok 1 - runs
          ---
          message: |
            run_test.lua:5: expected a true value, got nil
          done, the last first: |
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

  @Test func `the wall clock of a test is the same in every time zone`() throws {
    try folder.write(
      "greet_test.lua",
      "it('noon', function() assert.equal('12:00', os.date('%H:%M', 1767614400)) end)")
    let result = try Reach.shell(
      "TZ=Pacific/Auckland \"$REACH\" test greet_test.lua", in: folder.path)
    #expect(result.code == 0, "\(result.output)")
  }
}

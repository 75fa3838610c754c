import TestSupport
import Testing

/// `reach new` writes what a hook's author starts from.
@Suite struct StartingAHook {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func files() throws -> String {
    try Reach.shell("find . -type f | sort | cut -c3- | tr '\\n' ' '", in: folder.path).output
  }

  @Test func `a new hook passes reach check, reach test and luacheck`() throws {
    let result = try Reach.run("new", "watch-nas", in: folder.path)
    #expect(
      result.output == """
        wrote watch-nas.lua, watch-nas_test.lua, types/reach.lua, .luarc.json, .luacheckrc
        now try: reach check watch-nas.lua && reach test watch-nas_test.lua

        """)
    #expect(result.code == 0 && result.errors == "")
    #expect(
      try files() == ".luacheckrc .luarc.json types/reach.lua watch-nas.lua watch-nas_test.lua ")
    let check = try Reach.run("check", ".", in: folder.path)
    #expect(check.code == 0 && check.errors == "")
    #expect(check.output.contains("hook watch-nas on internet: reachable, unreachable; stable"))
    #expect(!check.output.contains("warning"))
    let test = try Reach.run("test", "watch-nas_test.lua", in: folder.path)
    #expect(
      test.output == """
        TAP version 13
        ok 1 - watch-nas runs nothing while the internet is there
        ok 2 - watch-nas runs a command at once when it is lost
        ok 3 - watch-nas runs another when it has been back for a while
        1..3

        """)
    let lint = try Reach.shell("luacheck --no-color .", in: folder.path)
    #expect(lint.output.hasSuffix("Total: 0 warnings / 0 errors in 3 files\n"), "\(lint.output)")
  }

  @Test func `luacheck knows what hooks and specs find, and what they do not`() throws {
    _ = try Reach.run("new", "a", in: folder.path)
    let text = """
      reach.store.seen = { reach.log.wran, os.execute, load, string.dump, coroutine }
      reach.test("a")
      """
    try folder.write("b.lua", text)
    try folder.write("lib/c_test.lua", "describe(reach.test('a'):ran('x'), reach.on)\nassert.sam()")
    let lint = try Reach.shell("luacheck --no-color b.lua lib", in: folder.path)
    for name in ["log.wran", "execute", "load", "dump", "coroutine", "test", "on", "sam"] {
      #expect(lint.output.contains("accessing undefined"))
      #expect(lint.output.contains(" '\(name)'"), "\(name)")
    }
    #expect(lint.output.hasSuffix("Total: 8 warnings / 0 errors in 2 files\n"), "\(lint.output)")
  }

  @Test func `the shipped hooks and the examples pass luacheck`() throws {
    let lint = try Reach.shell("luacheck --no-color --quiet hooks examples")
    #expect(lint.code == 0, "\(lint.output)")
  }

  @Test(arguments: ["a.lua", "a_test.lua", "a/main.lua"])
  func `nothing that is there is overwritten`(present: String) throws {
    try folder.write(present, "-- mine")
    let result = try Reach.run("new", "a", in: folder.path)
    #expect(result.code == 2 && result.output == "")
    #expect(result.errors == "reach new: \(present) is there already, so nothing was written\n")
    #expect(try files() == "\(present) " && folder.read(present) == "-- mine")
  }

  @Test func `what editors are told is kept up to date, and what is not ours is left`() throws {
    _ = try Reach.run("new", "a", in: folder.path)
    #expect(
      try Reach.run("new", "b", in: folder.path).output
        == "wrote b.lua, b_test.lua\nnow try: reach check b.lua && reach test b_test.lua\n")
    let now = folder.read("types/reach.lua")
    let result = try Reach.shell(
      """
      sed -i '/reach.sleep/d' types/reach.lua
      echo 'std = "lua54"' >.luacheckrc
      echo '{}' >.luarc.json
      exec "$REACH" new c
      """, in: folder.path)
    #expect(
      result.output == """
        wrote c.lua, c_test.lua, types/reach.lua
        left .luarc.json as it is
        left .luacheckrc as it is
        now try: reach check c.lua && reach test c_test.lua

        """)
    #expect(folder.read("types/reach.lua") == now)
    #expect(folder.read(".luacheckrc") == "std = \"lua54\"\n")
  }

  @Test(arguments: [
    ("", "one name is needed, as in reach new watch-nas"),
    ("a b", "one name is needed, as in reach new watch-nas"),
    ("hooks/nas.lua", named("hooks/nas.lua", letters + "; did you mean \"nas\"?")),
    ("nas_test", named("nas_test", "a spec is called so; did you mean \"nas\"?\n")),
    ("_nas", named("_nas", "it begins with a letter or a digit; did you mean \"nas\"?\n")),
    (
      String(repeating: "n", count: 120),
      named(String(repeating: "n", count: 120), "it is longer than 100 bytes\n")
    ),
    ("'my nas!'", named("my nas!", letters + "; did you mean \"my-nas\"?")),
    (".nas", named(".nas", letters + "; did you mean \"nas\"?")),
    ("-- -nas", named("-nas", "it begins with a letter or a digit; did you mean \"nas\"?")),
    ("main", named("main", "a main.lua is called after its folder\n")),
    ("..", named("..", letters + "\n")),
    ("''", "an empty word is given, which names nothing\n"),
    ("$'\\e[2J\"'", named("\\u{1b}[2J\"", letters + "; did you mean \"2J\"?")),
    ("a --from nothing-like-it", "no hook \"nothing-like-it\" in HOOKS; there are leak-guard, "),
    ("a --from ''", "no hook \"\" in HOOKS; there are leak-guard, "),
    ("a --from pause-snyc", "no hook \"pause-snyc\" in HOOKS; did you mean \"pause-sync\"?"),
    (
      "a --from ../examples/back-up-to-nas",
      "no hook \"../examples/back-up-to-nas\" in HOOKS; there"
    ),
  ])
  func `a name that cannot be is told with a better one`(words: String, fault: String) throws {
    let result = try Reach.shell("exec \"$REACH\" new \(words)", in: folder.path)
    let fault = fault.replacing("HOOKS", with: "\(Reach.package)/hooks")
    #expect(result.code == 2 && result.output == "")
    #expect(result.errors.hasPrefix("reach new: \(fault)"), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(try files() == "")
  }

  private static let letters = "it is made of letters, digits, - and _"

  private static func named(_ name: String, _ fault: String) -> String {
    "\"\(name)\" is no name for a script: \(fault)"
  }

  @Test func `where what is written would not be run, nothing is`() throws {
    try folder.write("open/mine", "")
    let result = try Reach.shell(
      "chmod go+w open; cd open; exec \"$REACH\" new a", in: folder.path)
    #expect(result.code == 2)
    #expect(
      result.errors == "reach new: \(folder.path)/open: writable by others, so not used; try: "
        + "chmod go-w \(folder.path)/open\n")
    #expect(try files() == "open/mine ")
  }

  @Test func `a shipped hook of the source tree is copied under another name`() throws {
    let result = try Reach.run("new", "calm", "--from", "pause-sync", in: folder.path)
    #expect(result.errors == "" && result.code == 0)
    let shipped = try Reach.shell("cat hooks/pause-sync.lua").output
    #expect(folder.read("calm.lua") == shipped.replacing("\"pause-sync\"", with: "\"calm\""))
    #expect(folder.read("calm.lua") != shipped)
    #expect(
      result.output.hasSuffix("now try: reach check calm.lua && reach test calm_test.lua\n"))
    let check = try Reach.run("check", "calm.lua", in: folder.path)
    #expect(check.code == 0 && check.output.contains("hook calm on free internet"))
  }

  @Test func `each shipped hook passes its spec under another name, too`() throws {
    let result = try Reach.shell(
      """
      for hook in $(cd \(Reach.package)/hooks; ls *.lua | grep -v _test.lua); do
        name=${hook%.lua}
        "$REACH" new "my-$name" --from "$name" > /dev/null || exit 1
      done
      "$REACH" test
      """, in: folder.path)
    #expect(result.code == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("ok 1 - my-leak-guard "))
  }

  @Test func `an installed reach copies what lies in its share, with the spec`() throws {
    try folder.write(
      "share/reach/hooks/do-it.lua", "-- do-it, not do-it-now\nreach.on{ name = 'do-it' }")
    try folder.write("share/reach/hooks/do-it_test.lua", "do-it undo-it do-it_2 'do-it'do-it")
    try folder.write("share/reach/hooks/other_test.lua", "")
    let result = try Reach.shell(
      """
      mkdir -p bin work; cp "$REACH" bin/reach; cd work
      ../bin/reach new mine --from do-it; ../bin/reach new other --from other
      """, in: folder.path)
    #expect(result.output.hasPrefix("wrote mine.lua, mine_test.lua, types/reach.lua, "))
    #expect(
      result.errors
        == "reach new: no hook \"other\" in \(folder.path)/share/reach/hooks; there are do-it\n")
    #expect(
      folder.read("work/mine.lua") == "-- mine, not do-it-now\nreach.on{ name = 'mine' }")
    #expect(folder.read("work/mine_test.lua") == "mine undo-it do-it_2 'mine'mine")
  }

  @Test func `where no hooks are shipped it is said where they were looked for`() throws {
    let result = try Reach.shell(
      """
      mkdir -p bin share/reach/hooks; cp "$REACH" bin/reach; touch share/reach/hooks/.lua
      unshare --mount bash -c 'mount -t tmpfs none /usr/share; exec bin/reach new mine --from do-it'
      """, in: folder.path)
    #expect(
      result.errors
        == "reach new: no hooks are shipped in \(folder.path)/share/reach/hooks, nor in "
        + "/usr/share/reach/hooks\n")
    #expect(result.code == 2)
  }

  @Test func `a folder that cannot be written is named`() throws {
    try folder.write("types", "a file")
    let result = try Reach.run("new", "a", in: folder.path)
    #expect(result.code == 2 && result.output == "")
    #expect(result.errors.hasPrefix("reach new: ") && result.errors.contains("types"))
    #expect(try files() == "types ")
  }
}

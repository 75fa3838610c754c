/// What reach-hooks(5) says beyond what the library declares.
extension HookManual {
  static let description = """
    A script is a file of Lua 5.4. While it is loaded it declares targets and hooks; a hook names a
    target, and handlers by what becomes true. reach(1) calls a handler with an event when that
    happens:
    """

  static let example = """
    local nas = reach.target { host = "nas.lan", tcp = 22 }

    reach.on {
      target = nas,
      stable = { reachable = "10s" },
      reachable = function(e)
        reach.log.info("%s answers via %s", e.target, e.via)
        reach.run { "systemctl", "--user", "start", "--no-block", "backup.service" }
      end,
      unreachable = function(e) reach.log.warn("%s is gone: %s", e.target, e.reason) end,
    }
    """

  static let afterExample = """
    Loading declares, handlers act: a function that is called outside of its place is an error that
    says so. While a handler waits, for a command, an answer or a time, everything else goes on. Each
    script has an interpreter of its own.

    Tables are strict both ways: an unknown key is an error when the script is loaded, and so is the
    reading of a name or a field that does not exist; the error names the nearest that does. `reach
    check` finds what is wrong before a script runs, and `reach new` writes one to start from.

    Below, `?` behind a name says that it can be left out, or be nil. What stands in brackets is its
    type.
    """

  /// By the title of their section.
  static let introductions = [
    "Events": """
    A handler is given one table. All fields are of the moment at which `stable` and what holds the
    hook let the event go.
    """,
    "Lua": """
    Of Lua's own library scripts find what neither holds up nor harms others.
    """,
    "Specs": """
    A file `NAME_test.lua` beside a script says what that is to do; `reach test` runs it under a
    clock and a network of its own. It finds these, beside what scripts find.
    """,
  ]

  static let delivery = """
    One event calls every handler of a hook that fits, in the order in which they stand above, one
    after the other in one run. Runs of one hook never overlap. A function that is given under two
    names is called once.

    A hook is told what differs from what it was told last, never the same twice. That is kept until
    the machine reboots: after a restart or a reload a hook hears of what has changed since. A run
    that a crash, a reload or a shutdown broke off is told again, with `e.retried`.

    A run that ends by an error is logged with file and line, and counts as told. A hook that fails
    five times in a row runs at most once in ten minutes until a run succeeds, its file changes or
    `reach enable` says so.

    When a script changes or the daemon stops, handlers may finish for 10 s and are cancelled then:
    the wait raises an error that no `pcall` catches, `<close>` variables run, and commands end.

    After a suspend everything is looked at anew before a timer acts, and for two seconds nothing
    is told to be worse, since WiFi needs that to come back.
    """

  static let files: [CommandManual.Row] = [
    ("NAME.lua, NAME/main.lua", "A script, called NAME. A second one of the same name is refused."),
    ("lib/", "What scripts require. A change there loads anew whatever requires it."),
    ("NAME_test.lua", "The spec of a script."),
    (
      "types/reach.lua, .luarc.json, .luacheckrc",
      "What an editor with lua-language-server, and luacheck, want to know; `reach new` writes them."
    ),
    ("/usr/share/reach/hooks", "Shipped hooks, and examples in `/usr/share/doc/reach/examples`."),
  ]

  static let seeAlso = "reach(1), lua5.4(1), systemd.exec(5), https://www.lua.org/manual/5.4/"
}

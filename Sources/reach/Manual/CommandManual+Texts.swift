/// What reach(1) says beyond what the commands declare.
extension CommandManual {
  static let description = """
    Reach watches whether hosts, networks or the internet can be reached from this machine, and runs
    hooks when that changes. It listens to the Linux kernel, so it notices a pulled cable, a vanished
    route or a fallback to mobile data within milliseconds, without polling.

    A hook is a few lines of Lua, which reach-hooks(5) describes. `reach run` is the daemon that runs
    hooks; `reach watch` and `reach explain` look at the network without any. The other commands help to
    write hooks, or speak with the daemon.
    """

  static let optionRules = """
    Options may stand before and behind operands, and an option's value behind a space or an equals
    sign: --for 10s is --for=10s. What follows -- is an operand. Results go to standard output, all
    else to standard error. With --json each line of a result is one JSON object.
    """

  static let afterTargets = """
    A target with a port or a URL is reachable when the kernel has a path to it and the probe passes;
    any other when the kernel has a path, whoever is behind it. `[2001:db8::1]:443` is a port of an
    IPv6 address; `fe80::1%eth0` an address on that interface.
    """

  static let durations = """
    A DURATION is a number with `ms`, `s`, `m` or `h`, or several of these in falling order: `250ms`,
    `10s`, `1m30s`, `2h`. All of them count through suspend.
    """

  typealias Row = (name: String, meaning: String)

  static let tables: [(title: String, rows: [Row])] = [
    ("FILES", files), ("ENVIRONMENT", environment), ("SIGNALS", signals),
  ]

  private static let files: [Row] = [
    (
      "/etc/reach/hooks, ~/.config/reach/hooks",
      """
      The hooks of root, and of any other user: `NAME.lua` or `NAME/main.lua`. Files in `lib` are for
      require; `*_test.lua` are specs. What is writable by others than you and root is not run.
      """
    ),
    (
      "/usr/share/reach/hooks",
      "Hooks to start from. They run once they are linked or copied into one of the folders above."
    ),
    ("/usr/share/doc/reach/examples", "Examples of hooks, and timelines in `timelines`."),
    (
      "/var/lib/reach, ~/.local/state/reach",
      """
      The state folder of root, and of others. Its file `state.db` holds what each hook was told last
      and what scripts keep in reach.store; `marker` names the script that executes; `lock` is held by
      the daemon.
      """
    ),
    (
      "/run/reach/control",
      """
      Where the daemon of root answers. That of others answers at `$XDG_RUNTIME_DIR/reach/control`, or
      at `control` in the state folder.
      """
    ),
    (
      "~/.config/reach/secrets",
      "What reach.secret reads, one file a secret. Nobody but you may be able to read them."
    ),
    (
      "reach.service",
      """
      The unit of systemd, for root's daemon and, with `systemctl --user`, for yours. It says why it
      restricts little: see `systemctl cat reach`.
      """
    ),
  ]

  private static let environment: [Row] = [
    ("PATH", "Where commands of hooks are looked up. A unit of systemd sets its own."),
    (
      "XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR",
      "Take the place of `~/.config` and `~/.local/state`, and say where sockets belong."
    ),
    ("HOME", "Where `~` is."),
    ("CREDENTIALS_DIRECTORY", "Where reach.secret looks first; systemd sets it."),
    (
      "DBUS_SESSION_BUS_ADDRESS, DBUS_SYSTEM_BUS_ADDRESS",
      "Where notifications are shown, and where NetworkManager and ModemManager are asked."
    ),
    (
      "NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID",
      "Set by systemd, which is told by them that the daemon is ready, reloads, stops and lives."
    ),
  ]

  private static let signals: [Row] = [
    (
      "SIGTERM, SIGINT",
      """
      Has `reach run` end. Handlers that run may finish for 10 s and are cancelled then; what they were
      told is told again at the next start. A second one ends it at once.
      """
    ),
    ("SIGHUP", "Has `reach run` load all scripts anew, as `reach reload` does."),
  ]

  static let examples: [(purpose: String, lines: String)] = [
    (
      "Take a shipped hook, change the lines at its top, see whether it is right, and run it:",
      """
      mkdir -p ~/.config/reach/hooks
      cp /usr/share/reach/hooks/log-transitions.lua ~/.config/reach/hooks/
      reach check
      reach run
      """
    ),
    (
      "Have your hooks run from now on, and see what they log:",
      """
      systemctl --user enable --now reach
      journalctl --user -u reach -f
      """
    ),
    (
      "See for half an hour when a port of a host begins or ceases to answer, by a look every 5 s:",
      "reach watch --for 30m --every 5s nas.lan:22"
    ),
    (
      "Note what happens in a day, and see what a hook would have done:",
      """
      reach record --for 24h day.txt
      reach replay day.txt pause-sync.lua
      """
    ),
    ("Why is that address not reachable?", "reach explain 192.0.2.7"),
    (
      "Have a hook run as if its target had gone, by a timeout:",
      "reach fire log-transitions/internet unreachable reason=timeout"
    ),
  ]

  static let seeAlso = """
    reach-hooks(5), ip(8), resolv.conf(5), systemd.service(5), systemd.exec(5), lua5.4(1)
    """
}

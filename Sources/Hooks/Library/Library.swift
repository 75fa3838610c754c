package import Lua
internal import Posix
internal import Reachability

extension LuaDeclarations {
  /// Everything that a script finds beside Lua's own names.
  package init(library context: ScriptContext) {
    self.init()
    functions = LibraryFunction.all.map { $0.declaration(for: context) }
    constants = LibraryValue.all.compactMap { constant in
      constant.value.map { LuaConstant(constant.field.name, $0()) }
    }
    shapes = LuaShape.all
    classes = [.target, .timer]
    describe = { object in
      guard object.classID == LuaClass.target.id else { return "timer \(object.id)" }
      return "target \(context.declarations.targets[Int(object.id)].name)"
    }
    readField = { object, key, result in
      guard object.classID == LuaClass.target.id else {
        return .raise(LuaDeclarations.unknown("timer", key, ["cancel"]))
      }
      guard context.write(field: key, ofTarget: Int(object.id), to: &result) else {
        return .raise(
          LuaDeclarations.unknown("target", key, TableForm.target.keys + ["wait"]))
      }
      return .returned
    }
    unknownKey = { owner, key, candidates in
      owner == "reach" && key == "store" && context.run == nil
        ? "reach.store is for handlers; it cannot be used while the script is loaded"
        : LuaDeclarations.unknown(owner, key, candidates, elsewhere: LuaDeclarations.elsewhere)
    }
  }

  /// Words the error for a name that does not exist: `elsewhere` says of globals what there is instead.
  static func unknown(
    _ owner: String, _ key: String, _ candidates: [String], elsewhere: [String: String] = [:]
  ) -> String {
    switch (owner, key) {
    case ("reach.log", "()"): return "reach.log is no function; write reach.log.info(…)"
    case (_, "()"): return "\(owner) is no function; it has \(candidates.sorted().listed)"
    case ("global", _):
      let hint = elsewhere[key].map { "; \($0)" } ?? Nearest.hint(for: key, among: candidates)
      return "undefined global \"\(key.printable)\"\(hint)"
    default:
      // The names of an event would fill a screen.
      let hint =
        Nearest.match(to: key, among: candidates).map { "did you mean \"\($0)\"?" }
        ?? (candidates.count > 16 ? nil : "it has \(candidates.sorted().listed)")
      return "\(owner) has no \"\(key.printable)\"\(hint.map { "; \($0)" } ?? "")"
    }
  }

  /// What hooks use in place of names that Lua has elsewhere, and of one that they expect.
  private static let elsewhere = [
    "io": "use reach.run{ … } or reach.write{ … }",
    "coroutine": "a handler is one already, and waits without it",
    "sleep": "write reach.sleep",
    "load": fileHint, "loadstring": fileHint, "loadfile": fileHint, "dofile": fileHint,
    "package": fileHint,
  ]

  private static let fileHint = "require \"lib.NAME\" runs lib/NAME.lua"
}

/// A value, not a function, that scripts find under `reach`.
struct LibraryValue: Sendable {
  let field: Field
  /// What it is; nil where the interpreter keeps it.
  let value: (@Sendable () -> LuaValue)?

  static let all = [
    LibraryValue(
      field: Field(
        "reach.internet", TableForm.target.name,
        """
        The target: is there a default route that works, of IPv4 or IPv6? It is blind behind the \
        router; for that probe: `reach.target{ internet = true, name = "line", tcp = "1.1.1.1:443" }`.
        """),
      value: { .object(LuaObject(target: 0)) }),
    LibraryValue(
      field: Field(
        "reach.local_wifi", TableForm.target.name,
        "The target: is a WiFi link up, with an address of its own?"),
      value: { .object(LuaObject(target: 1)) }),
    LibraryValue(
      field: hostName, value: { .string(Program.hostName) }),
    LibraryValue(field: store, value: nil),
  ]

  static let hostName = Field("reach.hostname", "string", "This machine's name.")

  static let store = Field(
    "reach.store", "table",
    """
    A table of the script's own, for its handlers: what they put there (numbers, strings, booleans, \
    tables of them; 64 KiB) outlives reload, restart and reboot. It is on the disk before what a \
    handler waits for begins.
    """)
}

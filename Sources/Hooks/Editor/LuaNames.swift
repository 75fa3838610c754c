/// What scripts find of Lua's own library: an allow-list, as the interpreter has it.
enum LuaNames {
  /// Globals that are no tables; `print` and `require` are Reach's own.
  static let globals = [
    "_VERSION", "assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall", "rawequal",
    "rawget", "rawlen", "rawset", "select", "setmetatable", "tonumber", "tostring", "type",
    "xpcall",
  ]

  /// Tables with all that they hold.
  static let libraries: [(name: String, names: [String])] = [
    (
      "math",
      [
        "abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod", "huge", "log",
        "max", "maxinteger", "min", "mininteger", "modf", "pi", "rad", "random", "randomseed",
        "sin", "sqrt", "tan", "tointeger", "type", "ult",
      ]
    ),
    ("os", os.map { String($0.name.dropFirst(3)) }),
    (
      "string",
      [
        "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "pack",
        "packsize", "rep", "reverse", "sub", "unpack", "upper",
      ]
    ),
    ("table", ["concat", "insert", "move", "pack", "remove", "sort", "unpack"]),
    ("utf8", ["char", "charpattern", "codepoint", "codes", "len", "offset"]),
  ]

  /// Libraries of which scripts have nothing, or so little that their editor learns it from Reach.
  static let disabledLibraries = ["coroutine", "debug", "io", "os", "package"]

  /// What is left of `os`.
  static let os = [
    Signature(
      name: "os.clock", returns: Field("seconds", "number", "With a fraction."),
      summary: "The processor time that the process has used."),
    Signature(
      name: "os.date",
      takes: [
        Field("format?", "string", "As for strftime(3); `\"*t\"` gives a table, `!` in front UTC."),
        Field("time?", "integer", "Unix seconds. Default now."),
      ],
      returns: Field("date", "any", "A string, or the table."),
      summary: "Writes a time as a date: `os.date(\"%F %T\", e.since)`."),
    Signature(
      name: "os.difftime",
      takes: [
        Field("later", "integer", "Unix seconds."), Field("earlier", "integer", "Unix seconds."),
      ], returns: Field("seconds", "number", "What lies between."),
      summary: "The seconds between two times."),
    Signature(
      name: "os.getenv", takes: [Field("name", "string", "Its name.")],
      returns: Field("value?", "string", "What it holds; nil where it is not set."),
      summary: "A variable of the environment."),
    Signature(
      name: "os.time",
      takes: [Field("date?", "table", "With year, month, day, and hour, min, sec. Default now.")],
      returns: Field("time", "integer", "Unix seconds."), summary: "A date as Unix seconds."),
  ]
}

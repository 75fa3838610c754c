/// What specs (`NAME_test.lua`) find beside what hooks do, as their authors are told of it.
enum SpecDeclarations {
  static let functions = [
    Signature(
      name: "describe",
      takes: [
        Field("subject", "string", "What it is about."),
        Field("body", "fun()", "Declares what is expected, by `it`; it may hold others."),
      ],
      summary: "Groups expectations: `describe(\"backup\", function() … end)`."),
    Signature(
      name: "it",
      takes: [
        Field("expectation", "string", "What the report says."),
        Field("body", "fun()", "Fails by an error."),
      ],
      summary: "Declares one expectation: `it(\"stops at once\", function() … end)`."),
    Signature(
      name: "before_each", takes: [Field("body", "fun()", "Is called.")],
      summary: "Has a function called before each `it` of its group."),
    Signature(
      name: "after_each", takes: [Field("body", "fun()", "Is called.")],
      summary: "Has a function called after each `it` of its group, whether that passed or not."),
    Signature(
      name: "reach.test", takes: [Field("name", "string", "The script beside the spec, by name.")],
      returns: Field("test", test.name, "What leads it and tells what it did."),
      summary: """
        Loads a script under a clock and a network of the spec's own: `reach.test("backup")`.

        Commands, requests, notifications and files are noted instead of done. For specs alone.
        """),

    Signature(
      name: "test:set",
      takes: [Field("standings", "table<string, \(standing.name)>", "By the target's name.")],
      summary: "Says how targets are from now on: `t:set{ nas = { status = \"unreachable\" } }`."),
    Signature(
      name: "test:advance", takes: [Field("duration", "reach.Duration", "By how much.")],
      summary: "Moves the clock on, and runs what is due until then: `t:advance(\"10s\")`."),
    Signature(
      name: "test:suspend", takes: [Field("duration", "reach.Duration", "For how long.")],
      summary: "Lets the machine sleep, and wake."),
    Signature(
      name: "test:answer",
      takes: [
        Field("text", "string", "What the command, or the request's URL, holds."),
        Field("result", "table", "What the script is given: `{ code = 1 }`, `{ status = 503 }`."),
      ],
      summary: "Says how a command ends, or what a server answers, from now on."),
    Signature(
      name: "test:ran", takes: [Field("text", "string", "What it holds.")],
      returns: Field(
        "what?", "string[]|string", "The command's arguments or the request's URL; nil if none."),
      summary: "The last command or request that holds a text: `assert(t:ran(\"rsync\"))`."),
    Signature(
      name: "test:commands", returns: Field("commands", "string[][]", "The arguments of each."),
      summary: "The commands that were run, in order."),
    Signature(
      name: "test:requests",
      returns: Field("requests", "\(TableForm.httpOptions.name)[]", "As they were given."),
      summary: "The requests that were sent, in order."),
    Signature(
      name: "test:notifications",
      returns: Field("notifications", "\(TableForm.notifyOptions.name)[]", "As they were given."),
      summary: "The notifications that were shown, in order."),
    Signature(
      name: "test:written",
      returns: Field("files", "\(TableForm.writeOptions.name)[]", "As they were given."),
      summary: "What was written to files, in order."),
    Signature(
      name: "test:log", returns: Field("lines", "string[]", "Each as `level text`."),
      summary: "The lines that the script logged, in order."),
    Signature(
      name: "test:restart", summary: "Ends Reach and starts it again; what it keeps is kept."),
    Signature(name: "test:reboot", summary: "Boots the machine again."),
    Signature(name: "test:reload", summary: "Loads the script anew, as after a change."),

    Signature(
      name: "assert",
      takes: [
        Field("value?", "any", "What must be neither false nor nil."),
        Field("message?", "any", "What the report says otherwise."),
      ], returns: Field("value", "any", "The value."),
      summary: "Fails the expectation unless a value is true: `assert(t:ran(\"rsync\"))`."),
    comparison("equal", "Two values are the same value: `assert.equal(2, #t:commands())`."),
    comparison("same", "Two values look the same, tables by what they hold."),
    check("is_true", "A value is `true`."),
    check("is_false", "A value is `false`."),
    check("is_nil", "A value is nil."),
    Signature(
      name: "assert.has_error",
      takes: [
        Field("body", "fun()", "Is called."),
        Field("pattern?", "string", "What the error's message matches."), message,
      ], summary: "A function ends with an error."),
    Signature(
      name: "assert.matches",
      takes: [
        Field("pattern", "string", "A pattern of Lua."), Field("text", "string", "The text."),
        message,
      ], summary: "A text matches a pattern: `assert.matches(\"^warn\", t:log()[1])`."),
  ]

  /// What `reach.test` returns; its functions are those named `test:…`.
  static let test = TableForm(
    "reach.Test", "A script that a spec leads.",
    [Field("store", "table", "The script's `reach.store`.")])

  static let standing = TableForm(
    "reach.TestStanding", "How a target is, in a spec.",
    [Field("status", WordList.status.name, "What it is.")]
      + TableForm.event.fields.filter { given.contains($0.name) }.map {
        Field("\($0.name)?", $0.type, $0.summary)
      })

  /// What of an event a spec says itself.
  private static let given = [
    "via", "vpn", "metered", "interface", "address", "source", "gateway", "gateway_mac", "ssid",
    "reason", "cause", "latency", "url",
  ]

  private static let message = Field("message?", "string", "What the report says otherwise.")

  private static func comparison(_ name: String, _ summary: String) -> Signature {
    Signature(
      name: "assert.\(name)",
      takes: [
        Field("expected", "any", "What it must be."), Field("actual", "any", "What it is."),
        message,
      ], summary: summary)
  }

  private static func check(_ name: String, _ summary: String) -> Signature {
    Signature(
      name: "assert.\(name)", takes: [Field("value", "any", "What it is."), message],
      summary: summary)
  }
}

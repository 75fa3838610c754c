/// What specs (`NAME_test.lua`) find, as their authors are told of it; `print`, `require`, `reach.log`
/// and `reach.json` are as in hooks.
enum SpecDeclarations {
  /// The functions; those named `rehearsal:…` belong to what `reach.test` returns.
  static let functions: [Signature] = blocks + [begin] + rehearsalFunctions + assertions

  /// The tables that specs give and get.
  static let forms = [
    rehearsalOptions, standing, answer, sentRequest, shownNotification, writtenFile,
  ]

  // MARK: Tests

  private static let blocks = [
    Signature(
      name: "describe",
      takes: [
        Field("name", "string", "What the tests are about."),
        Field("body", "fun()", "Declares them by `it`, and blocks within this one."),
      ],
      summary: "Declares a block of tests: `describe(\"backup\", function() … end)`."),
    Signature(
      name: "it",
      takes: [
        Field("name", "string", "What must be so."), Field("body", "fun()", "Fails by an error."),
      ],
      summary: "Declares a test: `it(\"stops at once\", function() … end)`."),
    Signature(
      name: "before_each", takes: [Field("body", "fun()", "Is called.")],
      summary: "Has a function called before each test of the block."),
    Signature(
      name: "after_each", takes: [Field("body", "fun()", "Is called.")],
      summary: "Has a function called after each test of the block, whether that passed or not."),
  ]

  // MARK: Rehearsals

  private static let begin = Signature(
    name: "reach.test",
    takes: [
      Field("name", "string", "The script beside the spec, or a path from there."),
      Field("options?", "reach.RehearsalOptions", "When it is, and what the script has kept."),
    ],
    returns: Field("t", "reach.Rehearsal", "What leads it, and tells what the script did."),
    summary: """
      Begins to rehearse a hook: `local t = reach.test("backup")`.

      Clock and network are the test's own; commands, requests, notifications and files are noted and
      not done. For specs alone.
      """)

  static let rehearsalOptions = TableForm(
    "reach.RehearsalOptions", "How a rehearsal begins.",
    [
      Field("at?", "string", "The time, in UTC. Default `\"2026-01-05T12:00:00\"`."),
      Field("store?", "table", "What the script has kept in `reach.store`."),
    ])

  static let rehearsal = TableForm(
    "reach.Rehearsal", "A hook under a clock and a network of a test's own.",
    [Field("store", "table", "A copy of the script's `reach.store`.")])

  private static let rehearsalFunctions = [
    Signature(
      name: "rehearsal:set",
      takes: [
        Field(
          "targets", "table<string, reach.Status|reach.TestTarget>", "By the targets' names.")
      ],
      summary: """
        Says how targets are from now on: `t:set{ nas = { status = "unreachable" } }`.

        What is not said follows from the status; without a status it stays as it is. Combined targets
        follow from their members.
        """),
    Signature(
      name: "rehearsal:advance", takes: [Field("duration", "reach.Duration", "How long.")],
      summary: "Lets time pass: `t:advance(\"10s\")`."),
    Signature(
      name: "rehearsal:suspend", takes: [Field("duration", "reach.Duration", "How long.")],
      summary: "Has the machine sleep and wake up: `t:suspend(\"1h\")`."),
    Signature(
      name: "rehearsal:restart",
      summary: "Stops Reach and starts it again; the network stays as it is."),
    Signature(
      name: "rehearsal:reboot",
      summary: "Reboots the machine; nothing is known of the network then."),
    Signature(
      name: "rehearsal:reload", summary: "Loads the script anew, as a changed file has it."),
    Signature(
      name: "rehearsal:answer",
      takes: [
        Field("text", "string", "What the command line, URL, path or title holds."),
        Field("result", "reach.TestAnswer", "How it ends."),
      ],
      summary: """
        Says how a command, request, notification or file ends from now on:
        `t:answer("rsync", { code = 1 })`.
        """),
    Signature(
      name: "rehearsal:ran", takes: [Field("text", "string", "A part of it.")],
      returns: Field(
        "what?", "string[]|string", "The command's words, or the URL; nil where there is none."),
      summary: "The last command or URL that holds a text: `assert(t:ran(\"rsync\"))`."),
    Signature(
      name: "rehearsal:commands", returns: Field("commands", "string[][]", "The words of each."),
      summary: "The commands that were run, in order."),
    Signature(
      name: "rehearsal:requests", returns: Field("requests", "reach.SentRequest[]", "Each."),
      summary: "The requests that were sent, in order."),
    Signature(
      name: "rehearsal:notifications",
      returns: Field("notifications", "reach.ShownNotification[]", "Each."),
      summary: "The notifications that were shown, in order."),
    Signature(
      name: "rehearsal:written", returns: Field("files", "reach.WrittenFile[]", "Each."),
      summary: "What was written to files, in order."),
    Signature(
      name: "rehearsal:log",
      returns: Field("lines", "string[]", "Each as in `warn backup/nas: no answer`."),
      summary: "The lines of the log, in order."),
    Signature(
      name: "rehearsal:failures", returns: Field("failures", "string[]", "Each with its hook."),
      summary: "The runs that have failed; a test that does not ask for them fails for them."),
  ]

  static let standing = TableForm(
    "reach.TestTarget", "What a test says of a target.",
    [Field("status?", WordList.status.name, "What it is now.")]
      + VerdictFields.keys.compactMap { key in
        switch key {
        case "latency": Field("latency?", "reach.Duration", "The probe's round trip.")
        case "flags": Field("flags?", "integer", "The path's flags, as `e.flags.raw` has them.")
        default:
          TableForm.event.fields.first { $0.name == key }
            .map { Field("\(key)?", $0.type, $0.summary) }
        }
      })

  static let answer = TableForm(
    "reach.TestAnswer", "How what a script does ends in a test; by default well, and at once.",
    [
      Field("ok?", "boolean", "`false`: it fails."),
      Field("after?", "reach.Duration", "How long it takes."),
      Field("error?", "string", "Why it cannot be done."),
    ]
      + (TableForm.runResult.fields + TableForm.httpResult.fields)
      .filter { $0.name != "ok" && $0.name != "error" }
      .map { Field("\($0.name)?", $0.type, $0.summary) })

  private static let sentRequest = TableForm(
    "reach.SentRequest", "A request that a script sent in a test.",
    [
      Field("method", "string", "In capitals."),
      Field("url", "string", "Where to."),
      Field("body", "string", "What was sent; empty where nothing was."),
      Field("headers", "table<string, string>", "With names in lower case."),
    ])

  private static let shownNotification = TableForm(
    "reach.ShownNotification", "A notification that a script showed in a test.",
    [
      Field("title", "string", "What it is headed."),
      Field("body", "string", "What it says beneath."),
      Field("urgency", WordList.urgency.name, "How it is shown."),
      Field("replace?", "string|boolean", "In which place, as `reach.notify` was told."),
    ])

  private static let writtenFile = TableForm(
    "reach.WrittenFile", "What a script wrote to a file in a test.",
    [
      Field("path", "string", "The file."),
      Field("text", "string", "What was written."),
      Field("append", "boolean", "Whether it was added at the end."),
    ])

  // MARK: Assertions

  private static let assertions =
    [
      Signature(
        name: "assert",
        takes: [
          Field("value?", "any", "What must be neither false nor nil."),
          Field("message?", "any", "What the report says otherwise."),
        ], returns: Field("value", "any", "The value."),
        summary: "The test fails unless a value is true: `assert(t:ran(\"rsync\"))`."),
      comparison("equal", "Both are the same value: `assert.equal(2, #t:commands())`."),
      comparison("same", "Both look the same, tables by what is in them."),
      check("is_true", "The value is `true`."),
      check("is_false", "The value is `false`."),
      check("is_nil", "The value is nil."),
      Signature(
        name: "assert.has_error",
        takes: [
          Field("body", "fun()", "Is called."),
          Field("expected?", "any", "The error, or a part of its text."),
        ], returns: Field("error", "any", "The error."),
        summary: "The function ends with an error."),
      Signature(
        name: "assert.matches",
        takes: [
          Field("pattern", "string", "As for `string.find`."),
          Field("actual", "string", "The text."), message,
        ], returns: Field("actual", "string", "The text."),
        summary: "The text matches a pattern: `assert.matches(\"^warn\", t:log()[1])`."),
    ]

  private static let message = Field("message?", "string", "What the report says otherwise.")

  private static func comparison(_ name: String, _ summary: String) -> Signature {
    Signature(
      name: "assert.\(name)",
      takes: [
        Field("expected", "any", "What it must be."), Field("actual", "any", "What it is."),
        message,
      ], returns: Field("actual", "any", "What it is."), summary: summary)
  }

  private static func check(_ name: String, _ summary: String) -> Signature {
    Signature(
      name: "assert.\(name)", takes: [Field("value", "any", "What it is."), message],
      returns: Field("value", "any", "What it is."), summary: summary)
  }
}

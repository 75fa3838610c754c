internal import Lua
internal import Posix

extension LibraryFunction {
  static let run = LibraryFunction(
    name: "reach.run", place: .handlers, waits: true,
    takes: [Field("options", "reach.RunOptions", "The command and its arguments.")],
    returns: Field("result", "reach.RunResult", "How it ended."),
    summary: """
      Runs a command, without a shell, and waits for its end:
      `reach.run{ "systemctl", "stop", "backup.service" }`.

      A failure is logged with the last line of the error stream, and is an error with `check = true`
      alone. A script has eight commands at a time; a ninth waits.
      """
  ) { context, call, _ throws(OptionError) in
    context.effect = try CommandEffect(
      arguments: call.arguments, folder: context.source.folder, left: context.timeLeft)
    return .wait
  }
}

/// A command that a run waits for.
struct CommandEffect: Sendable {
  var configuration: Subprocess.Configuration
  /// Whether a failure is an error in the script.
  var isChecked: Bool

  /// - Parameters:
  ///   - arguments: what `reach.run` was called with.
  ///   - folder: the script's, where relative paths start.
  ///   - left: what is left until the run's deadline.
  /// - Throws: which argument or key cannot be used, and why.
  init(arguments: [LuaValue], folder: String, left: Duration) throws(OptionError) {
    let options = try OptionTable(
      arguments, for: "reach.run", as: .runOptions)
    var argv: [[UInt8]] = []
    for (index, item) in options.items.enumerated() {
      guard let bytes = item.stringBytes else {
        throw OptionError(
          "reach.run: argument \(index + 1) must be a string, not \(item.described)")
      }
      guard !bytes.contains(0) else {
        throw OptionError("reach.run: argument \(index + 1) has a NUL byte")
      }
      argv.append(bytes)
    }
    guard let program = argv.first, !program.isEmpty else {
      throw OptionError("reach.run: no command given, as in reach.run{ \"true\" }")
    }
    // A relative path starts at the script's folder; a bare name is looked up in PATH.
    if program.contains(UInt8(ascii: "/")), program.first != UInt8(ascii: "/") {
      argv[0] = Array("\(folder)/".utf8) + program
    }
    configuration = Subprocess.Configuration(arguments: argv)
    configuration.input = try options.bytes("stdin")
    configuration.directory = try CommandEffect.directory(options, folder)
    configuration.environment = try CommandEffect.environment(options)
    configuration.timeout = try options.timeout(within: left)
    isChecked = try options.boolean("check") ?? false
  }

  private static func directory(
    _ options: OptionTable, _ folder: String
  ) throws(OptionError) -> String {
    guard let directory = try options.string("cwd") else { return folder }
    return directory.hasPrefix("/") ? directory : "\(folder)/\(directory)"
  }

  private static func environment(_ options: OptionTable) throws(OptionError) -> [String] {
    let own = ["NOTIFY_SOCKET=", "WATCHDOG_", "LISTEN_"]
    let added = try options.strings("env") ?? []
    for (name, value) in added where name.isEmpty || name.contains("=") || "\(name)\(value)".hasNUL
    {
      throw OptionError("reach.run: \"\(name)\" cannot be set in an environment")
    }
    let kept = Program.environment.filter { entry in
      !own.contains(where: entry.hasPrefix)
        && !added.contains { entry.hasPrefix("\($0.key)=") }
    }
    return kept + added.map { "\($0.key)=\($0.value)" }
  }

  /// What is wrong, in a line: the command, and how it ended.
  func complaint(about result: Subprocess.Result) -> String? {
    guard result.code != 0 else { return nil }
    let command = configuration.arguments
      .map { String(decoding: $0, as: UTF8.self).printable }.joined(separator: " ")
    let end =
      if result.timedOut {
        "ran out of time after \(configuration.timeout.text)"
      } else if let code = result.code {
        "exit code \(code)"
      } else if let signal = result.signal {
        "ended by signal \(signal)"
      } else {
        "could not be ended"
      }
    let lastLine = String(decoding: result.errors, as: UTF8.self)
      .split(separator: "\n").last.map { ": \(String($0).printable)" }
    return "\(command): \(end)\(lastLine ?? "")"
  }
}

extension CommandEffect {
  /// Why it could not be started: that there is no such program, or what the kernel says.
  fileprivate func refusal(_ error: SystemError) -> String {
    let program = String(decoding: configuration.arguments.first ?? [], as: UTF8.self)
    let path = Program.environment("PATH") ?? "/bin:/usr/bin"
    let places = program.contains("/") ? [""] : path.split(separator: ":").map { "\($0)/" }
    // The folder that it was to run in may be what is missing, or the interpreter of a script.
    guard error.isAbsence, configuration.directory.map({ FileKind(of: $0) }) != .missing,
      places.allSatisfy({ FileKind(of: "\($0)\(program)") == .missing })
    else { return "\(error)" }
    let hint =
      if program.contains(" "), configuration.arguments.count == 1 {
        // Without its words: those of a secret would not be hidden.
        "; each word is an item of its own, as in reach.run{ \"ls\", \"-l\" }"
      } else {
        program.contains("/") ? "" : " in PATH"
      }
    return "there is no program \"\(program)\"\(hint)"
  }
}

extension CommandEffect: Effect {
  func begin(_ wait: Wait) { wait.script.children.take { start(wait) } }

  private func start(_ wait: Wait) -> Bool {
    guard wait.isOpen else { return false }
    do {
      let command = try Subprocess(configuration, on: wait.loop) { result in
        answer(wait, result, complaint: complaint(about: result))
        wait.children(-1)
        wait.script.children.release()
      }
      wait.children(1)
      wait.ending = { command.terminate() }
      return true
    } catch {
      let refusal = refusal(error)
      answer(wait, Subprocess.Result(), complaint: refusal, error: refusal)
      return false
    }
  }

  func rehearse(_ wait: Wait, on stage: Stage) {
    wait.script.children.take {
      guard wait.isOpen else { return false }
      var staged = stage.perform(.command(self), for: wait)
      if let error = staged.error {
        answer(wait, Subprocess.Result(), complaint: error, error: error)
        return false
      }
      staged.timesOut = staged.timesOut || staged.after > configuration.timeout
      let result = staged.commandResult
      wait.children(1)
      let release = {
        wait.children(-1)
        wait.script.children.release()
      }
      wait.rehearse(for: staged.timesOut ? configuration.timeout : staged.after, ending: release) {
        answer(wait, result, complaint: complaint(about: result))
        release()
      }
      return true
    }
  }

  private func answer(
    _ wait: Wait, _ result: Subprocess.Result, complaint: String?, error: String? = nil
  ) {
    if isChecked, let complaint { return wait.raises(complaint) }
    if let complaint, wait.isOpen { wait.log.write(.warn, complaint, from: wait.origin) }
    wait.returns { $0.result(result, error: error) }
  }
}

extension String {
  fileprivate var hasNUL: Bool { utf8.contains(0) }
}

extension LuaShape {
  static let runResult = LuaShape(id: 3, name: "result", keys: TableForm.runResult.keys)
}

extension TableForm {
  static let runOptions = TableForm(
    "reach.RunOptions",
    """
    What `reach.run` takes: the command and its arguments, and how it is run. A relative path of a \
    command starts at the script's folder; a bare name is looked up in `PATH`.
    """,
    items: "string|number",
    instead: ["cmd", "command", "argv", "args", "program"].reduce(into: [:]) {
      $0[$1] = "the words of the command come first, as in reach.run{ \"ls\", \"-l\" }"
    },
    [
      Field(
        "timeout?", "reach.Duration",
        "When it is ended. Default 30 s, or what is left until the hook's deadline."),
      Field("check?", "boolean", "Whether a failure is an error in the script. Default false."),
      Field("stdin?", "string", "What it reads. Default nothing."),
      Field("cwd?", "string", "Its working folder. Default the script's."),
      Field("env?", "table<string, string>", "Variables that are added to its environment."),
    ])

  static let runResult = TableForm(
    "reach.RunResult", "How a command ended.",
    [
      Field("ok", "boolean", "Whether it ran and exited with 0."),
      Field("code?", "integer", "Its exit code; nil where a signal ended it."),
      Field("signal?", "integer", "The signal that ended it."),
      Field("stdout", "string", "What it wrote, up to 64 KiB."),
      Field("stderr", "string", "What it wrote to its error stream, up to 64 KiB."),
      Field("timed_out", "boolean", "Whether it was ended because its time was over."),
      Field("truncated", "boolean", "Whether it wrote more than is kept."),
      Field("error?", "string", "Why it could not be started."),
    ])
}

extension LuaWriter {
  /// What `reach.run` returns: how a command ended, or why it could not be started.
  mutating func result(_ result: Subprocess.Result, error: String? = nil) {
    record(.runResult) { record in
      record.boolean(error == nil && result.code == 0)
      record.integer(result.code.map(Int64.init))
      record.integer(result.signal.map(Int64.init))
      record.bytes(result.output)
      record.bytes(result.errors)
      record.boolean(result.timedOut)
      record.boolean(result.isTruncated)
      record.string(error)
    }
  }
}

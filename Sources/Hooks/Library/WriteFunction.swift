internal import Lua
internal import Posix

extension LibraryFunction {
  static let write = LibraryFunction(
    name: "reach.write", place: .handlers, waits: true,
    takes: [Field("options", "reach.WriteOptions", "Which file, and what it is to hold.")],
    returns: .report,
    summary: """
      Writes a file: `reach.write{ path = "state.json", text = "…" }`.

      A file is replaced at one moment; with `append` the text is added at its end. A device, and a
      file in `/sys` or `/proc`, is written in place. What fails is logged, too.
      """
  ) { context, call, _ throws(OptionError) in
    context.effect = try WriteEffect(arguments: call.arguments, folder: context.source.folder)
    return .wait
  }
}

/// A file that a run waits for to be written.
struct WriteEffect: Effect {
  let path: String
  let text: [UInt8]
  let appends: Bool

  /// - Parameters:
  ///   - arguments: what `reach.write` was called with.
  ///   - folder: the script's, where relative paths start.
  /// - Throws: which key cannot be used, and why.
  init(arguments: [LuaValue], folder: String) throws(OptionError) {
    let options = try OptionTable(
      arguments, for: "reach.write", as: .writeOptions)
    guard let path = try options.string("path"), !path.isEmpty else {
      throw options.error("\"path\" is missing, as in path = \"state.json\"")
    }
    guard !path.utf8.contains(0) else { throw options.error("\"path\" has a NUL byte") }
    guard let text = try options.bytes("text") else { throw options.error("\"text\" is missing") }
    self.path = path.hasPrefix("/") ? path : "\(folder)/\(path)"
    self.text = text
    appends = try options.boolean("append") ?? false
  }

  func begin(_ wait: Wait) {
    wait.equipment.files.submit {
      var failure: String?
      do throws(SystemError) {
        try FileDescriptor.write(text, toFile: path, appending: appends)
      } catch {
        failure = "\(error)"
      }
      wait.loop.post { [failure] in wait.reports(failure) }
    }
  }

  func rehearse(_ wait: Wait, on stage: Stage) {
    let staged = stage.perform(.file(self), for: wait)
    wait.rehearse(for: staged.after) { wait.reports(staged.failure) }
  }
}

extension Wait {
  /// The call returns `{ ok, error }`; what is wrong is logged too.
  func reports(_ failure: String?) {
    if let failure, isOpen { log.write(.warn, failure.printable, from: origin) }
    returns { results in
      results.record(.report) { record in
        record.boolean(failure == nil)
        record.string(failure)
      }
    }
  }
}

extension LuaShape {
  static let report = LuaShape(id: 4, name: "result", keys: TableForm.report.keys)
}

extension TableForm {
  static let writeOptions = TableForm(
    "reach.WriteOptions", "What `reach.write` takes.",
    [
      Field("path", "string", "The file; a relative path starts at the script's folder."),
      Field("text", "string", "What it is to hold, or what is added."),
      Field("append?", "boolean", "Whether the text is added at the file's end. Default false."),
    ])

  static let report = TableForm(
    "reach.Report", "Whether something was done.",
    [
      Field("ok", "boolean", "Whether it was done."),
      Field("error?", "string", "Why it was not."),
    ])
}

extension Field {
  /// What functions return that can only succeed or fail.
  static let report = Field("result", TableForm.report.name, "Whether it was done.")
}

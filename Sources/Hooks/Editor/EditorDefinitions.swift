internal import Posix

/// What language servers for Lua are told of all that scripts find: names, types and what they mean.
///
/// It is written in the annotations of lua-language-server, https://luals.github.io/wiki/annotations.
struct EditorDefinitions {
  /// The whole file, made of what the library declares.
  static let text: String = {
    var definitions = EditorDefinitions()
    definitions.addTypes()
    definitions.addLibrary()
    definitions.addSpecs()
    return definitions.text
  }()

  /// Types that stand for others.
  static let aliases = [
    Field(
      "reach.Duration", "number|string",
      "Seconds, or a text such as `\"250ms\"`, `\"10s\"`, `\"1m30s\"` or `\"2h\"`."),
    Field(
      "reach.Handler", "fun(e: \(TableForm.event.name))",
      "Is called with an event. While it waits, as in `reach.run`, everybody else goes on."),
  ]

  /// The tables that scripts give and get, less those that have functions of their own.
  static let forms: [TableForm] = [
    .targetOptions, .networkOptions, .members, .hookOptions, .durations, .event, .changes, .flags,
    .runOptions, .runResult, .httpOptions, .httpResult, .notifyOptions, .writeOptions, .report,
  ]

  private var text = """
    ---@meta _

    -- What Reach \(Program.version) gives to hooks and to their specs (NAME_test.lua).
    -- \(EditorFile.mark)
    -- luacheck: ignore

    """

  // MARK: What there is

  private mutating func addTypes() {
    for alias in EditorDefinitions.aliases {
      begin(alias.summary)
      add("---@alias \(alias.name) \(alias.type)")
    }
    for list in WordList.all {
      begin(list.summary)
      add("---@alias \(list.name)")
      for (word, meaning) in list.words { add("---| \"\(word)\" # \(meaning)") }
    }
    for form in EditorDefinitions.forms + SpecDeclarations.forms { add(form) }
  }

  private mutating func addLibrary() {
    let functions = LibraryFunction.all.map { ($0.signature, $0.note) }
    add(.target, named: "target", with: functions)
    add(.timer, named: "timer", with: functions)
    add(
      TableForm(
        "reach", "What hooks find beside Lua's own names.", LibraryValue.all.map(\.fieldOfReach)))
    add("reach = {}")
    for namespace in LibraryFunction.namespaces { add("\n\(namespace) = {}") }
    for (signature, note) in functions where !signature.isMethod { add(signature, note) }
    begin("What hooks find of Lua's `os`.")
    add("---@class oslib\nos = {}")
    for signature in LuaNames.os { add(signature) }
  }

  private mutating func addSpecs() {
    let functions = SpecDeclarations.functions
    add(SpecDeclarations.rehearsal, named: "rehearsal", with: functions.map { ($0, nil) })
    for signature in functions where !signature.isMethod {
      if functions.contains(where: { $0.name.hasPrefix(signature.name + ".") }) {
        addTable(calledAs: signature)
      } else {
        add(signature)
      }
    }
  }

  // MARK: How it is written

  private mutating func add(_ form: TableForm) {
    begin(form.summary)
    add("---@class \(form.name)")
    if let items = form.items { add("---@field [integer] \(items)") }
    for field in form.fields {
      comment(field.summary)
      add("---@field \(field.name)\(field.isOptional ? "?" : "") \(field.type)")
    }
  }

  /// A table with functions that are called by a colon; `name` is what these begin with.
  private mutating func add(
    _ form: TableForm, named name: String, with functions: [(Signature, String?)]
  ) {
    add(form)
    add("local \(name) = {}")
    for (signature, note) in functions where signature.name.hasPrefix(name + ":") {
      add(signature, note)
    }
  }

  private mutating func add(_ signature: Signature, _ note: String? = nil) {
    begin(signature.summary)
    if let note { add("---\n---\(note)") }
    for field in signature.takes {
      add("---@param \(field.name)\(field.isOptional ? "?" : "") \(field.type) \(field.summary)")
    }
    if let field = signature.returns {
      add("---@return \(field.typeOrNil) \(field.name) \(field.summary)")
    }
    let names = signature.takes.map(\.name).joined(separator: ", ")
    add("function \(signature.name)(\(names)) end")
  }

  /// A table of functions that can be called itself.
  private mutating func addTable(calledAs signature: Signature) {
    begin(signature.summary)
    let takes = signature.takes.map { "\($0.name)\($0.isOptional ? "?" : ""): \($0.type)" }
    add("---@class reach.\(signature.name)")
    add(
      "---@overload fun(\(takes.joined(separator: ", ")))"
        + (signature.returns.map { ": \($0.type)" } ?? ""))
    add("\(signature.name) = {}")
  }

  private mutating func begin(_ summary: String) {
    add("")
    comment(summary)
  }

  /// Paragraphs, wrapped; code in them stays on one line.
  private mutating func comment(_ summary: String) {
    for (number, paragraph) in summary.split(separator: "\n\n").enumerated() {
      if number > 0 { add("---") }
      var line = "---"
      for word in paragraph.wordsAndCode {
        if line.count + word.count > 98 {
          add(line)
          line = "---"
        }
        line += (line == "---" ? "" : " ") + word
      }
      add(line)
    }
  }

  private mutating func add(_ line: String) { text += line + "\n" }
}

extension Field {
  /// The type, with nil where it may be that.
  fileprivate var typeOrNil: String {
    guard isOptional else { return type }
    return type.contains("|") ? "(\(type))?" : "\(type)?"
  }
}

extension Substring {
  /// What stands between spaces and ends of lines; what stands in backticks is one word.
  fileprivate var wordsAndCode: [Substring] {
    var isCode = false
    return split { character in
      if character == "`" { isCode.toggle() }
      return !isCode && (character == " " || character == "\n")
    }
  }
}

extension Signature {
  /// Whether it is called by a colon.
  var isMethod: Bool { name.contains(":") }
}

extension LibraryFunction {
  /// The tables in `reach` that hold functions: `reach.log`.
  static var namespaces: [String] {
    Set(all.map { $0.name.split(separator: ".").dropLast().joined(separator: ".") })
      .filter { $0.contains(".") }.sorted()
  }

  /// Where it may be called, in words.
  var note: String? {
    switch place {
    case .load: "It declares: call it while the script is loaded."
    case .handlers: "It acts: call it in handlers\(waits ? ", which wait for it" : "")."
    case .anywhere: nil
    }
  }
}

extension LibraryValue {
  /// The same, without `reach.` in front.
  fileprivate var fieldOfReach: Field {
    Field(String(field.name.dropFirst("reach.".count)), field.type, field.summary)
  }
}

internal import Lua
internal import Posix

/// All that scripts find, as a manual tells of it; made of what the library declares.
package struct HookReference: Sendable {
  /// A name that scripts find, with what it means.
  package struct Entry: Sendable {
    /// As scripts write it: `reach.run(options)`, `timeout?`.
    package let name: String
    /// What it is; empty for functions.
    package let type: String
    /// Paragraphs, with code between backticks.
    package let text: String
    /// What belongs to it: parameters, a result, the keys of a table.
    package var parts: [Entry] = []
  }

  /// Entries on one subject.
  package struct Section: Sendable {
    package let title: String
    package let entries: [Entry]
  }

  /// Everything, each name once.
  package static let sections: [Section] = {
    var reference = HookReference()
    return reference.makeSections()
  }()

  /// What a script may use, and what becomes of one that uses more.
  package static let limits = """
    A script has at most \(ScriptContext.mostTargets) targets, \(ScriptContext.mostHooks) hooks,
    \(ScriptContext.mostTimers) timers and \(LuaLimits().softMemory >> 20) MiB of memory; no function
    makes a string of more than \(LuaLimits().stringLength >> 20) MiB. It may log
    \(LogAllowance.most) lines a second; of more only their number is logged.

    A script that runs for more than \(LuaLimits().processorTime.text) of processor time at once is
    ended, wherever it is, and loaded again \(HookHost.rest.text) later. After \(KillRecord.most) such
    ends within \(KillRecord.window.text) it is quarantined until its file changes or `reach enable`
    says so. One that has used \(ProcessorAllowance.most.text) within
    \(ProcessorAllowance.window.text) sits out the rest of them. A script inside of which the daemon
    ends twice in a row is quarantined at the next start.
    """

  /// The forms of tables that have been told of.
  private var explained: Set<String> = []

  private mutating func makeSections() -> [Section] {
    let (targets, others) = LibraryFunction.all.divided { $0.signature.isAboutTargets }
    let (hooks, functions) = others.divided { $0.signature.name == LibraryFunction.on.name }
    let (ready, values) = LibraryValue.all.divided { $0.field.type == TableForm.target.name }
    var sections = [
      Section(title: "Hooks", entries: hooks.map { entry($0) }),
      Section(
        title: "Targets",
        entries: ready.map { HookReference.entry($0.field) } + targets.map { entry($0) }
          + [entry(TableForm.target)]),
      Section(title: "Events", entries: [.event, .changes, .flags].map { entry($0) }),
      Section(
        title: "Functions and values",
        entries: functions.map { entry($0) } + values.map { HookReference.entry($0.field) }),
    ]
    // Beside what needs them, specs tell of their own tables; then what is left can be told of.
    let specs = SpecDeclarations.functions.map { entry($0) }
    let specTables = ([SpecDeclarations.rehearsal] + SpecDeclarations.forms).compactMap {
      explained.contains($0.name) ? nil : entry($0)
    }
    let forms = EditorDefinitions.forms.filter { !explained.contains($0.name) }
    sections.append(
      Section(
        title: "Types",
        entries: EditorDefinitions.aliases.map {
          Entry(
            name: HookReference.shortened($0.name), type: HookReference.shortened($0.type),
            text: $0.summary)
        }
          + WordList.all.map { HookReference.entry($0) } + forms.map { entry($0) }))
    sections.append(Section(title: "Lua", entries: HookReference.lua))
    sections.append(Section(title: "Specs", entries: specs + specTables))
    return sections
  }

  // MARK: Entries

  private mutating func entry(_ function: LibraryFunction) -> Entry {
    entry(function.signature, function.note)
  }

  private mutating func entry(_ signature: Signature, _ note: String? = nil) -> Entry {
    let names = signature.takes.map { $0.isOptional ? "\($0.name)?" : $0.name }
    return Entry(
      name: "\(signature.name)(\(names.joined(separator: ", ")))", type: "",
      text: signature.summary + (note.map { "\n\n\($0)" } ?? ""),
      parts: signature.takes.map { part($0, named: $0.name) }
        + (signature.returns.map { [part($0, named: "returns \($0.name)")] } ?? []))
  }

  /// A parameter or a result, with the keys of its table where these have not been told of.
  private mutating func part(_ field: Field, named name: String) -> Entry {
    let forms = EditorDefinitions.forms + SpecDeclarations.forms
    let form = forms.first { $0.name == field.type }
    let keys = form.flatMap { explained.contains($0.name) ? nil : entry($0).parts }
    return Entry(
      name: field.isOptional ? "\(name)?" : name, type: HookReference.shortened(field.type),
      text: field.summary, parts: keys ?? [])
  }

  private mutating func entry(_ form: TableForm) -> Entry {
    explained.insert(form.name)
    let items = form.items.map {
      Entry(name: "1, 2 …", type: HookReference.shortened($0), text: "One after the other.")
    }
    return Entry(
      name: HookReference.shortened(form.name), type: "", text: form.summary,
      parts: (items.map { [$0] } ?? []) + form.fields.map(HookReference.entry))
  }

  private static func entry(_ field: Field) -> Entry {
    Entry(
      name: field.isOptional ? "\(field.name)?" : field.name, type: shortened(field.type),
      text: field.summary)
  }

  private static func entry(_ list: WordList) -> Entry {
    Entry(
      name: shortened(list.name), type: "", text: list.summary,
      parts: list.words.map { Entry(name: "\"\($0.word)\"", type: "", text: "\($0.meaning).") })
  }

  /// The names of types without `reach.` in front, which every one has.
  private static func shortened(_ type: String) -> String { type.replacing("reach.", with: "") }

  private static let lua: [Entry] =
    [
      Entry(
        name: "Globals", type: "", text: LuaNames.globals.joined(separator: ", ") + ".")
    ]
    + LuaNames.libraries.map {
      Entry(name: $0.name, type: "", text: $0.names.joined(separator: ", ") + ".")
    }
}

extension Signature {
  /// Whether it makes a target or belongs to one.
  fileprivate var isAboutTargets: Bool {
    returns?.type == TableForm.target.name || name.hasPrefix("target:")
  }
}

extension Array {
  /// Those that are so, and those that are not, in order.
  fileprivate func divided(_ isSo: (Element) -> Bool) -> ([Element], [Element]) {
    (filter(isSo), filter { !isSo($0) })
  }
}

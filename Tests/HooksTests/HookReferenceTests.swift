import Testing

@testable import Hooks

@Suite struct HookReferences {
  private static let entries = HookReference.sections.flatMap(\.entries)

  /// Everything beneath an entry, and itself.
  private static func all(_ entry: HookReference.Entry) -> [HookReference.Entry] {
    [entry] + entry.parts.flatMap(all)
  }

  @Test func `every function, value and list of words has one entry, in the words of its own`() {
    let names = HookReferences.entries.map { $0.name.prefix { $0 != "(" } }
    #expect(Set(names).count == names.count)
    let signatures = LibraryFunction.all.map(\.signature) + SpecDeclarations.functions
    for signature in signatures {
      let entry = HookReferences.entries.first { $0.name.hasPrefix("\(signature.name)(") }
      #expect(entry?.text.hasPrefix(signature.summary) == true, "\(signature.name)")
      #expect(
        entry?.parts.count == signature.takes.count + (signature.returns == nil ? 0 : 1),
        "\(signature.name)")
    }
    for field in LibraryValue.all.map(\.field) {
      #expect(HookReferences.entries.contains { $0.name == field.name && $0.text == field.summary })
    }
    for list in WordList.all {
      let entry = HookReferences.entries.first { "reach.\($0.name)" == list.name }
      #expect(entry?.parts.map(\.name) == list.words.map { "\"\($0.word)\"" }, "\(list.name)")
    }
  }

  @Test func `every key of every table is told of once`() {
    let tables = HookReferences.entries.flatMap(HookReferences.all).map(\.parts).filter {
      !$0.isEmpty
    }
    for form in EditorDefinitions.forms + SpecDeclarations.forms + [
      .target, SpecDeclarations.rehearsal,
    ] {
      let fields = form.fields.map(\.summary)
      let places = tables.filter { $0.map(\.text).suffix(fields.count) == fields[...] }
      #expect(places.count == 1, "\(form.name)")
    }
  }

  @Test func `a function says where it may be called`() {
    func text(_ name: String) -> String? {
      HookReferences.entries.first { $0.name.hasPrefix(name) }?.text
    }
    #expect(
      text("reach.on(")?.hasSuffix("\n\nIt declares: call it while the script is loaded.") == true)
    #expect(text("reach.run(")?.hasSuffix("call it in handlers, which wait for it.") == true)
    #expect(text("reach.now(")?.contains("call it") == false)
  }

  @Test func `limits are those that hold`() {
    #expect(HookReference.limits.contains("64 targets, 128 hooks,\n64 timers and 16 MiB of memory"))
    #expect(HookReference.limits.contains("more than 250ms of processor time"))
  }
}

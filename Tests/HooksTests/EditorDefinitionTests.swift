import CStockLua
import Glibc
import Lua
import Posix
import Reachability
import TestSupport
import Testing

@testable import Hooks

/// What editors are told is what there is.
@Suite struct EditorDefinitionFiles {
  /// A file of the repository.
  private func checkedIn(_ path: String) throws -> String {
    let package = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let file = try FileDescriptor(opening: "\(package)/\(path)", flags: O_RDONLY)
    return String(decoding: try file.readAll(limit: 1 << 20), as: UTF8.self)
  }

  @Test func `those in the repository are as they would be written now`() throws {
    let hint: Comment = "run: make definitions"
    #expect(try checkedIn("hooks/types/reach.lua") == EditorDefinitions.text, hint)
    #expect(try checkedIn(".luacheckrc") == LuacheckSettings.text, hint)
    #expect(
      try checkedIn(".luarc.json") == EditorFile.languageServerSettings(library: "hooks/types"),
      hint)
  }

  @Test func `the definitions are Lua`() {
    var text = EditorDefinitions.text
    var count = 0
    let output = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        stock_lua_run(characters.baseAddress, characters.count, "@reach.lua", &count)
      }
    }
    defer { free(output) }
    #expect(count == 0, "\(output.map { String(cString: $0) } ?? "no memory")")
  }

  @Test func `the language server's settings are JSON`() throws {
    guard
      case .table(let table) = try JSONReader.read(
        Array(EditorFile.languageServerSettings(library: "types").utf8))
    else {
      Issue.record("no object")
      return
    }
    #expect(table["runtime.version"] == .string("Lua 5.4"))
    #expect(table["workspace.library"] == .table(LuaTable(array: [.string("types")])))
  }

  @Test func `a file of another version is replaced, one of somebody else's not`() {
    for file in EditorFile.all {
      let isMarked = file.path != ".luarc.json"
      #expect(file.replaces(file.text.replacing(Program.version, with: "0.0.9")) == isMarked)
      #expect(!file.replaces("std = \"lua54\""))
    }
  }
}

/// Every line of the definitions is one that lua-language-server reads.
@Suite struct EditorDefinitionLines {
  private let lines = EditorDefinitions.text.split(
    separator: "\n", omittingEmptySubsequences: false)

  /// What stands behind a tag in each line that has it.
  private func lines(_ tag: String) -> [Substring] {
    lines.filter { $0.hasPrefix("---@\(tag) ") }.map { $0.dropFirst("---@\(tag) ".count) }
  }

  @Test func `there are annotations, texts and definitions, and nothing else`() {
    let tags = ["alias", "class", "field", "param", "return", "overload", "meta"]
    for line in lines {
      if line.hasPrefix("---@") {
        #expect(tags.contains { line.hasPrefix("---@\($0) ") }, "\(line)")
      } else if !line.hasPrefix("--"), !line.isEmpty {
        #expect(
          line.hasPrefix("function ") && line.hasSuffix(") end") || line.hasSuffix(" = {}"),
          "\(line)")
      }
      // A description is one line there.
      #expect(line.count <= 110, "\(line)")
    }
  }

  @Test func `every type is one that there is`() throws {
    var declared = ["any", "nil", "boolean", "true", "string", "number", "integer", "table"]
    declared += lines("class").map(String.init)
    declared += lines("alias").map { String($0.prefix { $0 != " " }) }
    #expect(Set(declared).count == declared.count, "one is declared twice")
    var types: [Substring] = lines("return") + lines("overload")
    for line in lines("field") + lines("param") + lines("alias") {
      guard let space = line.firstIndex(of: " ") else { continue }
      types.append(line[line.index(after: space)...])
    }
    #expect(types.count > 150)
    for text in types {
      let type = try LuaType(text)
      #expect(type.rest.isEmpty || type.rest.hasPrefix(" "), "\(text)")
      for name in type.names { #expect(declared.contains(name), "\(text)") }
    }
    // What nobody refers to nobody is told of.
    let used = Set(try types.flatMap { try LuaType($0).names })
    let roots: Set = ["reach", "oslib", "reach.assert"]
    for name in lines("class") where !roots.contains(String(name)) {
      #expect(used.contains(String(name)), "\(name) is nowhere taken or returned")
    }
  }

  @Test func `the parameters of a function are those that are explained`() {
    var explained: [Substring] = []
    var count = 0
    for line in lines {
      if line.hasPrefix("---@param ") {
        let name = line.dropFirst("---@param ".count).prefix { $0 != " " }
        explained.append(name.last == "?" ? name.dropLast() : name)
      } else if line.hasPrefix("function ") {
        let list = line.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }
        #expect(list == explained.joined(separator: ", "), "\(line)")
        explained = []
        count += 1
      } else if !line.hasPrefix("---") {
        explained = []
      }
    }
    #expect(count == LibraryFunction.all.count + SpecDeclarations.functions.count - 1 + 5)
  }

  @Test func `everything is explained by a sentence`() {
    let functions =
      LibraryFunction.all.map(\.signature) + SpecDeclarations.functions + LuaNames.os
    let fields =
      (EditorDefinitions.forms + SpecDeclarations.forms + [.target, SpecDeclarations.rehearsal])
      .flatMap(\.fields)
      + functions.flatMap { $0.takes + ($0.returns.map { [$0] } ?? []) }
      + LibraryValue.all.map(\.field)
    for text in functions.map(\.summary) + fields.map(\.summary) {
      #expect(text.hasSuffix(".") || text.hasSuffix("?") || text.hasSuffix("`"), "\(text)")
      #expect(
        text.first?.isUppercase == true || text.hasPrefix("`") || text.first == "0", "\(text)")
    }
    for (_, meaning) in WordList.all.flatMap(\.words) { #expect(!meaning.isEmpty) }
  }
}

/// What a script may write is what its author is told of.
@Suite struct DocumentedOptions {
  /// No option can be a timer.
  private static let impossible = "timer"

  /// The fault of a script that gives one key an impossible value.
  private func fault(_ call: String, _ key: String) throws -> String {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "t.lua", "local timer = reach.after(1, print)\n\(call.replacing("KEY", with: key))")
    let check = try #require(ScriptCheck.check([ScriptSource(name: "t", path: path)]).first)
    guard case .failure(let error) = check.result else { return "none" }
    return error.description
  }

  private func expectRead(_ form: TableForm, _ call: (String) -> String) throws {
    for key in form.keys {
      let fault = try fault(call(key), key)
      #expect(fault.contains("\"\(key)\" must be "), "\(form.name): \(fault)")
    }
    let fault = try fault(call("other"), "nothing_like_it")
    #expect(fault.contains("unknown key \"nothing_like_it\""), "\(form.name): \(fault)")
  }

  @Test func `each key of a target, a hook and a combination is read, and no other`() throws {
    let subjects = ["host", "address", "interface", "network"]
    try expectRead(.hookOptions) { key in
      let target = key == "target" ? "" : "target = reach.internet, "
      return "reach.on{ \(target)change = print, KEY = timer }"
        .replacing("change = print, ", with: key == "change" ? "" : "change = print, ")
    }
    try expectRead(.members) { _ in "reach.any{ reach.internet, KEY = timer }" }
    try expectRead(.networkOptions) { _ in "reach.target{ network = { KEY = timer } }" }
    try expectRead(.durations) { _ in
      "reach.on{ target = reach.internet, change = print, stable = { KEY = timer } }"
    }
    for key in TableForm.targetOptions.keys {
      let start =
        switch key {
        case _ where subjects.contains(key) || key == "internet": ""
        case "from": "address = '192.0.2.1', "
        case "tcp", "icmp", "dns", "http": "host = 'a', "
        case "expect": "http = 'http://a/', "
        case "every", "timeout", "fall", "rise": "host = 'a', tcp = 1, "
        default: "host = 'a', "
        }
      let fault = try fault("reach.target{ \(start)KEY = timer }", key)
      #expect(fault.contains("\"\(key)\" ") && !fault.contains("unknown"), "\(key): \(fault)")
    }
    let fault = try fault("reach.target{ host = 'a', KEY = 1 }", "nothing_like_it")
    #expect(fault.contains("unknown key"))
  }

  @Test func `each key of what handlers call is read, and no other`() throws {
    let timer = LuaValue.object(LuaObject(classID: LuaClass.timer.id, id: 1))
    typealias Reader = ([LuaValue]) throws -> Void
    let readers: [(form: TableForm, valid: LuaTable, read: Reader)] = [
      (
        .runOptions, LuaTable(array: [.string("true")]),
        { _ = try CommandEffect(arguments: $0, folder: "/", left: .seconds(60)) }
      ),
      (
        .httpOptions, LuaTable(fields: [LuaField(.string("url"), .string("http://a/"))]),
        { _ = try HTTPEffect(arguments: $0, left: .seconds(60)) }
      ),
      (
        .notifyOptions, LuaTable(fields: [LuaField(.string("title"), .string("a"))]),
        { _ = try NotifyEffect(arguments: $0, script: "t") }
      ),
      (
        .writeOptions,
        LuaTable(fields: [
          LuaField(.string("path"), .string("a")), LuaField(.string("text"), .string("b")),
        ]), { _ = try WriteEffect(arguments: $0, folder: "/") }
      ),
    ]
    for (form, valid, read) in readers {
      try read([.table(valid)])
      for key in form.keys + ["nothing_like_it"] {
        var table = valid
        table.fields.removeAll { $0.key == .string(key) }
        table.fields.append(LuaField(.string(key), timer))
        let error = #expect(throws: OptionError.self) { try read([.table(table)]) }
        let message = error?.message ?? ""
        let isKnown = !message.contains("unknown key")
        #expect(message.contains(key) && isKnown == form.keys.contains(key), "\(key): \(message)")
      }
      #expect(throws: OptionError.self) {
        try read([.table(LuaTable(array: valid.array + [timer], fields: valid.fields))])
      }
    }
  }

  @Test func `handlers, changes and flags are those that there are`() {
    let handlers = TableForm.hookOptions.fields.filter { $0.type == "reach.Handler" }
    #expect(handlers.map(\.name) == HandlerSet.named.map(\.name))
    #expect(TableForm.changes.keys == Verdict.Changes.named.map(\.name))
    #expect(TableForm.flags.keys == Flags.named.map(\.name) + ["raw"])
    #expect(SpecDeclarations.standing.keys == ["status"] + VerdictFields.keys)
  }

  @Test func `a script can name what it is told of, and its own library is Lua's`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "t.lua",
      """
      local names = {}
      for name, value in pairs(_ENV) do
        if name == "reach" then goto next end
        if type(value) ~= "table" then names[#names + 1] = name goto next end
        for inner in pairs(value) do names[#names + 1] = name .. "." .. inner end
        ::next::
      end
      table.sort(names)
      error(table.concat(names, " "), 0)
      """)
    let check = try #require(ScriptCheck.check([ScriptSource(name: "t", path: path)]).first)
    guard case .failure(let error) = check.result else { return #expect(Bool(false)) }
    let told =
      LuaNames.globals + ["print", "require"]
      + LuaNames.libraries.flatMap { library in library.names.map { "\(library.name).\($0)" } }
    #expect(error.description.hasSuffix(": " + told.sorted().joined(separator: " ")))

    let fields = TableForm.target.keys.map { "reach.internet.\($0)" }
    let values = LibraryValue.all.map(\.field.name).filter { $0 != LibraryValue.store.name }
    let functions = LibraryFunction.all.map(\.name).filter { !$0.contains(":") }
    let use = try folder.write(
      "u.lua", (fields + values + functions).map { "local _ = \($0)" }.joined(separator: "\n"))
    let look = try #require(ScriptCheck.check([ScriptSource(name: "u", path: use)]).first)
    #expect(throws: Never.self) { try look.result.get() }
  }
}

internal import Lua
internal import Posix

/// A function that specs find.
struct SpecFunction: Sendable {
  let name: String
  var keepsFunctions = false
  /// Whether it leads a rehearsal through time, for which the spec's run waits.
  var waits = false
  let body:
    @Sendable (SpecContext, borrowing LuaCall, inout LuaWriter) throws(OptionError) -> LuaReply

  /// Everything there is.
  static let all: [SpecFunction] =
    [.collect, .finish, .nearest, .test] + rehearsalFunctions

  /// The functions that specs share with hooks.
  static let shared: [LibraryFunction] = [
    .jsonEncode, .jsonDecode, .require, .print, .logDebug, .logInfo, .logWarn, .logError,
  ]

  func declaration(for context: SpecContext) -> LuaFunctionDeclaration {
    LuaFunctionDeclaration(name, mayWait: waits, keepsFunctions: keepsFunctions) {
      call, results in
      do throws(OptionError) { return try body(context, call, &results) } catch {
        return .raise(error.message)
      }
    }
  }
}

extension SpecFunction {
  /// Takes a test that the prelude has found.
  fileprivate static let collect = SpecFunction(name: "__collect", keepsFunctions: true) {
    context, call, _ in
    let arguments = call.arguments
    guard case .string(let name)? = arguments.first, arguments.count == 3 else { return .returned }
    context.tests.append(
      SpecContext.Test(
        name: name, bodies: arguments[1].functions, cleanups: arguments[2].functions))
    return .returned
  }

  /// Takes the function that finds all tests once the spec is loaded.
  fileprivate static let finish = SpecFunction(name: "__finish", keepsFunctions: true) {
    context, call, _ in
    if case .function(let function)? = call.arguments.first { context.finish = function }
    return .returned
  }

  /// Words a hint at the assertion that was meant.
  fileprivate static let nearest = SpecFunction(name: "__nearest") { _, call, results in
    let names = SpecPrelude.assertions
    let hint = call.text.flatMap { Nearest.match(to: $0, among: names) }
    results.string(
      hint.map { "; did you mean \"\($0)\"?" } ?? "; it has \(names.joined(separator: ", "))")
    return .returned
  }

  /// Begins to rehearse a hook: `local t = reach.test "pause-sync"`.
  ///
  /// The name is that of the script beside the spec, or a path from there.
  fileprivate static let test = SpecFunction(name: "reach.test") {
    context, call, results throws(OptionError) in
    let arguments = call.arguments
    guard case .string(let name)? = arguments.first, arguments.count <= 2, !name.isEmpty,
      !name.utf8.contains(0)
    else {
      throw OptionError("reach.test takes the name of a hook's script, as in reach.test \"greet\"")
    }
    let path = path(of: name, beside: context.source)
    var request = SpecContext.Request(paths: [path])
    if arguments.count == 2 {
      let options = try OptionTable(
        [arguments[1]], for: "reach.test \"\(name)\"", as: SpecDeclarations.rehearsalOptions)
      if let text = try options.string("at") {
        do { request.time = try WallTime(parsing: text).seconds { _ in 0 } } catch {
          throw options.error("\"at\": \(error)")
        }
      }
      if let value = options.value("store") {
        guard case .table(let table) = value else {
          throw options.mismatch("store", "a table", value)
        }
        let script = ScriptSource(foundAt: path).name
        do { request.stores[script] = try StoreText.text(of: table) } catch {
          throw options.error("\(error)")
        }
      }
    }
    results.object(try context.rehearse(request))
    return .returned
  }

  private static func path(of name: String, beside spec: ScriptSource) -> String {
    let folder = spec.path.prefix(through: spec.path.lastIndex(of: "/") ?? spec.path.startIndex)
    let start = name.hasPrefix("/") || !folder.hasSuffix("/") ? name : "\(folder)\(name)"
    if name.hasSuffix(".lua") { return start }
    let main = "\(start)/main.lua"
    return FileKind(of: main) == .missing ? "\(start).lua" : main
  }
}

extension LuaValue {
  /// The functions of a list.
  fileprivate var functions: [LuaFunction] {
    guard case .table(let table) = self else { return [] }
    return table.array.compactMap { if case .function(let function) = $0 { function } else { nil } }
  }
}

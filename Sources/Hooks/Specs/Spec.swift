internal import Lua
internal import Posix

/// A file of tests for hooks, which it rehearses.
public struct Spec {
  /// How a test ended.
  public struct Result: Hashable, Sendable {
    /// The words of its blocks and its own, joined by blanks.
    public var name: String
    /// What is wrong, with file and line, and which answers nothing asked for; nil where nothing is.
    public var failure: String?
    /// What hooks have done until then, and what of them has failed, the last first; a line each.
    public var deeds: [String]

    /// A result, built by hand.
    public init(name: String, failure: String?, deeds: [String] = []) {
      self.name = name
      self.failure = failure
      self.deeds = deeds
    }
  }

  private let source: ScriptSource
  private let text: [UInt8]

  /// Specs do more than handlers between two waits.
  private static let limits = LuaLimits(processorTime: .seconds(2))

  /// Reads a spec.
  ///
  /// - Parameter path: the file.
  /// - Throws: why it cannot be read or is not to be trusted.
  public init(_ path: String) throws(ScriptError) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    source = ScriptSource(name: name, path: path)
    text = try source.read()
  }

  /// The specs of a folder, by name.
  ///
  /// - Parameter path: the folder.
  /// - Returns: their paths.
  /// - Throws: why it cannot be read or is not to be trusted.
  public static func files(inFolder path: String) throws(ScriptError) -> [String] {
    let folder: TrustedFile
    do { folder = try TrustedFile(path) } catch { throw ScriptError("\(error)") }
    do {
      return try folder.descriptor.names().filter {
        ScriptSource.isSpec($0) && !$0.hasPrefix(".")
      }
      .sorted().map { path == "." ? $0 : path.hasSuffix("/") ? path + $0 : "\(path)/\($0)" }
    } catch {
      throw ScriptError("\(path): \(SystemError.text(of: error.code))")
    }
  }

  /// Runs its tests one after the other, those whose names hold a text.
  ///
  /// - Parameters:
  ///   - filter: the text; empty for all tests.
  ///   - report: is called after each test.
  /// - Throws: what is wrong with the file, with file and line.
  public func run(matching filter: String = "", report: (Result) -> Void) throws(ScriptError) {
    var stage = try load()
    var number = 0
    while number < stage.context.tests.count {
      let test = stage.context.tests[number]
      number += 1
      guard filter.isEmpty || test.name.contains(filter) else { continue }
      let failure = stage.run(test).map {
        ([$0] + stage.context.unaskedAnswers).joined(separator: "\n")
      }
      let deeds = failure == nil ? [] : stage.context.deeds
      report(Result(name: test.name, failure: failure, deeds: deeds))
      // A test that was killed has taken its interpreter with it.
      if stage.lua.isKilled { stage = try load() }
    }
  }

  private func load() throws(ScriptError) -> LoadedSpec {
    do throws(LuaFailure) { return try LoadedSpec(source, text, Spec.limits) } catch {
      throw ScriptError(source.located(error.message))
    }
  }
}

/// A spec in its interpreter.
private struct LoadedSpec: ~Copyable {
  let context: SpecContext
  var lua: LuaState

  init(_ source: ScriptSource, _ text: [UInt8], _ limits: LuaLimits) throws(LuaFailure) {
    let context = SpecContext(source)
    var lua = try LuaState(limits: limits, declarations: LuaDeclarations(spec: context))
    try lua.load(Array(SpecPrelude.text.utf8), name: SpecPrelude.name)
    try lua.load(text, name: source.path)
    if let finish = context.finish,
      case .failed(let failure) = lua.start([finish], argument: { _ in })
    {
      throw failure
    }
    context.noteLoaded()
    self.context = context
    self.lua = consume lua
  }

  /// Runs a test and what comes after it; returns what is wrong.
  mutating func run(_ test: SpecContext.Test) -> String? {
    context.begin()
    context.script.run = ScriptContext.CurrentRun(
      origin: context.source.name, deadline: .now + SpecContext.patience)
    var failure = run(test.bodies)
    for cleanup in test.cleanups where !lua.isKilled {
      let fault = run([cleanup])
      failure = failure ?? fault
    }
    if failure == nil, let fault = context.unexpectedFailures.first {
      failure = "a handler failed: \(fault)\n(t:failures() tells of it and lets the test go on)"
    }
    return failure
  }

  private mutating func run(_ functions: [LuaFunction]) -> String? {
    var step = lua.start(functions) { _ in }
    while case .waiting(let coroutine) = step {
      guard let action = context.action else { return "the test waits for nothing" }
      context.action = nil
      do throws(OptionError) {
        try action()
        step = lua.resume(coroutine, results: { _ in })
      } catch {
        step = lua.resume(coroutine, raising: error.message)
      }
    }
    switch step {
    case .finished, .waiting: return nil
    case .failed(let failure), .killed(let failure): return failure.message
    }
  }
}

extension LuaDeclarations {
  /// Everything that a spec finds beside Lua's own names and the prelude's.
  fileprivate init(spec context: SpecContext) {
    self.init()
    functions =
      SpecFunction.all.map { $0.declaration(for: context) }
      + SpecFunction.shared.map { $0.declaration(for: context.script) }
    constants = [LuaConstant(LibraryValue.hostName.name, .string(Program.hostName))]
    classes = [.rehearsal]
    waitRefusal = ": call it in it(…) or before_each(…)"
    describe = { _ in "rehearsal" }
    readField = { object, key, result in
      guard key == "store" else {
        let names = SpecFunction.rehearsalFunctions.map { String($0.name.dropFirst("t:".count)) }
        return .raise(LuaDeclarations.unknown("t", key, names + ["store"]))
      }
      do throws(OptionError) {
        result.value(.table(try context.rehearsal(of: object).store))
        return .returned
      } catch {
        return .raise(error.message)
      }
    }
    unknownKey = { owner, key, candidates in
      owner == "reach" && key != "()"
        ? "reach.\(key.printable) is none of a spec's; a spec has "
          + candidates.sorted().map { "reach.\($0)" }.joined(separator: ", ")
        : LuaDeclarations.unknown(
          owner, key, candidates, elsewhere: ["sleep": "write t:advance"])
    }
  }
}

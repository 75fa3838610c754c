internal import Lua
internal import Posix
internal import Reachability

/// What a script declares, found out without running any of its hooks.
public struct ScriptCheck: Sendable {
  /// The script.
  public let source: ScriptSource
  /// What it declares, or what is wrong with it, with file and line.
  public let result: Result<ScriptDeclarations, ScriptError>
  /// What is wrong with it or seldom meant, in the order of its lines.
  public let findings: [ScriptFinding]

  /// Loads scripts one after the other; at most their limits of time and memory.
  ///
  /// - Parameter sources: the scripts.
  /// - Returns: what each declares, in their order.
  public static func check(_ sources: [ScriptSource]) -> [ScriptCheck] {
    sources.map(ScriptCheck.init)
  }

  private init(_ source: ScriptSource) {
    self.source = source
    let text: [UInt8]
    do throws(ScriptError) { text = try source.read() } catch {
      result = .failure(error)
      findings = [ScriptFinding(error, of: source)]
      return
    }
    let context = ScriptContext(source: source, log: Log(level: .error))
    do throws(LuaFailure) {
      let lost = try ScriptCheck.load(text, context)
      result = .success(context.declarations)
      findings = context.declarations.remarks(lost: lost, obstacle: \.obstacle)
        .map { ScriptFinding($0, of: context) }.sorted(of: source)
    } catch {
      result = .failure(ScriptError(context.log.redacted(source.located(error.message))))
      findings = [ScriptFinding(error, of: context)]
    }
  }

  /// Loads a script; returns the positions of the targets that it can never get at again.
  private static func load(
    _ text: [UInt8], _ context: ScriptContext
  ) throws(LuaFailure) -> Set<Int> {
    var lua = try LuaState(declarations: LuaDeclarations(library: context))
    try lua.load(text, name: context.source.path)
    context.noteReadyTargets(in: text)
    let targets = context.declarations.targets.indices.map(LuaObject.init(target:))
    return Set(lua.lost(among: targets).map { Int($0.id) })
  }
}

extension ScriptFinding {
  /// A script that could not be loaded.
  fileprivate init(_ failure: LuaFailure, of context: ScriptContext) {
    let files = [context.source.path] + context.libraries.keys.sorted()
    let read = LuaPosition.read(from: failure.message, among: files)
    self.init(
      Remark(
        failure.cause == .error ? .loadError : .limit, at: read?.position,
        read?.rest ?? failure.message),
      of: context)
  }

  /// What was remarked, without what is to stay hidden.
  fileprivate init(_ remark: Remark, of context: ScriptContext) {
    code = remark.code
    script = context.source.name
    file = remark.position?.file ?? context.source.path
    line = remark.position?.line
    message = context.log.redacted(remark.message)
  }

  /// A script that cannot be read or is not to be trusted.
  init(_ error: ScriptError, of source: ScriptSource) {
    switch error.cause {
    case .unreadable: code = .unreadable
    case .unsafe: code = .unsafe
    case .nameTaken: code = .nameTaken
    }
    script = source.name
    file = source.path
    line = nil
    let start = "\(source.path): "
    message =
      error.description.hasPrefix(start)
      ? String(error.description.dropFirst(start.count)) : error.description
  }
}

/// Something to say of a script, before it is known which that is.
struct Remark {
  let code: ScriptFinding.Code
  /// Nil where it is about the script as a whole.
  let position: LuaPosition?
  let message: String

  init(_ code: ScriptFinding.Code, at position: LuaPosition?, _ message: String) {
    self.code = code
    self.position = position
    self.message = message
  }
}

internal import Lua
internal import Posix

/// What a script declares, found out without running any of its hooks.
public struct ScriptCheck: Sendable {
  /// The script.
  public let source: ScriptSource
  /// What it declares, or what is wrong with it, with file and line.
  public let result: Result<ScriptDeclarations, ScriptError>

  /// Loads scripts one after the other; at most their limits of time and memory.
  ///
  /// - Parameter sources: the scripts.
  /// - Returns: what each declares, in their order.
  public static func check(_ sources: [ScriptSource]) -> [ScriptCheck] {
    sources.map { source in
      ScriptCheck(source: source, result: Result { () throws(ScriptError) in try load(source) })
    }
  }

  private static func load(_ source: ScriptSource) throws(ScriptError) -> ScriptDeclarations {
    let context = ScriptContext(source: source, log: Log(level: .error))
    let text = try source.read()
    do throws(LuaFailure) {
      var lua = try LuaState(declarations: LuaDeclarations(library: context))
      try lua.load(text, name: source.path)
      context.noteReadyTargets(in: text)
      return context.declarations
    } catch {
      throw ScriptError(context.log.redacted(source.located(error.message)))
    }
  }
}

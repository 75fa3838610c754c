package import Lua
internal import Posix
internal import Reachability

extension LuaDeclarations {
  /// Everything that a script finds beside Lua's own names.
  package init(library context: ScriptContext) {
    self.init()
    functions = LibraryFunction.all.map { $0.declaration(for: context) }
    constants = [
      LuaConstant("reach.internet", .object(LuaObject(target: 0))),
      LuaConstant("reach.local_wifi", .object(LuaObject(target: 1))),
      LuaConstant("reach.hostname", .string(Program.hostName)),
    ]
    shapes = LuaShape.all
    classes = [.target, .timer]
    describe = { object in
      guard object.classID == LuaClass.target.id else { return "timer \(object.id)" }
      return "target \(context.declarations.targets[Int(object.id)].name)"
    }
    readField = { object, key, result in
      guard object.classID == LuaClass.target.id else {
        return .raise(LuaDeclarations.unknown("timer", key, ["cancel"]))
      }
      guard context.write(field: key, ofTarget: Int(object.id), to: &result) else {
        return .raise(
          LuaDeclarations.unknown("target", key, ScriptContext.targetFields + ["wait"]))
      }
      return .returned
    }
    unknownKey = { owner, key, candidates in
      owner == "reach" && key == "store" && context.run == nil
        ? "reach.store is for handlers; it cannot be used while the script is loaded"
        : LuaDeclarations.unknown(owner, key, candidates)
    }
  }

  private static func unknown(_ owner: String, _ key: String, _ candidates: [String]) -> String {
    let hint = Nearest.hint(for: key, among: candidates)
    let key = key.printable
    return owner == "global"
      ? "undefined global \"\(key)\"\(hint)" : "\(owner) has no \"\(key)\"\(hint)"
  }
}

internal import CLuaHost

extension LuaState {
  /// Makes a host that has everything that is declared; the caller frees it.
  static func makeHost(
    _ limits: LuaLimits, _ context: CallbackContext
  ) throws(LuaFailure) -> OpaquePointer {
    let refusal = context.declarations.waitRefusal
    guard let host = lh_new(limits.native, context.callbacks, refusal) else {
      throw LuaFailure(message: "create a Lua interpreter: not enough memory")
    }
    do throws(LuaFailure) {
      try declare(context.declarations, in: host)
    } catch {
      lh_free(host)
      throw error
    }
    context.host = host
    return host
  }

  private static func declare(
    _ declarations: LuaDeclarations, in host: OpaquePointer
  ) throws(LuaFailure) {
    for (position, declared) in declarations.classes.enumerated() {
      try check(declared.name, Int(declared.id) == position)
      try check(declared.name, lh_define_class(host, declared.name) >= 0)
    }
    for (position, shape) in declarations.shapes.enumerated() {
      try check(shape.name, Int(shape.id) == position)
      try check(shape.name, define(shape, in: host))
    }
    for (number, function) in declarations.functions.enumerated() {
      let added = lh_add_function(host, Int32(number), function.name, function.flags)
      try check(function.name, added)
    }
    var writer = LuaWriter()
    for constant in declarations.constants {
      writer.clear()
      writer.value(constant.value)
      try check(constant.name, lh_set_constant(host, constant.name, writer.buffer))
    }
  }

  private static func check(_ name: String, _ succeeded: Bool) throws(LuaFailure) {
    if succeeded { return }
    throw LuaFailure(message: "declare '\(name)': not enough memory, or not a usable name or id")
  }

  private static func define(_ shape: LuaShape, in host: OpaquePointer) -> Bool {
    let bytes = shape.keys.flatMap { $0.utf8.map(CChar.init(bitPattern:)) }
    return bytes.withUnsafeBufferPointer { buffer in
      var offset = 0
      let texts = shape.keys.map { key in
        defer { offset += key.utf8.count }
        return lh_text(text: buffer.baseAddress.map { $0 + offset }, length: key.utf8.count)
      }
      return texts.withUnsafeBufferPointer { texts in
        guard let first = texts.baseAddress, !texts.isEmpty else { return false }
        return lh_define_shape(host, shape.name, first, texts.count) >= 0
      }
    }
  }
}

extension LuaFunctionDeclaration {
  fileprivate var flags: UInt32 {
    var flags = 0
    switch arguments {
    case .values: break
    case .format: flags |= Int(LH_FUNCTION_FORMAT)
    case .joined: flags |= Int(LH_FUNCTION_JOIN)
    }
    if mayWait { flags |= Int(LH_FUNCTION_WAITS) }
    if keepsFunctions { flags |= Int(LH_FUNCTION_KEEPS) }
    return UInt32(flags)
  }
}

internal import CLuaHost

/// What the C callbacks find behind their context pointer; the interpreter keeps it alive.
final class CallbackContext {
  let declarations: LuaDeclarations
  var host: OpaquePointer?

  init(_ declarations: LuaDeclarations) {
    self.declarations = declarations
  }

  var callbacks: lh_callbacks {
    lh_callbacks(
      context: Unmanaged.passUnretained(self).toOpaque(),
      call: answerCall,
      field: answerField,
      unknown_key: answerUnknownKey
    )
  }

  static func of(_ pointer: UnsafeMutableRawPointer?) -> CallbackContext? {
    guard let pointer else { return nil }
    return Unmanaged.fromOpaque(pointer).takeUnretainedValue()
  }
}

extension String {
  init(_ text: lh_text) {
    self.init(decoding: UnsafeRawBufferPointer(start: text.text, count: text.length), as: UTF8.self)
  }
}

extension LuaReply {
  /// The status for C; a message replaces what was written.
  fileprivate func status(_ writer: inout LuaWriter) -> lh_status {
    switch self {
    case .returned: return LH_RETURN
    case .wait: return LH_WAIT
    case .raise(let message):
      writer.clear()
      writer.string(message)
      return LH_RAISE
    case .run(let text, let name):
      writer.clear()
      writer.bytes(text)
      writer.string("@\(name)")
      return LH_RUN
    case .recall(let name, let message):
      writer.clear()
      writer.string(message)
      writer.string("@\(name)")
      return LH_RECALL
    }
  }
}

private func answerCall(
  context: UnsafeMutableRawPointer?, function: Int32, arguments: UnsafePointer<lh_value>?,
  count: Int, reply: UnsafeMutablePointer<lh_buffer>
) -> lh_status {
  guard let context = CallbackContext.of(context), let host = context.host else { return LH_RAISE }
  let call = LuaCall(stream: UnsafeBufferPointer(start: arguments, count: count), host: host)
  var writer = LuaWriter(borrowing: reply)
  return context.declarations.functions[Int(function)].body(call, &writer).status(&writer)
}

private func answerField(
  context: UnsafeMutableRawPointer?, classID: Int32, id: Int64, key: lh_text,
  reply: UnsafeMutablePointer<lh_buffer>
) -> lh_status {
  guard let context = CallbackContext.of(context) else { return LH_RAISE }
  let object = LuaObject(classID: classID, id: id)
  var writer = LuaWriter(borrowing: reply)
  guard key.text != nil else {
    writer.string(context.declarations.describe(object))
    return LH_RETURN
  }
  return context.declarations.readField(object, String(key), &writer).status(&writer)
}

private func answerUnknownKey(
  context: UnsafeMutableRawPointer?, owner: lh_text, key: lh_text,
  candidates: UnsafePointer<lh_value>?, count: Int, reply: UnsafeMutablePointer<lh_buffer>
) {
  guard let context = CallbackContext.of(context) else { return }
  let names = UnsafeBufferPointer(start: candidates, count: count).map {
    String(decoding: StreamReader.bytes(of: $0), as: UTF8.self)
  }
  var writer = LuaWriter(borrowing: reply)
  writer.string(context.declarations.unknownKey(String(owner), String(key), names))
}

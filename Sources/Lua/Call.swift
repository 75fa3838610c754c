internal import CLuaHost

/// A call from Lua; it lives as long as the function that answers it.
public struct LuaCall: ~Copyable {
  private let stream: UnsafeBufferPointer<lh_value>
  private let host: OpaquePointer

  init(stream: UnsafeBufferPointer<lh_value>, host: OpaquePointer) {
    self.stream = stream
    self.host = host
  }

  /// The run that calls, nil while a script is being loaded.
  public var coroutine: LuaCoroutine? {
    let id = lh_current(host)
    return id == 0 ? nil : LuaCoroutine(id: id)
  }

  /// Where the script calls; nil where that is unknown.
  public var position: LuaPosition? {
    let position = lh_position_of_call(host)
    guard position.line > 0 else { return nil }
    return LuaPosition(file: String(position.file), line: Int(position.line))
  }

  /// The arguments, copied out of Lua each time they are asked for.
  public var arguments: [LuaValue] {
    var reader = StreamReader(stream: stream)
    var values: [LuaValue] = []
    while !reader.isAtEnd { values.append(reader.next()) }
    return values
  }

  /// The first argument where it is a string, its bad UTF-8 repaired.
  public var text: String? {
    guard let first = stream.first, first.kind == LH_STRING else { return nil }
    return String(decoding: StreamReader.bytes(of: first), as: UTF8.self)
  }

  /// Gives back a function that was received.
  public func release(_ function: LuaFunction) {
    lh_release(host, function.reference)
  }
}

/// Reads values from the stream that C made of Lua's.
struct StreamReader {
  let stream: UnsafeBufferPointer<lh_value>
  private var position = 0

  init(stream: UnsafeBufferPointer<lh_value>) {
    self.stream = stream
  }

  var isAtEnd: Bool { position >= stream.count }

  static func bytes(of value: lh_value) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: value.text, count: Int(value.count))
  }

  mutating func next() -> LuaValue {
    guard !isAtEnd else { return .nil }
    let value = stream[position]
    position += 1
    switch value.kind {
    case LH_BOOLEAN: return .boolean(value.boolean)
    case LH_INTEGER: return .integer(value.integer)
    case LH_NUMBER: return .number(value.number)
    case LH_STRING: return Self.string(of: value)
    case LH_TABLE: return .table(table(items: Int(value.count), pairs: value.pairs))
    case LH_FUNCTION:
      let reference = Int32(truncatingIfNeeded: value.integer)
      return .function(LuaFunction(reference: reference, line: Int(value.count)))
    case LH_OBJECT:
      let classID = Int32(bitPattern: value.count)
      return .object(LuaObject(classID: classID, id: value.integer))
    case LH_UNSUPPORTED:
      return .unsupported(String(decoding: Self.bytes(of: value), as: UTF8.self))
    default: return .nil
    }
  }

  private static func string(of value: lh_value) -> LuaValue {
    let bytes = bytes(of: value)
    if let text = String(validating: bytes, as: UTF8.self) { return .string(text) }
    return .bytes(Array(bytes))
  }

  private mutating func table(items: Int, pairs: Int) -> LuaTable {
    var table = LuaTable()
    table.array.reserveCapacity(items)
    for _ in 0..<items { table.array.append(next()) }
    table.fields.reserveCapacity(pairs)
    for _ in 0..<pairs {
      let key = next()
      table.fields.append(LuaField(key, next()))
    }
    return table
  }
}

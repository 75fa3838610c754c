/// A value as a script holds it, copied out of Lua.
public enum LuaValue: Hashable, Sendable {
  /// No value.
  case `nil`
  /// A boolean.
  case boolean(Bool)
  /// A number of Lua's integer subtype.
  case integer(Int64)
  /// A number of Lua's float subtype.
  case number(Double)
  /// A string that is UTF-8.
  case string(String)
  /// A string that is not UTF-8.
  case bytes([UInt8])
  /// A table, read without metamethods.
  case table(LuaTable)
  /// A Lua function, of a call declared to keep functions.
  case function(LuaFunction)
  /// An object of one of the declared classes.
  case object(LuaObject)
  /// Anything else, by the name of its Lua type.
  case unsupported(String)
}

/// A table: the items from index 1 on, and all other fields in no particular order.
public struct LuaTable: Hashable, Sendable {
  /// Values at 1, 2, 3 and so on.
  public var array: [LuaValue]
  /// All other keys with their values.
  public var fields: [LuaField]

  /// Makes a table of items and fields.
  public init(array: [LuaValue] = [], fields: [LuaField] = []) {
    self.array = array
    self.fields = fields
  }

  /// The value of a key that is a string, or nil where there is none.
  public subscript(key: String) -> LuaValue? {
    fields.first { $0.key == .string(key) }?.value
  }
}

/// One key of a table with its value.
public struct LuaField: Hashable, Sendable {
  /// The key; a table or function as a key is `unsupported`.
  public var key: LuaValue
  /// The value.
  public var value: LuaValue

  /// Makes a field.
  public init(_ key: LuaValue, _ value: LuaValue) {
    self.key = key
    self.value = value
  }
}

/// A Lua function that the host holds; to be released as often as it was received.
///
/// The same function is equal to itself as long as it is held.
public struct LuaFunction: Hashable, Sendable {
  let reference: Int32
  /// The line where the function's definition begins.
  public let line: Int
}

/// An object that the host owns: a class and a number of the host's choice.
public struct LuaObject: Hashable, Sendable {
  /// The class, as declared.
  public let classID: Int32
  /// The number within its class.
  public let id: Int64

  /// Names an object.
  public init(classID: Int32, id: Int64) {
    self.classID = classID
    self.id = id
  }
}

/// How a declared function answers its call.
public enum LuaReply {
  /// It returns what was written.
  case returned
  /// It raises an error with this message, to which the position is added.
  case raise(String)
  /// The run waits, and the values it is resumed with are the results.
  case wait
  /// The text is compiled and run, once for each name, and what it returns is the result.
  ///
  /// For `require`: a second reply with the same name gives the same value again.
  case run(text: [UInt8], name: String)
  /// What the text of that name returned when it was run is the result.
  ///
  /// Where none was, an error with this message is raised, to which the position is added.
  case recall(name: String, otherwise: String)
}

/// A function that scripts can call.
public struct LuaFunctionDeclaration {
  /// What a script's arguments are made into.
  public enum Arguments: Sendable {
    /// They are passed as they are.
    case values
    /// `string.format` over all of them when there are several: the function gets one string.
    case format
    /// The text of each, joined by tabs: the function gets one string.
    case joined
  }

  /// Answers a call, on the thread that runs Lua; it must not use the interpreter itself.
  public typealias Body = (_ call: borrowing LuaCall, _ results: inout LuaWriter) -> LuaReply

  /// A global (`print`), a dotted name (`reach.log.info`) or a class's method (`target:wait`).
  public var name: String
  /// What the arguments are made into.
  public var arguments: Arguments
  /// Whether the function may wait: it is refused before its body where a wait is impossible.
  public var mayWait: Bool
  /// Whether Lua functions among the arguments are held; otherwise they are `unsupported`.
  public var keepsFunctions: Bool
  /// Answers the call.
  public var body: Body

  /// Declares a function.
  public init(
    _ name: String,
    arguments: Arguments = .values,
    mayWait: Bool = false,
    keepsFunctions: Bool = false,
    body: @escaping Body
  ) {
    self.name = name
    self.arguments = arguments
    self.mayWait = mayWait
    self.keepsFunctions = keepsFunctions
    self.body = body
  }
}

/// The keys of a record, a table that is strict about what it does not hold.
public struct LuaShape: Sendable {
  /// The position among the shapes of the interpreter.
  public let id: Int32
  /// What an error calls the record: "event".
  public let name: String
  /// The keys, in the order in which their values are written.
  public let keys: [String]
  /// How many keys there are, at hand for the hot path.
  @usableFromInline let count: Int

  /// Declares a shape; `id` is its position in the list given to the interpreter.
  public init(id: Int32, name: String, keys: [String]) {
    self.id = id
    self.name = name
    self.keys = keys
    count = keys.count
  }
}

/// A class of objects; its methods are functions named `class:method`.
public struct LuaClass: Sendable {
  /// The position among the classes of the interpreter.
  public let id: Int32
  /// What scripts and errors call it: "target".
  public let name: String

  /// Declares a class; `id` is its position in the list given to the interpreter.
  public init(id: Int32, name: String) {
    self.id = id
    self.name = name
  }
}

/// A value under a name that scripts cannot change, such as `reach.hostname`.
public struct LuaConstant: Sendable {
  /// A global or dotted name.
  public var name: String
  /// The value.
  public var value: LuaValue

  /// Declares a constant.
  public init(_ name: String, _ value: LuaValue) {
    self.name = name
    self.value = value
  }
}

/// Everything that scripts of one interpreter find beside Lua's own names.
public struct LuaDeclarations {
  /// Answers the read of an object's field: writes one value, or raises for an unknown key.
  public typealias ReadField =
    (_ object: LuaObject, _ key: String, _ result: inout LuaWriter) -> LuaReply

  /// Words the error for a name that does not exist.
  ///
  /// The owner is "global", a dotted name or the name of a shape. The key is "()" where the owner is
  /// called as if it was a function.
  public typealias UnknownKey =
    (_ owner: String, _ key: String, _ candidates: [String]) -> String

  /// Functions, in any order.
  public var functions: [LuaFunctionDeclaration] = []
  /// Constants, in any order.
  public var constants: [LuaConstant] = []
  /// Shapes of records, in the order of their ids.
  public var shapes: [LuaShape] = []
  /// Classes of objects, in the order of their ids.
  public var classes: [LuaClass] = []
  /// Answers the read of an object's field.
  public var readField: ReadField = { _, key, _ in .raise("unknown field '\(key)'") }
  /// The text of an object under `tostring`.
  public var describe: (LuaObject) -> String = { "object \($0.id)" }
  /// Words the error for a name that does not exist.
  public var unknownKey: UnknownKey = { owner, key, _ in "\(owner) has no '\(key)'" }

  /// What an error says behind the name of a function that waits, while a script is loaded.
  public var waitRefusal = " waits; call it in a handler"

  /// Declares nothing.
  public init() {}
}

public import CLuaHost

/// Writes values for Lua, one after the other, into storage that is reused.
///
/// Writing never fails; a lack of memory is raised as an error in the script.
public struct LuaWriter: ~Copyable {
  @usableFromInline let buffer: UnsafeMutablePointer<lh_buffer>
  private let ownsBuffer: Bool

  init() {
    buffer = .allocate(capacity: 1)
    buffer.initialize(to: lh_buffer())
    ownsBuffer = true
  }

  init(borrowing buffer: UnsafeMutablePointer<lh_buffer>) {
    self.buffer = buffer
    ownsBuffer = false
  }

  deinit {
    guard ownsBuffer else { return }
    lh_buffer_free(buffer)
    buffer.deallocate()
  }

  mutating func clear() {
    lh_buffer_clear(buffer)
  }

  /// Writes nil.
  @inlinable public mutating func null() {
    lh_put_nil(buffer)
  }

  /// Writes a boolean.
  @inlinable public mutating func boolean(_ value: Bool) {
    lh_put_boolean(buffer, value)
  }

  /// Writes a boolean, or nil.
  @inlinable public mutating func boolean(_ value: Bool?) {
    guard let value else { return null() }
    boolean(value)
  }

  /// Writes an integer.
  @inlinable public mutating func integer(_ value: Int64) {
    lh_put_integer(buffer, value)
  }

  /// Writes an integer, or nil.
  @inlinable public mutating func integer(_ value: Int64?) {
    guard let value else { return null() }
    integer(value)
  }

  /// Writes a float.
  @inlinable public mutating func number(_ value: Double) {
    lh_put_number(buffer, value)
  }

  /// Writes a float, or nil.
  @inlinable public mutating func number(_ value: Double?) {
    guard let value else { return null() }
    number(value)
  }

  /// Writes a string, or nil.
  @inlinable public mutating func string(_ value: String?) {
    guard let value else { return null() }
    string(value)
  }

  /// Writes a string.
  @inlinable public mutating func string(_ value: String) {
    var value = value
    value.withUTF8 { bytes in lh_put_string(buffer, bytes.baseAddress, bytes.count) }
  }

  /// Writes a part of a string.
  public mutating func string(_ value: Substring) {
    let buffer = buffer
    let written: Void? = value.utf8.withContiguousStorageIfAvailable { bytes in
      lh_put_string(buffer, bytes.baseAddress, bytes.count)
    }
    if written == nil { bytes(Array(value.utf8)) }
  }

  /// Writes a literal, without making a `String` of it.
  @inlinable public mutating func literal(_ value: StaticString) {
    let buffer = buffer
    value.withUTF8Buffer { bytes in
      lh_put_string(buffer, bytes.baseAddress, bytes.count)
    }
  }

  /// Writes a string of any bytes.
  @inlinable public mutating func bytes(_ value: UnsafeBufferPointer<UInt8>) {
    lh_put_string(buffer, value.baseAddress, value.count)
  }

  /// Writes a string of any bytes.
  public mutating func bytes(_ value: [UInt8]) {
    let buffer = buffer
    value.withUnsafeBytes { bytes in
      lh_put_string(buffer, bytes.baseAddress, bytes.count)
    }
  }

  /// Writes an object of a declared class, or nil.
  public mutating func object(_ value: LuaObject?) {
    guard let value else { return null() }
    lh_put_object(buffer, value.classID, value.id)
  }

  /// Writes a function that the host holds.
  public mutating func function(_ value: LuaFunction) {
    lh_put_function(buffer, value.reference)
  }

  /// Writes a table: what `items` writes from index 1 on, then what `fields` writes, by turns a
  /// key and its value.
  public mutating func table(
    items: (inout LuaWriter) -> Void = { _ in },
    fields: (inout LuaWriter) -> Void = { _ in }
  ) {
    let header = buffer.pointee.count
    lh_put_table(buffer, 0, 0)
    let outer = begin()
    items(&self)
    let itemCount = buffer.pointee.children
    buffer.pointee.children = 0
    fields(&self)
    if buffer.pointee.children % 2 == 1 { null() }
    let pairCount = buffer.pointee.children / 2
    end(outer)
    guard !buffer.pointee.failed, let values = buffer.pointee.values else { return }
    values[header].count = UInt32(clamping: itemCount)
    values[header].pairs = pairCount
  }

  /// Writes a record: `values` writes one value for each key of the shape, in its order.
  ///
  /// Values that are missing at the end are nil; nil leaves the key out.
  @inlinable public mutating func record(
    _ shape: borrowing LuaShape, _ values: (inout LuaWriter) -> Void
  ) {
    lh_put_record(buffer, shape.id)
    let outer = begin()
    values(&self)
    let count = shape.count
    while buffer.pointee.children < count, !buffer.pointee.failed { null() }
    if buffer.pointee.children > count { buffer.pointee.failed = true }
    end(outer)
  }

  /// Writes any value; what is `unsupported` becomes nil.
  public mutating func value(_ value: LuaValue) {
    switch value {
    case .nil, .unsupported: null()
    case .boolean(let value): boolean(value)
    case .integer(let value): integer(value)
    case .number(let value): number(value)
    case .string(let value): string(value)
    case .bytes(let value): bytes(value)
    case .function(let value): function(value)
    case .object(let value): object(value)
    case .table(let value):
      table {
        for item in value.array { $0.value(item) }
      } fields: {
        for field in value.fields {
          $0.value(field.key)
          $0.value(field.value)
        }
      }
    }
  }

  @inlinable mutating func begin() -> Int {
    let outer = buffer.pointee.children
    buffer.pointee.children = 0
    return outer
  }

  @inlinable mutating func end(_ outer: Int) {
    buffer.pointee.children = outer
  }
}

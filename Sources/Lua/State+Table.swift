internal import CLuaHost

/// A table that scripts fill and their host reads.
extension LuaState {
  /// Puts a table under a dotted name, whose contents scripts may change; there is one of a state.
  public mutating func keep(_ table: LuaTable, as name: String) throws(LuaFailure) {
    writer.clear()
    writer.value(.table(table))
    guard lh_keep_table(host, name, writer.buffer) else {
      throw LuaFailure(cause: .memory, message: "\(name): not enough memory")
    }
  }

  /// Reads that table without metamethods, empty where there is none; throws what is too large of
  /// it.
  public mutating func keptTable() throws(LuaFailure) -> LuaTable {
    var values: UnsafePointer<lh_value>?
    var count = 0
    if let fault = lh_read_table(host, &values, &count) {
      throw LuaFailure(message: String(cString: fault))
    }
    var reader = StreamReader(stream: UnsafeBufferPointer(start: values, count: count))
    guard case .table(let table) = reader.next() else { return LuaTable() }
    return table
  }
}

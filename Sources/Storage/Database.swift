internal import CSQLite

/// A file of SQLite, which one thread at a time may use.
final class Database {
  private let handle: OpaquePointer
  /// The statements that were run, to be run again.
  private var statements: [String: OpaquePointer] = [:]

  /// Opens a file, and makes it where it is not there.
  ///
  /// - Throws: why it cannot be opened; whether it is a database at all is found out by reading.
  init(_ path: String) throws(DatabaseError) {
    var handle: OpaquePointer?
    let code = csqlite_open(path, &handle)
    guard code == SQLITE_OK, let handle else {
      let error = DatabaseError("open \(path)", code: code, handle)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Runs a statement to its end.
  ///
  /// - Parameters:
  ///   - sql: one statement.
  ///   - values: what stands for its question marks.
  ///   - row: takes each row of the result.
  /// - Throws: why it cannot be run.
  func run(
    _ sql: String, _ values: [String] = [], row: (borrowing Row) -> Void = { _ in }
  ) throws(DatabaseError) {
    let statement = try statement(sql)
    defer { sqlite3_reset(statement) }
    for (index, var text) in values.enumerated() {
      let code = text.withUTF8 {
        csqlite_bind_text(statement, Int32(index + 1), $0.baseAddress, Int32(clamping: $0.count))
      }
      try check(sql, code)
    }
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw DatabaseError(sql, code: code, handle) }
      row(Row(statement: statement))
    }
  }

  private func statement(_ sql: String) throws(DatabaseError) -> OpaquePointer? {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    try check(sql, sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
    statements[sql] = statement
    return statement
  }

  /// The number that a PRAGMA gives.
  func number(_ pragma: String) throws(DatabaseError) -> Int {
    var number = 0
    try run("PRAGMA \(pragma)") { number = $0.integer(0) }
    return number
  }

  /// Calls `body` between BEGIN and COMMIT; what it did is undone where either fails.
  func transaction(
    _ body: () throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    try run("BEGIN IMMEDIATE")
    do {
      try body()
      try run("COMMIT")
    } catch {
      // SQLite may have rolled back by itself.
      try? run("ROLLBACK")
      throw error
    }
  }

  private func check(_ operation: String, _ code: Int32) throws(DatabaseError) {
    guard code == SQLITE_OK else { throw DatabaseError(operation, code: code, handle) }
  }

  /// One row of a result, for as long as it is looked at.
  struct Row: ~Copyable {
    fileprivate let statement: OpaquePointer?

    func text(_ column: Int32) -> String {
      guard let bytes = sqlite3_column_text(statement, column) else { return "" }
      let count = Int(sqlite3_column_bytes(statement, column))
      return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }
  }
}

/// What SQLite could not do, and why.
struct DatabaseError: Error, CustomStringConvertible {
  /// What was being done.
  let operation: String
  /// The result code; sqlite.org/rescode.html.
  let code: Int32
  private let message: String

  fileprivate init(_ operation: String, code: Int32, _ handle: OpaquePointer?) {
    self.operation = operation
    self.code = code
    message = String(cString: handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
  }

  var description: String { "\(operation): \(message)" }

  /// Whether the file is no database, or one that is damaged.
  var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xff) }
}

internal import Posix

/// The file in which a daemon's state outlives it.
///
/// A file that is damaged or somebody else's is set aside, never deleted, and one that cannot be had
/// costs what outlives the daemon, not the daemon.
struct StateFile {
  private let database: Database?

  // The letters "Reac" tell our files from others' in a file's header; file(1) shows them.
  private static let applicationID = 0x5265_6163
  private static let version = 1

  /// Why a file is not used.
  private enum Refusal: Error, CustomStringConvertible {
    /// It is no file of ours, or one no more: what it is, for a message.
    case unfit(String)
    case failed(DatabaseError)

    var description: String {
      switch self {
      case .unfit(let what): what
      case .failed(let error): error.description
      }
    }
  }

  /// Opens the file, or another in its place.
  ///
  /// - Parameters:
  ///   - path: where it lies, or is to be.
  ///   - complain: takes a line that somebody should read.
  init(_ path: String, complain: (String) -> Void) {
    do throws(Refusal) {
      database = try StateFile.open(path)
      return
    } catch {
      guard case .unfit(let what) = error else {
        complain("\(path): \(error); nothing outlives this run")
        database = nil
        return
      }
      guard let place = StateFile.setAside(path) else {
        complain("\(path): \(what), and cannot be set aside; nothing outlives this run")
        database = nil
        return
      }
      complain("\(path): \(what); set aside as \(place) and begun anew")
    }
    do throws(Refusal) { database = try StateFile.open(path) } catch {
      complain("\(path): \(error); nothing outlives this run")
      database = nil
    }
  }

  // MARK: Contents

  /// Everything that was saved.
  func read() throws(DatabaseError) -> SavedState {
    var state = SavedState()
    guard let database else { return state }
    try database.run("SELECT script, value FROM store") {
      state.stores[$0.text(0)] = $0.text(1)
    }
    try database.run("SELECT script, hook, subject, value FROM told") {
      let key = SavedState.HookKey(script: $0.text(0), hook: $0.text(1), subject: $0.text(2))
      state.told[key] = $0.text(3)
    }
    try database.run("SELECT script, value FROM quarantine") {
      state.quarantines[$0.text(0)] = $0.text(1)
    }
    return state
  }

  /// Saves changes, all or none; they are on the disk once this returns.
  func save(_ changes: [StateChange]) throws(DatabaseError) {
    guard let database else { return }
    try database.transaction { () throws(DatabaseError) in
      for change in changes { try StateFile.save(change, in: database) }
    }
  }

  private static func save(
    _ change: StateChange, in database: Database
  ) throws(DatabaseError) {
    switch change {
    case .store(let script, let value?):
      try database.run("INSERT OR REPLACE INTO store VALUES (?, ?)", [script, value])
    case .store(let script, nil):
      try database.run("DELETE FROM store WHERE script = ?", [script])
    case .told(let key, let value?):
      try database.run(
        "INSERT OR REPLACE INTO told VALUES (?, ?, ?, ?)",
        [key.script, key.hook, key.subject, value])
    case .told(let key, nil):
      try database.run(
        "DELETE FROM told WHERE script = ? AND hook = ? AND subject = ?",
        [key.script, key.hook, key.subject])
    case .quarantine(let script, let value?):
      try database.run("INSERT OR REPLACE INTO quarantine VALUES (?, ?)", [script, value])
    case .quarantine(let script, nil):
      try database.run("DELETE FROM quarantine WHERE script = ?", [script])
    }
  }

  // MARK: Opening

  private static func open(_ path: String) throws(Refusal) -> Database {
    let database: Database
    let fault: String?
    do throws(DatabaseError) {
      database = try Database(path)
      fault = try prepare(database)
    } catch {
      throw error.isDamage ? .unfit("damaged (\(error))") : .failed(error)
    }
    if let fault { throw .unfit(fault) }
    return database
  }

  /// Makes a file ready for use; what is wrong with it where it is not to be used.
  private static func prepare(_ database: Database) throws(DatabaseError) -> String? {
    // A second daemon is kept out by the folder's lock; a reader such as sqlite3(1) is waited for.
    try database.run("PRAGMA busy_timeout = 2000")
    let isNew = try database.number("page_count") == 0
    if !isNew, let fault = try fault(of: database) { return fault }
    try database.run("PRAGMA journal_mode = WAL")
    // What is saved before a command starts is on the disk even if the power fails.
    try database.run("PRAGMA synchronous = FULL")
    if isNew { try create(database) }
    return nil
  }

  /// What is wrong with a file that is there; nil where it is ours and sound.
  private static func fault(of database: Database) throws(DatabaseError) -> String? {
    guard try database.number("application_id") == applicationID else {
      return "not a state file of reach"
    }
    guard try database.number("user_version") <= version else {
      return "written by a later version of reach"
    }
    var report = "ok"
    try database.run("PRAGMA quick_check(1)") { report = $0.text(0) }
    return report == "ok" ? nil : "damaged (\(report))"
  }

  private static func create(_ database: Database) throws(DatabaseError) {
    try database.transaction { () throws(DatabaseError) in
      for statement in [
        "PRAGMA application_id = \(applicationID)",
        "PRAGMA user_version = \(version)",
        "CREATE TABLE store (script TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE TABLE told (script TEXT, hook TEXT, subject TEXT, value TEXT NOT NULL, "
          + "PRIMARY KEY (script, hook, subject)) STRICT, WITHOUT ROWID",
        "CREATE TABLE quarantine (script TEXT PRIMARY KEY, value TEXT NOT NULL) "
          + "STRICT, WITHOUT ROWID",
      ] {
        try database.run(statement)
      }
    }
  }

  /// Gives a file another name, and what SQLite keeps beside it; nil where that cannot be done.
  private static func setAside(_ path: String) -> String? {
    for number in 1...999 {
      let place = "\(path).set-aside-\(number)"
      guard !FileDescriptor.exists(place) else { continue }
      do { try FileDescriptor.move(path, to: place) } catch { return nil }
      for suffix in ["-wal", "-shm"] where FileDescriptor.exists(path + suffix) {
        try? FileDescriptor.move(path + suffix, to: place + suffix)
      }
      return place
    }
    return nil
  }
}

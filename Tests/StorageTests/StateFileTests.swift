import CTestSupport
import Glibc
import TestSupport
import Testing

@testable import Storage

private let hook = SavedState.HookKey(script: "sync", hook: "pause", subject: "internet")

/// A state file in a folder of its own, and what was complained of.
private struct Scene: ~Copyable {
  let folder: TemporaryFolder
  let complaints = Record<String>()

  init() throws { folder = try TemporaryFolder() }

  var path: String { "\(folder.path)/state.db" }

  func open() -> StateFile {
    let complaints = complaints
    return StateFile(path) { complaints.note($0) }
  }

  /// Opens the file, saves, and closes it.
  func save(_ changes: StateChange...) throws { try open().save(changes) }

  func read() throws -> SavedState { try open().read() }
}

@Suite struct StateFiles {
  @Test func `what is saved is read by the next that opens it`() throws {
    let scene = try Scene()
    #expect(try scene.read() == SavedState())
    try scene.save(
      .store(script: "sync", #"{"paused":true}"#), .told(hook, "unreachable"),
      .quarantine(script: "loop", "three kills"))
    var expected = SavedState()
    expected.stores = ["sync": #"{"paused":true}"#]
    expected.told = [hook: "unreachable"]
    expected.quarantines = ["loop": "three kills"]
    #expect(try scene.read() == expected)
    try scene.save(
      .store(script: "sync", nil), .told(hook, "reachable"), .quarantine(script: "loop", nil),
      .store(script: "sync", "ä\u{0}b"))
    expected.stores = ["sync": "ä\u{0}b"]
    expected.told = [hook: "reachable"]
    expected.quarantines = [:]
    #expect(try scene.read() == expected)
    #expect(scene.complaints.all == [])
  }

  @Test(arguments: [
    ("no database at all, but a text that somebody wrote there", "damaged"),
    ("SQLite format 3\u{0}and then nothing of the kind", "damaged"),
  ])
  func `a damaged file is set aside and begun anew`(text: String, what: String) throws {
    let scene = try Scene()
    let text = text + String(repeating: ".", count: 4096)
    try scene.folder.write("state.db", text)
    try scene.save(.told(hook, "reachable"))
    #expect(scene.complaints.all.count == 1)
    #expect(scene.complaints.all.first?.hasPrefix("\(scene.path): \(what)") == true)
    #expect(
      scene.complaints.all.first?.hasSuffix(
        "set aside as \(scene.path).set-aside-1 and begun anew") == true)
    #expect(scene.folder.read("state.db.set-aside-1") == text)
    #expect(try scene.read().told == [hook: "reachable"])
  }

  @Test func `somebody else's database and one of a later version are set aside`() throws {
    let scene = try Scene()
    do {
      let other = try Database(scene.path)
      try other.run("CREATE TABLE bookmarks (url TEXT)")
      try other.run("INSERT INTO bookmarks VALUES ('kept')")
    }
    #expect(try scene.read() == SavedState())
    do {
      let later = try Database(scene.path)
      try later.run("PRAGMA user_version = 99")
    }
    #expect(try scene.read() == SavedState())
    #expect(
      scene.complaints.all == [
        "\(scene.path): not a state file of reach; set aside as \(scene.path).set-aside-1 "
          + "and begun anew",
        "\(scene.path): written by a later version of reach; set aside as "
          + "\(scene.path).set-aside-2 and begun anew",
      ])
    let kept = try Database("\(scene.path).set-aside-1")
    var urls: [String] = []
    try kept.run("SELECT url FROM bookmarks") { urls.append($0.text(0)) }
    #expect(urls == ["kept"])
  }

  @Test func `a file with any bytes changed is read or set aside`() throws {
    var random = Seeded(11)
    let whole = try Scene()
    try whole.save(
      .store(script: "sync", String(repeating: "x", count: 9000)), .told(hook, "unreachable"))
    let good = try #require(FileBytes(whole.path))
    for round in 0..<150 {
      let scene = try Scene()
      var bytes = good.bytes
      if round % 3 == 0 { bytes.removeLast(random.below(bytes.count)) }
      for _ in 0..<(1 << random.below(6)) where !bytes.isEmpty {
        bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
      }
      try #require(FileBytes(bytes).write(to: scene.path))
      let file = scene.open()
      _ = try? file.read()
      _ = try? file.save([.told(hook, "reachable")])
    }
  }

  @Test func `where there is no place for it nothing is kept, and that is said`() throws {
    let scene = try Scene()
    let path = "\(scene.folder.path)/none/state.db"
    let complaints = Record<String>()
    let file = StateFile(path) { complaints.note($0) }
    try file.save([.told(hook, "reachable")])
    #expect(try file.read() == SavedState())
    #expect(
      complaints.all == [
        "\(path): open \(path): unable to open database file; nothing outlives this run"
      ])
  }

  @Test func `a killed process leaves all of a save or none`() async throws {
    for _ in 0..<20 {
      let path = "/tmp/reach-test-kill.\(getpid()).db"
      await #expect(processExitsWith: .signal(SIGKILL)) {
        let file = StateFile("/tmp/reach-test-kill.\(getppid()).db") { _ in }
        // Ends at some moment that nobody chose.
        _ = system("(sleep 0.0$(od -An -N1 -tu1 /dev/urandom | tr -d ' '); kill -9 \(getpid())) &")
        for number in 0..<1_000_000 {
          try file.save([.store(script: "a", "\(number)"), .store(script: "b", "\(number)")])
        }
      }
      let complaints = Record<String>()
      let state = try StateFile(path) { complaints.note($0) }.read()
      #expect(state.stores["a"] == state.stores["b"])
      #expect(complaints.all == [])
    }
    for suffix in ["", "-wal", "-shm"] { unlink("/tmp/reach-test-kill.\(getpid()).db\(suffix)") }
  }
}

/// All bytes of a file.
private struct FileBytes {
  var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  init?(_ path: String) {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    bytes = []
    while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
  }

  func write(to path: String) -> Bool {
    guard let file = fopen(path, "w") else { return false }
    defer { fclose(file) }
    return fwrite(bytes, 1, bytes.count, file) == bytes.count
  }
}

import Posix
import TestSupport
import Testing

@testable import Hooks
@testable import Storage

@Suite struct Memories {
  @Test func `what is on its way to the disk is waited for, whoever noted it`() throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    let memory = Memory(StateKeeper("\(folder.path)/state.db") { Issue.record("\($0)") }, on: loop)
    let events = Record<String>()
    loop.post {
      memory.note(store: "{}", of: "a")
      loop.post {
        // By now it has been handed to the disk's thread.
        memory.save { events.note("saved") }
        events.note("asked")
      }
    }
    try loop.runOnOwnThread(named: "memory")
    #expect(eventually { events.all.count == 2 })
    loop.stop()
    #expect(events.all == ["asked", "saved"])
  }

  @Test func `what cannot be saved is tried again though nothing happens`() throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    let path = "\(folder.path)/state.db"
    let complaints = Record<String>()
    let memory = Memory(StateKeeper(path) { complaints.note($0) }, on: loop)
    let other = try Database(path)
    try other.run("BEGIN IMMEDIATE")
    loop.post { memory.note(store: "{}", of: "a") }
    try loop.runOnOwnThread(named: "memory")
    #expect(eventually { complaints.all.count == 1 })
    try other.run("COMMIT")
    #expect(eventually { complaints.all.count == 2 })
    loop.stop()
    #expect(complaints.all.first?.contains("database is locked; it is tried again") == true)
    #expect(complaints.all.last == "what hooks keep is saved again")
  }
}

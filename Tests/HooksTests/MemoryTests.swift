import Posix
import Storage
import TestSupport
import Testing

@testable import Hooks

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
}

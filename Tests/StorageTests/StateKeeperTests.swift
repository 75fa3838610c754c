import CTestSupport
import Glibc
import TestSupport
import Testing

@testable import Posix
@testable import Storage

private func key(_ hook: String) -> SavedState.HookKey {
  SavedState.HookKey(script: "sync", hook: hook, subject: "internet")
}

/// What a keeper reads, waited for.
private func read(_ keeper: StateKeeper) -> SavedState {
  let state = Handover<SavedState>()
  keeper.read { state.put($0) }
  return state.wait()
}

@Suite struct StateKeepers {
  @Test func `everybody who saves is told once it is on the disk`() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/state.db"
    let complaints = Record<String>()
    let done = Record<Int>()
    do {
      let keeper = StateKeeper(path) { complaints.note($0) }
      for number in 0..<1000 {
        keeper.save([.told(key("hook \(number % 100)"), "\(number)")]) { _ in
          // Others see it now.
          if number % 250 == 249, let other = try? Database(path) {
            var value = ""
            let hook = "hook \(number % 100)"
            try? other.run("SELECT value FROM told WHERE hook = ?", [hook]) { value = $0.text(0) }
            #expect((Int(value) ?? 0) >= number)
          }
          done.note(number)
        }
      }
      #expect(eventually { done.all.count == 1000 })
    }
    #expect(done.all == Array(0..<1000))
    let state = read(StateKeeper(path) { complaints.note($0) })
    #expect(state.told.count == 100)
    #expect(state.told[key("hook 7")] == "907")
    #expect(complaints.all == [])
  }

  @Test(.enabled(if: support_is_privileged() != 0, "mounts a small file system"))
  func `a full disk is said once, costs nobody the run, and is made good`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      guard support_enter_mounts() == 0,
        support_run("mount -t tmpfs -o size=256k none \(folder.path)") == 0
      else {
        Issue.record("no file system of our own")
        return
      }
      let complaints = Record<String>()
      let keeper = StateKeeper("\(folder.path)/state.db") { complaints.note($0) }
      let done = Record<Int>()
      keeper.save([.store(script: "sync", "small")]) { isSaved in
        #expect(isSaved)
        done.note(0)
      }
      #expect(eventually { done.all.count == 1 })
      _ = support_run("head -c 1M /dev/zero >\(folder.path)/ballast 2>/dev/null")
      for number in 1...50 {
        let text = String(repeating: "\(number % 10)", count: 20_000)
        keeper.save([.store(script: "sync", text), .told(key("\(number % 3)"), "\(number)")]) { _ in
          done.note(number)
        }
        #expect(eventually { done.all.count == number + 1 })
      }
      #expect(complaints.all.count == 1)
      #expect(complaints.all.first?.contains("database or disk is full") == true)
      unlink("\(folder.path)/ballast")
      keeper.save([.told(key("new"), "x")]) { isSaved in
        #expect(isSaved)
        done.note(51)
      }
      #expect(eventually { done.all.count == 52 })
      #expect(complaints.all.last == "what hooks keep is saved again")
      let state = read(keeper)
      #expect(state.stores["sync"]?.hasPrefix("0000") == true)
      #expect(
        state.told == [key("0"): "48", key("1"): "49", key("2"): "50", key("new"): "x"])
      _ = support_run("umount -l \(folder.path)")
    }
  }
}

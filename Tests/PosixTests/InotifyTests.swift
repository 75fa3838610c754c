import Glibc
import TestSupport
import Testing

@testable import Posix

/// Inotify in a folder of its own, on a loop of its own.
private final class WatchedFolder {
  let folder: TemporaryFolder
  private let loop: EventLoop
  private let told = Record<[Inotify.Event]>()

  init(for kinds: Inotify.Kinds) throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
    let path = folder.path
    let ready = Record<Void>()
    loop.post { [loop, told] in
      #expect(throws: Never.self) {
        let inotify = try Inotify(on: loop) { told.note($0) }
        #expect(inotify.watch(path, for: kinds) != nil)
        #expect(inotify.watch("\(path)/none", for: kinds) == nil)
        // Lives for as long as the loop does.
        _ = loop.schedule(at: .now + .seconds(3600)) { withExtendedLifetime(inotify) {} }
      }
      ready.note(())
    }
    try loop.runOnOwnThread(named: "inotify")
    #expect(eventually { !ready.all.isEmpty })
  }

  deinit { loop.stop() }

  var names: [String?] { told.all.flatMap(\.self).map(\.name) }
  var hasLostEvents: Bool { told.all.flatMap(\.self).contains { $0.watch == nil } }

  /// Has the loop do nothing else meanwhile.
  func whileAway(_ body: @escaping @Sendable () -> Void) {
    let done = Record<Void>()
    loop.post {
      body()
      done.note(())
    }
    while done.all.isEmpty { usleep(1000) }
  }
}

@Suite struct InotifyEvent {
  @Test func `what happens in a folder is told by name and in order`() throws {
    let watched = try WatchedFolder(for: [.written, .names, .itself])
    try watched.folder.write("a", "1")
    #expect(rename("\(watched.folder.path)/a", "\(watched.folder.path)/b") == 0)
    #expect(unlink("\(watched.folder.path)/b") == 0)
    #expect(rmdir(watched.folder.path) == 0)
    #expect(eventually { watched.names.count == 7 })
    #expect(watched.names == ["a", "a", "a", "b", "b", nil, nil])
    #expect(!watched.hasLostEvents)
  }

  @Test func `that the kernel could not keep up is told`() throws {
    let watched = try WatchedFolder(for: [.names])
    let path = watched.folder.path
    // As many as fs.inotify.max_queued_events, and some more.
    watched.whileAway {
      for number in 0..<9000 {
        close(open("\(path)/\(number)", O_CREAT | O_WRONLY, 0o600))
        unlink("\(path)/\(number)")
      }
    }
    #expect(eventually { watched.hasLostEvents })
  }

  @Test func `what the kernel writes is read in bounds`() {
    var random = Seeded(11)
    for _ in 0..<2000 {
      let bytes = (0..<random.below(80)).map { _ in UInt8(truncatingIfNeeded: random.next() & 0x1f)
      }
      bytes.withUnsafeBytes { raw in
        var size = 0
        for event in InotifyEvents(raw) { size += 16 + (event.name?.utf8.count ?? 0) }
        #expect(size <= raw.count * 3)
      }
    }
  }
}

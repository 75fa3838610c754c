import CTestSupport
import Glibc
import TestSupport
import Testing

@testable import Posix
@testable import Reachability

@Suite struct SymlinkChains {
  private func chain(
    _ links: [String: String], missing: Set<String> = [], from path: String = "/etc/resolv.conf"
  ) -> SymlinkChain {
    SymlinkChain(
      from: path, readLink: { links[$0] }, isFolder: { !missing.contains($0) })
  }

  private func texts(_ chain: SymlinkChain) -> [String] {
    chain.watches.map { "\($0.folder) \($0.name)" }
  }

  @Test func `each step is watched in its folder`() {
    let plain = chain([:])
    #expect(texts(plain) == ["/etc resolv.conf"])
    #expect(plain.end == "/etc/resolv.conf")
    let linked = chain([
      "/etc/resolv.conf": "../run/systemd/resolve/stub-resolv.conf",
      "/etc/../run/systemd/resolve/stub-resolv.conf": "resolv.conf",
      "/etc/../run/systemd/resolve/resolv.conf": "/mnt/real",
    ])
    #expect(
      texts(linked) == [
        "/etc resolv.conf", "/etc/../run/systemd/resolve stub-resolv.conf",
        "/etc/../run/systemd/resolve resolv.conf", "/mnt real",
      ])
    #expect(linked.end == "/mnt/real")
  }

  @Test func `a folder that is missing is waited for in the nearest one above`() {
    let dangling = chain(
      ["/etc/resolv.conf": "/run/systemd/resolve/stub-resolv.conf"],
      missing: ["/run/systemd/resolve", "/run/systemd"])
    #expect(texts(dangling) == ["/etc resolv.conf", "/run systemd"])
    #expect(texts(chain([:], missing: ["/a", "/a/b"], from: "/a/b/c")) == ["/ a"])
  }

  @Test func `links that lead in a circle come to an end`() {
    #expect(chain(["/etc/resolv.conf": "resolv.conf"]).watches.count == SymlinkChain.mostSteps)
  }
}

/// An observer of one path in a folder of its own, on a loop of its own.
private final class Observed {
  let folder: TemporaryFolder
  private let loop: EventLoop
  private let changes = Record<Void>()
  private var told = 0

  init(_ path: String, prepare: (String) -> Void = { _ in }) throws {
    folder = try TemporaryFolder()
    prepare(folder.path)
    loop = try EventLoop()
    let full = "\(folder.path)/\(path)"
    let ready = Record<Void>()
    loop.post { [loop, changes] in
      #expect(throws: Never.self) {
        let observer = try FileObserver([full], on: loop) { changes.note(()) }
        // Lives for as long as the loop does.
        _ = loop.schedule(at: .now + .seconds(3600)) { withExtendedLifetime(observer) {} }
      }
      ready.note(())
    }
    try loop.runOnOwnThread(named: "observer")
    #expect(eventually { !ready.all.isEmpty })
  }

  deinit { loop.stop() }

  /// How many changes are told of a shell command in the folder.
  func changes(by command: String) -> Int {
    #expect(support_run("cd '\(folder.path)' && \(command)") == 0, "\(command)")
    usleep(200_000)
    defer { told = changes.all.count }
    return changes.all.count - told
  }
}

@Suite struct FileObservers {
  @Test func `each way to change a plain file is told once`() throws {
    let observed = try Observed("resolv.conf")
    #expect(observed.changes(by: "echo 1 > resolv.conf") == 1)
    #expect(observed.changes(by: "echo 2 >> resolv.conf") == 1)
    #expect(observed.changes(by: "echo 3 > new && mv new resolv.conf") == 1)
    #expect(observed.changes(by: "echo 4 > resolv.conf") == 1)
    #expect(observed.changes(by: "rm resolv.conf") == 1)
    #expect(observed.changes(by: "ln -s other resolv.conf") == 1)
    #expect(observed.changes(by: "echo 5 > other") == 1)
  }

  @Test func `other files in the folder are no news, and neither is reading`() throws {
    let observed = try Observed("resolv.conf")
    #expect(observed.changes(by: "echo 1 > resolv.conf") == 1)
    #expect(
      observed.changes(by: "echo 1 > hosts; mv hosts h; rm h; cat resolv.conf >/dev/null") == 0)
  }

  @Test func `a file behind links is seen in each of their folders`() throws {
    let observed = try Observed("etc/resolv.conf") { folder in
      _ = support_run(
        """
        cd '\(folder)' && mkdir etc run && echo 1 > run/stub && ln -s stub run/resolv.conf &&
        ln -s ../run/resolv.conf etc/resolv.conf
        """)
    }
    #expect(observed.changes(by: "echo 2 > run/new && mv run/new run/stub") == 1)
    #expect(observed.changes(by: "echo 3 > run/stub") == 1)
    #expect(observed.changes(by: "echo 4 > run/other && ln -sfn other run/resolv.conf") == 1)
    #expect(observed.changes(by: "echo 5 > run/other") == 1)
    #expect(observed.changes(by: "echo 6 > run/stub") == 0)
    #expect(observed.changes(by: "rm etc/resolv.conf && echo 7 > etc/resolv.conf") == 1)
    #expect(observed.changes(by: "echo 8 > run/other") == 0)
  }

  @Test func `a folder that comes, goes and comes again is followed`() throws {
    let observed = try Observed("etc/resolv.conf") { folder in
      _ = support_run("cd '\(folder)' && mkdir etc && ln -s ../run/a/resolv.conf etc/resolv.conf")
    }
    #expect(observed.changes(by: "mkdir run") == 1)
    #expect(observed.changes(by: "mkdir run/a") == 1)
    #expect(observed.changes(by: "echo 1 > run/a/resolv.conf") == 1)
    #expect(observed.changes(by: "rm -r run") == 1)
    #expect(observed.changes(by: "mkdir -p run/a && echo 2 > run/a/resolv.conf") == 1)
    #expect(observed.changes(by: "echo 3 > run/a/resolv.conf") == 1)
  }

  @Test func `many changes in a row are told as few`() throws {
    let observed = try Observed("resolv.conf")
    let count = observed.changes(
      by: "for i in 1 2 3 4 5 6 7 8 9 10; do echo $i > new; mv new resolv.conf; sleep 0.01; done")
    #expect((1...3).contains(count))
  }

  @Test(.enabled(if: support_is_privileged() != 0, "needs to mount"))
  func `a file that is mounted over another is seen where it is written to`() async {
    await #expect(processExitsWith: .success) {
      #expect(support_enter_mounts() == 0)
      let observed = try Observed("etc/resolv.conf") { folder in
        _ = support_run(
          """
          cd '\(folder)' && mkdir etc netns && echo 1 > etc/resolv.conf && echo 1 > netns/resolv.conf &&
          mount --bind netns/resolv.conf etc/resolv.conf
          """)
      }
      #expect(observed.changes(by: "echo 2 > netns/resolv.conf") == 1)
    }
  }
}

import Posix
import Reachability
import TestSupport
import Testing

@testable import Hooks

/// Scripts under a clock that stands still.
@Suite struct Rehearsals {
  /// Monday 2026-01-05, noon.
  private let noon: Int64 = 1_767_614_400

  private func rehearse(_ text: String) throws -> (Rehearsal, TemporaryFolder) {
    let folder = try TemporaryFolder()
    try folder.write("t.lua", text)
    return (try Rehearsal(["\(folder.path)/t.lua"], at: noon), folder)
  }

  private let wired: Verdict = {
    var path = Path()
    path.medium = .wired
    path.flags = .reachable
    return Verdict(.reachable, path: path)
  }()

  private func commands(_ rehearsal: Rehearsal) -> [String] {
    rehearsal.stage.entries.compactMap { entry in
      if case .deed(.command(let command)) = entry.happening {
        let second = (entry.moment - BootInstant(nanoseconds: 60_000_000_000)).seconds
        return "\(Int(second)) \(command.words.joined(separator: " "))"
      }
      return nil
    }
  }

  @Test func `a command is noted when stability lets the hook hear, and is not run`() throws {
    let (rehearsal, folder) = try rehearse(
      """
      reach.on{ target = reach.internet, stable = { unreachable = "0s", reachable = "10s" },
        unreachable = function() reach.run{ "touch", "lost" } end,
        reachable = function() reach.sleep("5s") reach.run{ "touch", "back" } end }
      """)
    try rehearsal.set(["internet": Verdict(.unreachable, reason: .noRoute)])
    rehearsal.advance(by: .seconds(100))
    try rehearsal.set(["internet": wired])
    rehearsal.advance(by: .seconds(9))
    #expect(commands(rehearsal) == ["0 touch lost"])
    rehearsal.advance(by: .seconds(86400))
    #expect(commands(rehearsal) == ["0 touch lost", "115 touch back"])
    #expect(!FileDescriptor.exists("\(folder.path)/lost"))
  }
}

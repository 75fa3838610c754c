import Lua
import Posix
import Testing

@testable import Hooks

@Suite struct TimerBeats {
  @Test(arguments: [
    (100, 100, 110), (100, 109, 110), (100, 110, 120), (100, 137, 140), (100, 99, 100),
  ])
  func `a timer keeps its beat, and leaves out what was missed`(due: Int64, now: Int64, next: Int64)
    throws
  {
    let declarations = try load("reach.every(10, function() end)").get()
    let timer = try #require(declarations.timers.first)
    func at(_ seconds: Int64) -> BootInstant {
      BootInstant(nanoseconds: seconds * 1_000_000_000)
    }
    #expect(timer.next(after: at(due), at: at(now)) == at(next))
  }

  @Test func `what is cancelled while it is declared never begins`() throws {
    let declarations = try load(
      "reach.every(10, function() end):cancel() reach.after('1h', function() end) reach.defer(function() end)"
    ).get()
    #expect(declarations.timers.map(\.name) == ["after 1h"])
    #expect(declarations.deferred.count == 1)
  }
}

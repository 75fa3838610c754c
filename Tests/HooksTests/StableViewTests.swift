import Posix
import Reachability
import Testing

@testable import Hooks

/// Feeds a view with one character for each second: `u` unreachable, `w` by WiFi, `c` by WWAN,
/// `?` unknown, `-` no news; tells what was seen in which second, `U` an unreachable on resume.
private func seen(
  _ input: String, _ stability: Stability, resumed: (at: Int, until: Int64)? = nil
) -> String {
  var view = StableView(stability)
  var output = ""
  for (second, character) in input.enumerated() {
    let now = BootInstant(nanoseconds: Int64(second) * 1_000_000_000)
    if let verdict = Verdict(character) {
      view.note(
        Transition(
          target: TargetID(1), from: .unknown, to: verdict, instant: now, time: Int64(second),
          sequence: Int64(second)))
    }
    if let resumed, resumed.at == second {
      view.resume(until: BootInstant(nanoseconds: resumed.until * 1_000_000_000))
    }
    output.append(view.release(at: now)?.verdict.character ?? "-")
  }
  return output
}

extension Verdict {
  init?(_ character: Character) {
    var path = Path()
    path.flags = .reachable
    switch character {
    case "u": self.init(.unreachable, reason: .noRoute)
    case "w":
      path.medium = .wifi
      self.init(.reachable, path: path)
    case "c":
      path.medium = .wwan
      self.init(.reachable, path: path)
    case "?": self = .unknown
    default: return nil
    }
  }

  fileprivate var character: Character {
    status == .unreachable ? (cause == .resume ? "U" : "u") : via == .wwan ? "c" : "w"
  }
}

@Suite struct StableViews {
  private let tenSeconds: Stability = {
    var stability = Stability()
    stability.byStatus[.reachable] = .seconds(3)
    return stability
  }()

  @Test func `without a duration everything is seen at once`() {
    #expect(seen("uwu-c", Stability()) == "uwu-c")
  }

  @Test func `what does not hold is not seen`() {
    #expect(seen("uw-uw----", tenSeconds) == "u------w-")
  }

  @Test func `an excursion from what was seen does not exist`() {
    #expect(seen("w----uw----", tenSeconds) == "---w-u---w-")
    var slow = Stability()
    slow.standard = .seconds(3)
    #expect(seen("w---u-w------", slow) == "---w---------")
  }

  @Test func `a change of medium must hold as well`() {
    #expect(seen("w----c-w-----c----", tenSeconds) == "---w------------c-")
  }

  @Test func `the same verdict again does not start the time anew`() {
    #expect(seen("u-w-w-----", tenSeconds) == "u----w----")
  }

  @Test func `after a resume nothing worse than what was seen is seen for a while`() {
    let now = Stability()
    // The loss came before the suspend, whose end would have let it go.
    var slow = Stability()
    slow.standard = .seconds(3)
    #expect(seen("w-----u------", slow, resumed: (at: 9, until: 11)) == "---w-------U-")
    #expect(seen("w-----u---w--", slow, resumed: (at: 9, until: 11)) == "---w---------")
    #expect(seen("w-----u------", slow, resumed: (at: 7, until: 8)) == "---w-----u---")
    #expect(seen("w--u----", now, resumed: (at: 3, until: 5)) == "w----U--")
    // What is better or as good is not kept back.
    #expect(seen("u--w----", now, resumed: (at: 3, until: 5)) == "u--w----")
    #expect(seen("w--c----", now, resumed: (at: 3, until: 5)) == "w--c----")
  }

  @Test func `unknown is never seen`() {
    #expect(seen("?-u-?-u", Stability()) == "--u----")
  }

  @Test func `the deadline is when the verdict will have held`() {
    var view = StableView(tenSeconds)
    let start = BootInstant(nanoseconds: 5)
    view.note(
      Transition(
        target: TargetID(1), from: .unknown, to: Verdict("w") ?? .unknown, instant: start, time: 0,
        sequence: 1))
    #expect(view.deadline == start + .seconds(3))
    #expect(view.release(at: start + .milliseconds(2999)) == nil)
    #expect(view.release(at: start + .seconds(3))?.sequence == 1)
    #expect(view.deadline == nil)
  }
}

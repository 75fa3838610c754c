import Posix
import TestSupport
import Testing

@testable import Reachability

@Suite struct StatusMachines {
  /// One letter for each verdict of a time line.
  private static func verdict(_ letter: Character) -> Verdict? {
    func up(_ interface: String, _ index: Int32, _ medium: Medium, _ flags: UInt32) -> Verdict {
      var path = Path()
      path.flags = Flags(rawValue: flags)
      path.interface = interface
      path.interfaceIndex = index
      path.medium = medium
      return Verdict(.reachable, path: path)
    }
    switch letter {
    case "u": return up("eth0", 11, .wired, 0x2)
    case "U": return up("eth0", 11, .wired, 0x20002)
    case "w": return up("wwan0", 12, .wwan, 0x40003)
    case "d": return Verdict(.unreachable, reason: .linkDown)
    case "c": return Verdict(.unreachable, reason: .noCarrier)
    case "m": return Verdict(.unreachable, reason: .interfaceMissing)
    case "n": return Verdict(.unreachable, reason: .noRoute)
    case "?": return .unknown
    default: return nil
    }
  }

  private static func letter(_ verdict: Verdict) -> Character {
    "uUwdcmn?".first { StatusMachines.verdict($0) == verdict } ?? "!"
  }

  /// What a monitor of 20 ms publishes when the kernel says these things, one each 10 ms.
  private func published(_ found: String) -> String {
    var machine = StatusMachine()
    var settling = Settling(quiet: .milliseconds(20))
    var truth = Verdict.unknown
    var line = ""
    for (step, letter) in found.enumerated() {
      let now = BootInstant(nanoseconds: Int64(step) * 10_000_000)
      var output: Character = "-"
      func judge(settled: Bool) {
        if machine.judge(truth, settled: settled) != nil {
          #expect(output == "-")
          output = StatusMachines.letter(machine.verdict)
        }
      }
      if let verdict = StatusMachines.verdict(letter) {
        truth = verdict
        settling.hint(at: now)
        judge(settled: false)
      }
      if let deadline = settling.deadline, deadline <= now {
        settling.end()
        judge(settled: true)
      }
      line.append(output)
    }
    return line
  }

  @Test(arguments: [
    // The first verdict counts at once, good or bad.
    ("u------", "u------"), ("n------", "n------"), ("--w----", "--w----"),
    // A path lost with its link is told at once, with its return 20 ms after the last word.
    ("u---d------", "u---d------"), ("u---c------", "u---c------"), ("u---m------", "u---m------"),
    ("u---d---u----", "u---d-----u--"),
    // A route may come back: its loss waits for quiet.
    ("u---n------", "u-----n----"), ("u---nu-----", "u----------"), ("u---n-n----", "u-------n--"),
    ("u---nw-----", "u------w---"), ("u---w------", "u-----w----"), ("u---wu-----", "u----------"),
    // A better-known reason is no change.
    ("u---d-n----", "u---d------"), ("n---d------", "n----------"), ("u---d-c-n--", "u---d------"),
    // A flap of the link is told, once each way.
    ("u---dud----", "u---d------"), ("u---dudu---", "u---d----u-"),
    // Flags are part of what is told.
    ("u---U------", "u-----U----"),
    // The same once more is nothing.
    ("u---u---u--", "u----------"), ("d---d---d--", "d----------"), ("?---?---u--", "--------u--"),
  ])
  func `what is found is told`(found: String, told: String) {
    #expect(published(found) == told)
  }

  @Test func `a kernel that is never quiet is waited for 250 ms`() {
    let found = "u---" + String(repeating: "n", count: 40)
    #expect(
      published(found) == "u---" + String(repeating: "-", count: 25) + "n"
        + String(repeating: "-", count: 14))
  }

  @Test func `the first verdict replaces the unknown one`() {
    var machine = StatusMachine()
    #expect(machine.judge(Verdict(.unreachable, reason: .noRoute), settled: false) == .unknown)
  }

  @Test func `a reason that is better known later is kept without a word`() {
    var machine = StatusMachine()
    _ = machine.judge(Verdict(.unreachable, reason: .noRoute), settled: true)
    #expect(machine.judge(Verdict(.unreachable, reason: .linkDown), settled: true) == nil)
    #expect(machine.verdict.reason == .linkDown)
  }

  @Test func `the interface of the last path is remembered through its loss`() throws {
    var machine = StatusMachine()
    #expect(machine.lastInterfaces == Path.Interfaces())
    for letter in "und" {
      _ = machine.judge(try #require(StatusMachines.verdict(letter)), settled: true)
      #expect(machine.lastInterfaces == Path.Interfaces(own: 11))
    }
    _ = machine.judge(try #require(StatusMachines.verdict("w")), settled: true)
    #expect(machine.lastInterfaces == Path.Interfaces(own: 12))
  }

  @Test func `a source address that is known stays for as long as the path does`() throws {
    var machine = StatusMachine()
    var known = try #require(StatusMachines.verdict("u"))
    known.path.source = IPAddress("192.0.2.2")
    _ = machine.judge(known, settled: true)
    _ = machine.judge(try #require(StatusMachines.verdict("u")), settled: true)
    #expect(machine.verdict.path.source == IPAddress("192.0.2.2"))
    _ = machine.judge(try #require(StatusMachines.verdict("w")), settled: true)
    #expect(machine.verdict.path.source == nil)
  }

  @Test func `random verdicts are never told twice in a row, and the last settled one stands`()
    throws
  {
    var random = Seeded(44)
    for _ in 0..<500 {
      var machine = StatusMachine()
      var told: [Verdict] = [.unknown]
      for _ in 0..<100 {
        let letter = try #require("uUwdcmn?".randomElement(using: &random))
        let found = try #require(StatusMachines.verdict(letter))
        let settled = Bool.random(using: &random)
        let last = try #require(told.last)
        if let old = machine.judge(found, settled: settled) {
          #expect(old.isAlike(last) && old.path.flags == last.path.flags)
          #expect(!found.isAlike(last) || found.path.flags != last.path.flags)
          told.append(machine.verdict)
        }
        if settled { #expect(machine.verdict == found) }
      }
    }
  }
}

@Suite struct Settlings {
  private func at(_ milliseconds: Int64) -> BootInstant {
    BootInstant(nanoseconds: milliseconds * 1_000_000)
  }

  @Test func `each hint puts the end off, up to the limit`() {
    var settling = Settling(quiet: .milliseconds(100))
    #expect(settling.deadline == nil)
    for (now, end) in [(1000, 1100), (1050, 1150), (1140, 1240), (1200, 1250), (1249, 1250)] {
      settling.hint(at: at(Int64(now)))
      #expect(settling.deadline == at(Int64(end)))
    }
    settling.end()
    #expect(settling.deadline == nil)
    settling.hint(at: at(1251))
    #expect(settling.deadline == at(1351))
  }

  @Test func `no quiet asked for is none waited for`() {
    #expect(Settling(quiet: .zero).isImmediate)
    #expect(Settling(quiet: .milliseconds(-1)).isImmediate)
    #expect(!Settling(quiet: .milliseconds(1)).isImmediate)
  }
}

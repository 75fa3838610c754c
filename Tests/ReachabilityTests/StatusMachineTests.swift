import Testing

@testable import Reachability

@Suite struct StatusMachines {
  @Test func `the first verdict is published at once`() {
    var machine = StatusMachine()
    #expect(machine.judge(Verdict(.unreachable, reason: .noRoute), settled: false) == .unknown)
  }
}

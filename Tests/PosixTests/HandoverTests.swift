import Glibc
import TestSupport
import Testing

@testable import Posix

@Suite struct Handovers {
  @Test func `who waits gets what another thread puts`() throws {
    let handover = Handover<Int>()
    try Thread.start(named: "handover") {
      usleep(20_000)
      handover.put(7)
    }
    #expect(handover.wait() == 7)
  }

  @Test func `what was put before is there for all who wait, and the first counts`() {
    let handover = Handover<Int>()
    handover.put(1)
    handover.put(2)
    #expect(handover.wait() == 1)
    #expect(handover.wait() == 1)
  }
}

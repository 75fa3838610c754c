import TestSupport
import Testing

@testable import Posix

@Suite struct ServiceSupervisors {
  private func named(_ environment: [String: String]) -> ServiceSupervisor? {
    ServiceSupervisor(of: 42) { environment[$0] }
  }

  @Test func `a supervisor hears what it is told, at a path and at an abstract name`() throws {
    let folder = try TemporaryFolder()
    let number = UInt64.random(in: 0 ... .max)
    for address in ["\(folder.path)/notify", "@reach-test-\(number)"] {
      let receiver = try DatagramReceiver(at: address)
      let supervisor = try #require(named(["NOTIFY_SOCKET": address]))
      try supervisor.tell("READY=1\nSTATUS=all is well")
      try supervisor.tell(ServiceSupervisor.reloading)
      let told = receiver.all
      try #require(told.count == 2)
      #expect(told[0] == "READY=1\nSTATUS=all is well")
      let lines = told[1].split(separator: "\n")
      #expect(lines.first == "RELOADING=1")
      let moment = try #require(lines.last?.split(separator: "=").last.flatMap { Int64($0) })
      #expect(moment > 0)
    }
  }

  @Test func `there is none where the environment names none, or nothing that is an address`() {
    #expect(named([:]) == nil)
    for address in ["", "/", "@", "notify", "vsock:2:1"] {
      #expect(named(["NOTIFY_SOCKET": address]) == nil)
    }
  }

  @Test(
    arguments: [
      ("2000000", nil, 2000), ("2000000", "42", 2000), ("2000000", "43", nil), (nil, nil, nil),
      ("0", nil, nil), ("-5", nil, nil), ("soon", nil, nil), ("99999999999999999999", nil, nil),
    ] as [(String?, String?, Int?)])
  func `a watchdog is fed where it is meant for this process`(
    microseconds: String?, process: String?, milliseconds: Int?
  ) throws {
    var environment = ["NOTIFY_SOCKET": "/run/notify"]
    environment["WATCHDOG_USEC"] = microseconds
    environment["WATCHDOG_PID"] = process
    let supervisor = try #require(named(environment))
    #expect(supervisor.watchdog == milliseconds.map { .milliseconds($0) })
  }

  @Test func `nobody there, a name that is too long and a supervisor that is busy are errors`()
    throws
  {
    let folder = try TemporaryFolder()
    for address in ["\(folder.path)/nobody", "/" + String(repeating: "x", count: 200)] {
      let supervisor = try #require(named(["NOTIFY_SOCKET": address]))
      #expect(throws: SystemError.self) { try supervisor.tell("READY=1") }
    }
    let busy = try DatagramReceiver(at: "\(folder.path)/busy")
    let supervisor = try #require(named(["NOTIFY_SOCKET": "\(folder.path)/busy"]))
    // Its queue is full at some time (net.unix.max_dgram_qlen), and then that is said.
    #expect(throws: SystemError.self) {
      for _ in 0..<100_000 { try supervisor.tell("WATCHDOG=1") }
    }
    withExtendedLifetime(busy) {}
  }
}

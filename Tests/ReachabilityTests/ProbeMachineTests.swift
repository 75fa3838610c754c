import Posix
import Testing

@testable import Reachability

/// Feeds a machine, one character a step: `S` a pass, `F` a failure, `O` a portal, `x` the path is
/// lost, `p` it is there, `q` it is there over another interface; tells the status after each: `-`
/// unknown, `N`, `P`, `W`.
private func statuses(_ input: String, fall: Int = 3, rise: Int = 2) -> String {
  var machine = ProbeMachine(fall: fall, rise: rise)
  var kernel = Verdict.unknown
  var output = ""
  for character in input {
    var path = Path()
    path.flags = .reachable
    path.medium = .wired
    switch character {
    case "S":
      machine.note(
        .pass(latency: .milliseconds(5), address: IPAddress(ipv4: 1)),
        generation: machine.generation)
    case "F": machine.note(.failure(.refused), generation: machine.generation)
    case "O":
      machine.note(
        .failure(.portal, url: "http://login.test/"), generation: machine.generation)
    case "x": kernel = Verdict(.unreachable, reason: .noCarrier)
    case "p", "q":
      path.interfaceIndex = character == "p" ? 11 : 12
      kernel = Verdict(.reachable, path: path)
    default: break
    }
    _ = machine.note(kernel: kernel)
    switch machine.verdict(over: kernel).status {
    case .unknown: output += "-"
    case .reachable: output += "W"
    case .portal: output += "P"
    case .unreachable: output += "N"
    }
  }
  return output
}

@Suite struct ProbeMachines {
  @Test func `the first result decides`() {
    #expect(statuses("pS") == "-W")
    #expect(statuses("pF") == "-N")
  }

  @Test func `failures and passes in a row decide from then on`() {
    #expect(statuses("pSFFSFFFSS") == "-WWWWWWNNW")
    #expect(statuses("pFSFSS") == "-NNNNW")
  }

  @Test func `a lost path tells at once, and does not reset the counters`() {
    #expect(statuses("pSFFxpFSS") == "-WWWNNNNW")
    #expect(statuses("pSxpS") == "-WNNW")
    #expect(statuses("pFFSxpS") == "-NNNNNW")
  }

  @Test func `another path keeps what the counters say, and asks for a probe`() {
    #expect(statuses("pSqFF") == "-WWWW")
    var machine = ProbeMachine(fall: 3, rise: 2)
    var path = Path()
    path.flags = .reachable
    path.interfaceIndex = 11
    let first = machine.note(kernel: Verdict(.reachable, path: path))
    let same = machine.note(kernel: Verdict(.reachable, path: path))
    path.gateway = IPAddress(ipv4: 1)
    let other = machine.note(kernel: Verdict(.reachable, path: path))
    #expect((first, same, other) == (true, false, true))
  }

  @Test func `a portal counts as a failure, and the last one gives its kind`() {
    #expect(statuses("pSFFO") == "-WWWP")
    #expect(statuses("pSOOF") == "-WWWN")
    #expect(statuses("pSOSOO") == "-WWWWW")
  }

  @Test func `what is not reachable takes the kind of each failure at once`() {
    #expect(statuses("pOFOSS") == "-PNPPW")
    #expect(statuses("pSxpOFS") == "-WNNPNW")
  }

  @Test func `a portal comes with its page`() {
    var machine = ProbeMachine(fall: 1, rise: 1)
    var path = Path()
    path.flags = .reachable
    path.medium = .wifi
    let kernel = Verdict(.reachable, path: path)
    _ = machine.note(kernel: kernel)
    machine.note(.failure(.portal, url: "http://login.test/"), generation: machine.generation)
    let verdict = machine.verdict(over: kernel)
    #expect(verdict.url == "http://login.test/")
    #expect(verdict.reason == .portal && verdict.cause == .remote && verdict.via == .wifi)
  }

  @Test func `a failure for want of an address is the name's, one kept back here is local`() {
    for (reason, cause) in [(Reason.dns, Cause.dns), (.notPermitted, .local), (.reset, .remote)] {
      var machine = ProbeMachine(fall: 1, rise: 1)
      var path = Path()
      path.flags = .reachable
      let kernel = Verdict(.reachable, path: path)
      _ = machine.note(kernel: kernel)
      machine.note(.failure(reason), generation: machine.generation)
      #expect(machine.verdict(over: kernel).cause == cause)
    }
  }

  @Test func `a result over a path that is no more does not count`() {
    var machine = ProbeMachine(fall: 1, rise: 1)
    var path = Path()
    path.flags = .reachable
    path.interfaceIndex = 11
    _ = machine.note(kernel: Verdict(.reachable, path: path))
    let old = machine.generation
    path.interfaceIndex = 12
    _ = machine.note(kernel: Verdict(.reachable, path: path))
    machine.note(.failure(.timeout), generation: old)
    #expect(machine.verdict(over: Verdict(.reachable, path: path)).status == .unknown)
  }

  @Test func `a failure keeps the kernel's path and flags, and names its reason`() {
    var machine = ProbeMachine(fall: 1, rise: 1)
    var path = Path()
    path.flags = .reachable
    path.medium = .wifi
    let kernel = Verdict(.reachable, path: path)
    _ = machine.note(kernel: kernel)
    machine.note(.failure(.refused), generation: machine.generation)
    let verdict = machine.verdict(over: kernel)
    #expect(verdict == Verdict(.unreachable, reason: .refused, cause: .remote, path: path))
    #expect(verdict.via == nil)
  }
}

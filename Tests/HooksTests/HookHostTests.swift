import Posix
import Reachability
import TestSupport
import Testing

@testable import Hooks

@Suite struct Hosting {
  private let script = """
    local line = reach.target{ interface = "nosuch0", name = "line" }
    reach.on{
      name = "alert", target = reach.target{ interface = "nosuch1", name = "vpn" },
      given = line, change = function() end,
    }
    """

  @Test func `what is lost at one moment with the line is not told, whichever is named first`()
    throws
  {
    let host = try HostedScript(script)
    try host.settle("vpn")
    try host.settle("line")
    try host.tell(["vpn": "w", "line": "w"])
    #expect(try host.told() == "w")
    try host.tell(["vpn": "u", "line": "u"])
    #expect(try host.told() == "w")
    try host.tell(["line": "w"])
    #expect(try host.told() == "u")
    try host.tell(["vpn": "w"])
    try host.tell(["line": "u", "vpn": "u"])
    #expect(try host.told() == "w")
    try host.tell(["vpn": "w", "line": "w"])
    #expect(try host.told() == "w")
  }

  @Test func `a run that finishes just as it is to be broken off is told, not owed`() throws {
    let host = try HostedScript(
      """
      reach.on{ target = reach.target{ interface = "nosuch0", name = "line" },
        reachable = function()
          local begin = os.clock()
          while os.clock() - begin < 0.1 do end
        end }
      """)
    try host.settle("line")
    try host.tell(["line": "w"])
    let broken = try host.ask { host in
      for id in host.runs.keys { host.runs[id]?.isBroken = true }
      return host.runs.count
    }
    #expect(broken == 1)
    #expect(try host.told() == "w")
    #expect(try host.ask { $0.scripts.first?.hooks.first?.hearing.told.unfinished == nil })
  }

  @Test func `a target that a hook is given alone is watched, and status says that it holds`()
    throws
  {
    let host = try HostedScript(script)
    try host.settle("vpn")
    try host.settle("line")
    #expect(
      try host.ask { $0.statusText }.contains(
        "  hook alert: not called yet; given line is unreachable\n"))
    #expect(
      try host.ask { $0.statusJSON }.contains(#""held":["given line is unreachable"]"#))
  }

  @Test func `status says for how long what stands must still stand`() throws {
    let host = try HostedScript(
      """
      local line = reach.target{ interface = "line", name = "line" }
      reach.on{ name = "h", target = line, stable = "1h", reachable = print }
      reach.on{ name = "deaf", target = line, stable = "1h", unreachable = print }
      """)
    try host.settle("line")
    try host.tell(["line": "e"])
    let text = try host.ask { $0.statusText }
    #expect(text.contains("  hook h: not called yet; reachable held by stable until "))
    #expect(text.contains("  hook deaf: not called yet\n"))
  }
}

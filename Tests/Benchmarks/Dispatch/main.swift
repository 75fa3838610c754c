import Glibc
import Hooks
import Lua
import Posix
import Reachability

// Times what `host dispatch N` times, in the Swift of `reach`: an event becomes a Lua table, and a
// handler is called with it; the crash marker and the account of processor time are kept as `reach`
// keeps them. Prints nanoseconds for one, the best and the median of five rounds.

let count = CommandLine.arguments.dropFirst().last.flatMap { Int($0) } ?? 50_000

let script = """
  local n = 0
  reach.on{ target = reach.internet, change = function(e) n = n + 1 end }
  """

func event() -> Event {
  var path = Path()
  path.flags = [.reachable, .isDirect]
  path.medium = .wifi
  path.isMetered = true
  path.interface = "wlan0"
  path.address = IPAddress(ipv4: 0xc000_0207)
  path.source = IPAddress(ipv4: 0xc633_6404)
  path.gateway = IPAddress(ipv4: 0xc633_6401)
  path.gatewayMAC = HardwareAddress("02:00:5e:10:00:01")
  path.ssid = "Home 5G"
  var before = path
  before.medium = .wired
  var event = Event(
    name: "nas",
    transition: Transition(
      target: TargetID(1), from: Verdict(.reachable, path: before),
      to: Verdict(
        .portal, reason: .portal, path: path, latency: .milliseconds(12),
        url: "http://portal.example/login"),
      instant: BootInstant(nanoseconds: 0), time: 1_700_000_000, sequence: 1))
  event.changed = Verdict.Changes(rawValue: 0x7f)
  event.lasted = 90
  return event
}

/// Times `count` dispatches, five times over after a round to warm up.
func measure() throws -> [Double] {
  let context = ScriptContext(
    source: ScriptSource(name: "count", path: "count.lua"), log: Log(level: .error))
  var lua = try LuaState(declarations: LuaDeclarations(library: context))
  try lua.load(Array(script.utf8), name: "count.lua")
  let folder = "/tmp/dispatch-benchmark-\(Program.identity)"
  try FileDescriptor.makeFolders(folder, mode: 0o700)
  var stays = InterpreterStays(of: "count", try CrashMarker(inFolder: folder))
  FileDescriptor.remove("\(folder)/marker")
  rmdir(folder)
  let functions = context.declarations.hooks[0].functions(for: event())
  var event = event()
  var rounds: [Double] = []
  for round in -1..<5 {
    let start = BootInstant.now
    for number in 0..<count {
      event.sequence = Int64(number)
      let told = event
      let stay = stays.begin()
      guard case .finished = lua.start(functions, argument: { $0.event(told) }) else {
        fatalError("the handler failed")
      }
      _ = stays.end(stay)
    }
    let took = BootInstant.now - start
    if round >= 0 { rounds.append(Double(took.nanoseconds) / Double(count)) }
  }
  return rounds.sorted()
}

let rounds = try measure()
print("dispatch best \(rounds[0]) median \(rounds[2]) ns")

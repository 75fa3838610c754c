import Glibc
import Posix
import Reachability

// Times how many targets are judged after a link change, in the network namespace of the caller:
// `scale-benchmark N INTERFACE GATEWAY`. Prints milliseconds for each change, on the wall and of
// processor time, and the memory that a target takes.

let words = CommandLine.arguments
guard words.count == 4, let count = Int(words[1]) else {
  print("usage: scale-benchmark N INTERFACE GATEWAY")
  exit(2)
}
let interface = words[2]
let gateway = words[3]

let told = Told()
let before = residentSize
let loop = try EventLoop()
let monitor = try ReachabilityMonitor(on: loop)
let start = BootInstant.now
loop.post {
  monitor.assumeIsolated { monitor in
    for number in 0..<count { _ = monitor.add(target(number)) }
    try? monitor.start(delivering: { told.note($0.count) }, reporting: { print("\($0)") })
  }
}
try loop.runOnOwnThread(named: "loop")

func report(_ name: String, _ wall: Duration, _ used: Duration) {
  let milliseconds = [wall, used].map { Double($0.nanoseconds / 10_000) / 100 }
  print("\(name) \(milliseconds[0]) \(milliseconds[1])")
}

let first = told.await(count, since: start)
report("start", first, processorTime)
sleep(3)
print("memory \((residentSize - before) / count)")

/// Makes a change, and reports how long all targets took to be told.
func measure(_ name: String, _ command: String) {
  let used = processorTime
  let start = BootInstant.now
  run(command)
  let wall = told.await(count, since: start)
  usleep(400_000)
  report(name, wall, processorTime - used)
  sleep(3)
}

for _ in 0..<5 {
  measure("down", "ip link set \(interface) down")
  measure(
    "up",
    "ip link set \(interface) up; ip route add default via \(gateway); "
      + "ip addr add 2001:db8:0:1::2/64 dev \(interface) nodad; "
      + "ip -6 route add default via 2001:db8:0:1::1")
}

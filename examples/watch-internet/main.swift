import Reachability

// Prints what becomes of the internet, and of each target given as an argument.
var targets = [Target(.internet)]
for argument in CommandLine.arguments.dropFirst() {
  targets.append(Target(try Target.Subject(parsing: argument)))
}
for await change in try ReachabilityMonitor.changes(of: targets) {
  let via = change.verdict.via.map { " via \($0)" } ?? ""
  let reason = change.verdict.reason.map { ": \($0.rawValue)" } ?? ""
  print("\(change.target.name) is \(change.verdict.status)\(via)\(reason)")
}

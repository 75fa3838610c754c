import Reachability

// Prints what becomes of the internet, and of each target given as an argument.
var watched = [NetworkReachability.shared]
for argument in CommandLine.arguments.dropFirst() {
  watched.append(try NetworkReachability(Target(parsing: argument)))
}
try await withThrowingTaskGroup { group in
  for reachability in watched {
    try reachability.start()
    group.addTask {
      for await state in reachability.changes {
        let medium = state.path.medium.map { " via \($0)" } ?? ""
        let reason = state.reason.map { ": \($0.rawValue)" } ?? ""
        let text = state.isReachable ? "reachable\(medium)" : "unreachable\(reason)"
        print("\(reachability.target.name) is \(text)")
      }
    }
  }
}

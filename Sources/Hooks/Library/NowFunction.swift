internal import Lua
internal import Posix

extension LibraryFunction {
  static let now = LibraryFunction(
    name: "reach.now", returns: Field("seconds", "number", "With a fraction."),
    summary: "Seconds that run on through suspend, for measuring how long something took."
  ) { context, _, results in
    results.number(context.clock.now.seconds)
    return .returned
  }
}
